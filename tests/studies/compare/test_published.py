"""Published sets are what their program measures; a dataset is placed among them by the same sample and their summaries."""

from __future__ import annotations

import re
import sys
from itertools import combinations, pairwise
from pathlib import Path

import polars as pl
import pytest
from conftest import ROOT, ingest_rows

from auditor.errors import UsageError
from auditor.model import silent
from auditor.scoring.registry import References, requests
from auditor.statistics import published as summaries
from auditor.statistics.sameness import SAMENESS
from auditor.store.captions import select_all
from auditor.store.connection import MEMORY, Store
from auditor.studies.bounds import bounds
from auditor.studies.compare import compare
from auditor.studies.compare import published as study
from auditor.studies.compare.answer import METRICS
from auditor.studies.compare.equalize import DRAWS
from auditor.studies.ingest import ingest

sys.path.insert(0, str(ROOT / "benchmarks"))


def test_numbers_are_of_the_metrics_as_they_are_now_and_within_their_intervals() -> None:
    known = summaries.rows()
    against = References("loo", study.REFERENCES, 1, study.IMAGES, draws=DRAWS)
    signed = {str(one.signature(study.TOKENIZER, against)) for one in requests(METRICS)}
    words = {
        "sameness|tok:bare|captions:1|seed:1|v:1",
        "ttr-1|tok:bare|lists:mean|order:md5|draws:10|seed:1|segment:1000|v:1",
    }
    assert set(known["signature"].drop_nulls()) == {*signed, *words}
    assert known.filter(pl.col("value").is_between("low", "high")).height == known["low"].count()
    assert set(summaries.rows(marks=True)["kind"]) == set(known["kind"])


def test_the_page_is_written_from_the_summaries() -> None:
    import published

    text = published.PAGE.read_text(encoding="utf-8")
    assert text == "".join(published.page())
    assert len(re.findall(r"^\\| \\S+ \\| `[0-9a-f]{12}`", text, re.MULTILINE)) >= 20
    row = summaries.rows().filter(dataset="clotho", statistic="homogeneity", metric="rouge-l").row(0, named=True)
    assert f"{row['value']:.3f}" in next(line for line in text.splitlines() if line.startswith("| clotho |"))


@pytest.mark.parametrize("index", ["homogeneity", SAMENESS])
def test_letters_join_only_what_summaries_do_not_tell_apart(index: str) -> None:
    import published

    for order in published.orders(index):
        of_metric = summaries.rows().filter(statistic=index, metric=order.metric)
        value = dict(of_metric.select("dataset", "value").iter_rows())
        assert all(value[first] >= value[second] for first, second in pairwise(order.labels))
        assert all(value[first] > value[second] for first, second in order.ahead)
        apart, letters = {frozenset(pair) for pair in order.ahead}, order.groups
        for one, other in combinations(order.labels, 2):
            assert bool(set(letters[one]) & set(letters[other])) == (frozenset((one, other)) not in apart)


@pytest.fixture
def dogs(store: Store) -> Store:
    words = ("red", "blue", "tall", "old", "wild")
    rows = [
        (f"i{n}", slot, f"a {words[n % 5]} dog {words[(n + slot) % 5]} runs {n}")
        for n in range(60)
        for slot in range(3)
    ]
    ingest_rows(store, rows, "dogs")
    ingest_rows(store, [(image, 0, text) for image, slot, text in rows if slot == 0], "single")
    return store


def test_a_dataset_is_placed_among_published_sets_by_the_same_sample(
    dogs: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    (captions,) = select_all(dogs, ["dogs"], None, study.TOKENIZER)
    with pytest.raises(UsageError, match="dogs has 0 images with 5 captions"):
        compare(dogs, "dogs", beside="published")
    monkeypatch.setattr(study, "IMAGES", 50)
    monkeypatch.setattr(study, "REFERENCES", 2)
    own = study.measured(captions, silent)
    known = own.drop("label", "split").with_columns(
        dataset=pl.lit("cats"), version=pl.lit("x"), kind=pl.lit("photos"), value=pl.col("value") / 2
    )
    monkeypatch.setattr(summaries, "rows", lambda: known)
    result = compare(dogs, "dogs", beside="published")
    assert result.lead[0].startswith("Homogeneity: Captions of the wrong image score ")
    assert result.lead[1] == "Significance: more homogeneous than cats (p < 0.05)."
    assert result.table("homogeneity").frame.filter(metric="rouge-l")["dataset"].to_list() == ["dogs", "cats"]
    both = compare(dogs, "dogs", "single", beside="published")
    assert set(both.table("homogeneity").frame["dataset"]) == {"dogs", "single", "cats"}
    assert both.table("homogeneity").bars == (SAMENESS,)
    assert any("paired tests, Cliff's delta" in note for note in both.notes)


def test_what_summaries_cannot_answer_is_refused(dogs: Store) -> None:
    with pytest.raises(UsageError, match="metric"):
        compare(dogs, "dogs", beside="published", metrics=["bleu-1"])  # type: ignore[call-overload]
    with pytest.raises(UsageError, match="add --beside published"):
        compare(dogs, "dogs")


@pytest.mark.full
def test_cells_are_those_of_compare_and_bounds(data: Path) -> None:
    numbers = ["dataset", "metric", "statistic", "value", "low", "high", "se"]
    known = summaries.rows().select(numbers)
    with Store.open(MEMORY) as store:
        for name in ("abstract50s", "clotho", "gpt4o-comprecap"):
            ingest(store, name)
        scored = compare(
            store, "abstract50s", "clotho", equalize=True, references=study.REFERENCES, images=study.IMAGES
        ).frame.filter(pl.col("variant") == "equalized", pl.col("test").is_null())
        same = compare(store, "abstract50s", "gpt4o-comprecap").frame.filter(statistic=SAMENESS)
        means = bounds(
            store, "abstract50s", candidates=["human"], references=study.REFERENCES, metrics=["bleu-4"]
        ).frame
    for made, cells in ((scored, 16), (same, 2)):
        both = made.select(numbers).join(known, on=numbers[:3], suffix="_known")
        assert both.height == cells
        for name in numbers[3:]:
            assert both[name].to_list() == pytest.approx(both[f"{name}_known"].to_list(), abs=1e-12)
    upper = known.filter(dataset="abstract50s", metric="bleu-4", statistic="upper").row(0, named=True)
    human = means.filter(level="caption", candidate="human")["mean"].item()  # all 500 images, another draw of captions
    assert upper["low"] < human < upper["high"]
