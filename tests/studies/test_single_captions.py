"""Datasets with one caption per image: what is answered about them, and what needs another and names it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest

import auditor
from auditor.errors import AuditorError

#: What is said with a question, where that is not nothing.
SAID: Mapping[str, Mapping[str, Any]] = {
    "bounds": {"metrics": ["cider"]},
    "compare": {"metrics": ["bleu-1"]},
    "correlate": {"metrics": ["bleu-1", "rouge-1"]},
    "score": {"metrics": ["rouge-l"]},
}


@pytest.fixture(scope="module")
def audit(tmp_path_factory: pytest.TempPathFactory) -> Iterator[auditor.Auditor]:
    with auditor.Auditor(tmp_path_factory.mktemp("single") / "audit.duckdb", write=True) as opened:
        for name in ("quick", "lazy"):
            rows = [{"image": f"{n}.jpg", "caption": f"{n} {name} dogs run"} for n in range(20)]
            opened.ingest(name, data=rows, config={})
        rows = [{"image": f"{n}.jpg", "caption": f"{n} {word} run"} for n in range(20) for word in ("dogs", "cats")]
        opened.ingest("pairs", data=rows, config={})
        yield opened


@pytest.mark.xdist_group("single captions")
@pytest.mark.parametrize(
    "name", ["bounds", "card", "compare", "diversity", "duplicates", "findings", "report", "templates"]
)
def test_question_about_single_captions_has_an_answer(name: str, audit: auditor.Auditor) -> None:
    named = ("quick", "lazy") if name in ("bounds", "compare") else ("quick",)
    answer = getattr(audit, name)(*named, **SAID.get(name, {}))
    assert answer.signatures or answer.notes


@pytest.mark.xdist_group("single captions")
@pytest.mark.parametrize("name", ["correlate", "outliers", "probe", "references", "score", "tasks"])
def test_question_that_needs_references_names_one_that_does_not(name: str, audit: auditor.Auditor) -> None:
    why = "not have two candidates: " if name == "tasks" else "needs two captions per image; this dataset has one"
    with pytest.raises(AuditorError, match=rf"^quick: .*{why}.*`auditor [^\n]*$"):
        getattr(audit, name)("quick", **SAID.get(name, {}))
