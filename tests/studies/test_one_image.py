"""One image: a metric that cannot be computed is a row with its reason, and ends no command."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest
from conftest import ingest_rows

import auditor
from auditor.errors import MetricError
from auditor.store.connection import MEMORY

SAID = ("a man talks.", "someone talks.", "a man is talking while birds sing in a tree")


@pytest.fixture(scope="module")
def audit() -> Any:
    with auditor.Auditor(MEMORY, write=True) as opened:
        ingest_rows(opened.store, [("clip7", slot, text) for slot, text in enumerate(SAID)], "one")
        ingest_rows(opened.store, [("clip7", 0, "a man is talking")], "system", kind="candidates")
        yield opened


@pytest.mark.parametrize(
    ("name", "said"),
    [("score", {"candidates": "system"}), ("bounds", {}), ("references", {}), ("correlate", {}), ("probe", {})],
)
def test_other_metrics_are_answered(audit: auditor.Auditor, name: str, said: dict[str, Any]) -> None:
    metrics = ["bleu-1", "cider", "rouge-1"]
    result = getattr(audit, name)("one", metrics=metrics, **said)
    rows = result.frame
    if "metric" in rows.columns:
        (row,) = rows.filter(metric="cider").iter_rows(named=True)
        assert row["reason"].startswith("with one image every n-gram")
        assert row["dataset"] == "one"
        rows = rows.filter(pl.col("reason").is_null()).rename({"metric": "metric_a"})
    assert "bleu-1" in rows["metric_a"].to_list()
    assert "cider" not in rows["metric_a"].to_list()
    assert [note for note in result.sentences if "cider not available: with one image" in note]
    with pytest.raises(MetricError, match="cider not available"):
        getattr(audit, name)("one", metrics=["cider", "cider-d"], **said)


def test_other_metrics_are_computed_in_parts(audit: auditor.Auditor, tmp_path: Path) -> None:
    frame = audit.bounds("one", metrics=["bleu-1", "cider"], work=tmp_path / "work").frame
    assert frame.filter(pl.col("mean").is_not_null())["metric"].unique().to_list() == ["bleu-1"]
    assert frame.filter(metric="cider")["reason"][0].startswith("with one image")
