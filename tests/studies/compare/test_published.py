"""Published sets are what their program measures; a dataset is placed among them by the same sample and their summaries."""

from __future__ import annotations

import re
import sys
from itertools import pairwise
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
    assert set(known["signature"]) == {*signed, study.sameness_signature(study.TOKENIZER, 1)}
    assert known.filter(pl.col("value").is_between("low", "high")).height == known["low"].count()
    assert set(summaries.read()["sets"][0]) == set(summaries.read()["sets"][-1])
    assert {name for names in summaries.MARKS.values() for name in names} <= set(known["dataset"])


def test_the_page_is_written_from_the_summaries() -> None:
    import published

    text = published.PAGE.read_text(encoding="utf-8")
    assert text == "".join(published.page())
    assert len(re.findall(r"^\\| \\S+ \\| `[0-9a-f]{12}`", text, re.MULTILINE)) >= 20
    row = summaries.rows().filter(dataset="clotho", statistic="homogeneity", metric="rouge-l").row(0, named=True)
    assert f"{row['value']:.3f}" in next(line for line in text.splitlines() if line.startswith("| clotho |"))


def test_letters_join_only_what_summaries_do_not_tell_apart() -> None:
    for index in ("homogeneity", SAMENESS):
        for order in study.orders(summaries.rows(), index):
            value = dict(
                summaries.rows().filter(statistic=index, metric=order.metric).select("dataset", "value").iter_rows()
            )
            assert all(value[first] >= value[second] for first, second in pairwise(order.labels))
            assert all(value[first] > value[second] for first, second in order.ahead)
            apart = {frozenset(pair) for pair in order.ahead}
            for one in order.labels:
                for other in order.labels:
                    joined = bool(set(order.groups[one]) & set(order.groups[other]))
                    assert one == other or joined or frozenset((one, other)) in apart


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
    assert result.lead[-1] == "Metrics: All 4 agree about every published set."
    assert result.table("homogeneity").frame.filter(metric="rouge-l")["dataset"].to_list() == ["dogs", "cats"]
    both = compare(dogs, "dogs", "single", beside="published")
    assert both.table("homogeneity").frame["dataset"].to_list() == ["dogs", "single", "cats"]
    assert any("Not possible without their captions" in note for note in both.notes)


def test_what_summaries_cannot_answer_is_refused(dogs: Store) -> None:
    with pytest.raises(UsageError, match="metric"):
        compare(dogs, "dogs", beside="published", metrics=["bleu-1"])  # type: ignore[call-overload]
    with pytest.raises(UsageError, match="add --beside published"):
        compare(dogs, "dogs")


@pytest.mark.full
def test_cells_are_those_of_compare_and_bounds(data: Path) -> None:
    known = summaries.rows()
    with Store.open(MEMORY) as store:
        for name in ("abstract50s", "clotho", "gpt4o-comprecap"):
            ingest(store, name)
        sample = {"references": study.REFERENCES, "images": study.IMAGES}
        rows = compare(store, "abstract50s", "clotho", equalize=True, **sample).frame.filter(
            pl.col("variant") == "equalized", pl.col("test").is_null()
        )
        same = compare(store, "abstract50s", "gpt4o-comprecap").frame.filter(statistic=SAMENESS)
        upper = bounds(store, "clotho", candidates=["human"], references=study.REFERENCES).frame
    for made in (rows, same):
        numbers = ["dataset", *summaries.NUMBER]
        both = made.select(numbers).join(known.select(numbers), on=numbers[:3], suffix="_known")
        assert both.height == (16 if made is rows else 2)
        for name in summaries.NUMBER[2:]:
            assert both[name].equals(both[f"{name}_known"])
    assert upper.height  # the same captions, all images: near the sample's
