"""One image: a metric that cannot be computed is left out with its reason, and ends no command."""

from __future__ import annotations

from typing import Any

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
    column = "metric" if "metric" in result.frame.columns else "metric_a"
    assert "bleu-1" in result.frame[column].to_list()
    assert "cider" not in result.frame[column].to_list()
    assert [note for note in result.sentences if "cider not available: with one image" in note]
    with pytest.raises(MetricError, match="cider not available"):
        getattr(audit, name)("one", metrics=["cider", "cider-d"], **said)
