"""Pictures of bounds: which there are, and what stands in them."""

from __future__ import annotations

import datetime
from collections.abc import Sequence

import polars as pl
import pytest
from conftest import ingest_rows

from auditor.model import Selection, Version
from auditor.result import Figure
from auditor.store.connection import Store
from auditor.studies.bounds.study import bounds
from auditor.studies.bounds.tables import figures


def selected(*datasets: str) -> list[Selection]:
    created = datetime.datetime(2026, 5, 1, tzinfo=datetime.UTC)
    return [Selection(Version(name, 1, name, created, "", "flat", ("bare",), 1, 1), "test") for name in datasets]


def rows(
    datasets: Sequence[str], metrics: Sequence[str], candidates: Sequence[str] = ("human", "intra")
) -> pl.DataFrame:
    return pl.DataFrame(
        [
            {"dataset": d, "version": d, "split": "test", "metric": m, "candidate": c, "level": level, "mean": mean}
            for d in datasets
            for m in metrics
            for c in candidates
            for level, mean in (("caption", 0.5), ("image", 0.7))
        ]
    )


def drawn(datasets: str, metrics: str) -> tuple[Figure, ...]:
    return figures(rows(datasets.split(), metrics.split()), selected(*datasets.split()))


def test_upper_bounds_stand_in_the_figures_of_the_paper() -> None:
    found = drawn("a b", "bleu-1 bleu-4 rouge-l rouge-su4 meteor cider cider-d:sigma=4 ter chrf")
    upper = {figure.name: figure.frame["metric"].unique(maintain_order=True).to_list() for figure in found[:5]}
    assert upper == {
        "figure-1": ["bleu-1", "bleu-4"],
        "figure-2": ["rouge-l", "rouge-su4"],
        "figure-3": ["meteor", "cider", "cider-d:sigma=4"],
        "ter": ["ter"],
        "chrf": ["chrf"],
    }
    assert all(figure.frame["candidate"].unique().to_list() == ["human"] for figure in found[:5])
    assert all(figure.frame["dataset"].unique().sort().to_list() == ["a:test", "b:test"] for figure in found[:5])


def test_title_names_what_is_drawn() -> None:
    assert [figure.title for figure in drawn("a b", "bleu-1 cider cider-d")[:2]] == [
        "Upper bound: bleu-1",
        "Upper bound: METEOR, CIDEr and CIDEr-D",
    ]


def test_means_are_over_captions() -> None:
    assert drawn("a b", "bleu-1")[0].frame["mean"].to_list() == [0.5, 0.5]


@pytest.mark.parametrize(
    ("datasets", "metrics", "names", "x"),
    [
        ("a", "bleu-1 cider", ["a:test"], "metric"),
        ("a b", "bleu-1 cider ter", ["a:test", "b:test"], "metric"),
        ("a b c", "bleu-1 cider", ["bleu-1", "cider"], "dataset"),
    ],
)
def test_upper_and_lower_bounds_take_the_fewest_figures(datasets: str, metrics: str, names: list[str], x: str) -> None:
    found = [figure for figure in drawn(datasets, metrics) if figure.series == "candidate"]
    assert [figure.title.partition(": ")[2] for figure in found] == names
    assert {figure.x for figure in found} == {x}


def test_several_draws_of_a_candidate_are_averaged() -> None:
    twice = pl.concat([rows(["a"], ["cider"]), rows(["a"], ["cider"], ["intra"]).with_columns(mean=pl.lit(0.25))])
    (both,) = (figure for figure in figures(twice, selected("a")) if figure.series == "candidate")
    assert both.frame.rows() == [("a:test", "cider", "human", 0.5), ("a:test", "cider", "intra", 0.375)]


def test_metric_that_counts_errors_is_said_to() -> None:
    assert "ter: lower is better" in str(drawn("a b", "ter bleu-1")[0].caption)
    assert "lower is better" not in str(drawn("a b", "bleu-1")[0].caption)


def test_nothing_scored_draws_nothing() -> None:
    assert figures(rows(["a"], ["bleu-1"]).clear(), selected("a")) == ()


def test_bounds_has_its_figures(store: Store) -> None:
    ingest_rows(store, [("i", 0, "a dog runs"), ("i", 1, "the dog runs"), ("j", 0, "a cat"), ("j", 1, "the cat sat")])
    result = bounds(store, "set", metrics=["bleu-1"])
    assert [figure.name for figure in result.figures] == ["figure-1", "bounds-1"]
    means = dict(result.frame.filter(pl.col("level") == "caption").select("candidate", "mean").rows())
    assert dict(result.figures[1].frame.select("candidate", "mean").rows()) == means
