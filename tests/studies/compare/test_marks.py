"""Reference marks are what this program measures, and a dataset is placed among them only by their sample."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from conftest import ingest_rows

from auditor.errors import UsageError
from auditor.model import silent
from auditor.scoring.registry import References, requests
from auditor.store.captions import select_all
from auditor.store.connection import MEMORY, Store
from auditor.studies.compare import marks as study
from auditor.studies.compare.answer import METRICS
from auditor.studies.compare.equalize import DRAWS
from auditor.studies.ingest import ingest


def test_marks_are_of_the_metrics_as_they_are_now_and_ordered_within_their_intervals() -> None:
    known = study.marks()
    against = References("loo", study.REFERENCES, 1, study.IMAGES, draws=DRAWS)
    assert set(known["signature"]) == {str(one.signature(study.TOKENIZER, against)) for one in requests(METRICS)}
    assert known.group_by("dataset").len()["len"].unique().to_list() == [len(METRICS)]
    assert known.filter(pl.col("value").is_between("low", "high")).height == known.height


def test_a_dataset_is_placed_among_the_marks_by_the_same_sample(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    words = ("red", "blue", "tall", "old", "wild")
    rows = [
        (f"i{n}", slot, f"a {words[n % 5]} dog {words[(n + slot) % 5]} runs {n}") for n in range(9) for slot in range(3)
    ]
    ingest_rows(store, rows, "dogs")
    (captions,) = select_all(store, ["dogs"], None, study.TOKENIZER)
    with pytest.raises(UsageError, match="dogs has 0 images with 5 captions"):
        study.beside_marks(captions, silent)
    monkeypatch.setattr(study, "IMAGES", 8)
    monkeypatch.setattr(study, "REFERENCES", 2)
    own = study.mark_of(captions, silent).drop("statistic")
    monkeypatch.setattr(study, "mark_of", lambda *_: own.with_columns(statistic=pl.lit("homogeneity")))
    other = own.with_columns(dataset=pl.lit("cats"), version=pl.lit("x"), value=own["value"] / 2)
    monkeypatch.setattr(study, "marks", lambda: other)
    result = study.beside_marks(captions, silent)
    assert result.lead[0].startswith("Homogeneity: Captions of the wrong image score ")
    assert result.lead[-1] == "Metrics: All 4 agree about every reference mark."
    assert result.table("homogeneity").frame.filter(metric="rouge-l")["dataset"].to_list() == ["dogs", "cats"]


def test_a_mark_that_one_metric_does_not_separate_is_placed_by_the_others() -> None:
    known, metrics = study.marks().filter(dataset="flickr8k"), study.marks()["metric"].unique(maintain_order=True)
    shift = pl.when(metric="rouge-l").then(0).otherwise(-0.04)
    own = known.with_columns(pl.col("low", "high") + shift)
    placed, agreement = study._placed(own, known)
    assert placed == f"Significance: less homogeneous than flickr8k by 3 of {len(metrics)} metrics (95% intervals)."
    assert "All 4 agree" not in agreement


@pytest.mark.full
def test_a_mark_is_measured_again_to_the_last_digit(data: Path) -> None:
    with Store.open(MEMORY) as store:
        ingest(store, "abstract50s")
        (captions,) = select_all(store, ["abstract50s"], None, study.TOKENIZER)
        again = study.mark_of(captions, silent).drop("statistic")
    kept = study.marks().filter(dataset="abstract50s")
    assert again.sort("metric").equals(kept.select(again.columns).sort("metric"))
