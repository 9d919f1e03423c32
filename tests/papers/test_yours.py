"""Your own metric or system has a row in a published table."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
from conftest import ingest_rows
from small_sets import described, rated

import auditor
from auditor.errors import UsageError
from auditor.papers import paper
from auditor.papers import reproduce as study
from auditor.papers.reproduce import reproduce
from auditor.store.connection import Store
from auditor.studies.agree import agree


def test_metric_of_a_user_has_a_row_beside_what_is_printed(store: Store, tmp_path: Path) -> None:
    @auditor.metric(name="shared-words")
    def shared_words(candidate: str, references: list[str]) -> float:
        return float(max(len({*candidate.lower().split()} & {*one.lower().split()}) for one in references))

    rated(store, tmp_path, "flickr8k-expert", "flickr8k")
    result = reproduce(store, "clipscore2021", metrics=[shared_words])
    table = result.table("with-yours").frame.filter(of="flickr8k-expert kendall-c-x100")
    assert table.filter(metric="bleu-4").select("printed", "row").rows() == [("30.776", "published")]
    (mine,) = table.filter(metric="shared-words")["ours"]
    asked = {"protocols": ["pooled"], "statistics": ["kendall-c"]}
    by_hand = agree(store, "flickr8k-expert", metrics=[shared_words], tokenizer="ptb", resamples=0, **asked).frame
    assert mine == pytest.approx(
        100 * by_hand.filter(statistic="kendall-c", candidates="without-references")["value"][0]
    )
    alone = reproduce(store, "clipscore2021").frame
    rows = result.frame.filter(pl.col("verdict") != "yours")
    assert rows.equals(alone)  # the figures of the paper stay what they are


def test_system_of_a_user_has_a_row_among_the_nine(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("spacy")
    described(store)
    ingest_rows(
        store, [(f"i{image}", 0, "a man and a dog in the snow") for image in range(6)], "mine", kind="candidates"
    )
    one = replace(paper("miltenburg2018"), datasets=("liu2017",))
    monkeypatch.setattr(study, "paper", lambda _: one)
    table = reproduce(store, "miltenburg2018", candidates=["mine"]).table("with-yours").frame
    lengths = table.filter(of="asl as-published").select("dataset", "printed", "ours")
    assert ("mine", None, 8.0) in lengths.rows()
    assert lengths.filter(dataset="liu2017")["printed"].to_list() == ["10.3"]


def test_paper_without_such_a_table_is_refused_before_anything_is_measured(store: Store) -> None:
    with pytest.raises(
        UsageError, match="--candidates: clipscore2021 prints no table of candidates; add rows to milten"
    ):
        reproduce(store, "clipscore2021", candidates=["mine"])
    with pytest.raises(UsageError, match="-m: miltenburg2018 prints no table of metrics; add rows to clipscore2021, "):
        reproduce(store, "miltenburg2018", metrics=["cider"])
