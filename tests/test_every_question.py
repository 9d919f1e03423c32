"""Every question has an answer on the bundled sample: what is asked first, before a study's own tests."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

import auditor
from auditor.errors import AuditorError
from auditor.studies import STUDIES
from auditor.text.spacy import pipelines

SAMPLE = Path(auditor.__file__).parent / "sample" / "datasets.toml"
NAMES = ("sample-narrow", "sample-varied")
ONE, TWO = NAMES[:1], NAMES

#: Datasets with one caption per image.
SINGLE = ("quick", "lazy")

#: What is named, and what is said with it, where this is not one dataset and nothing.
ASKED: Mapping[str, tuple[tuple[str, ...], Mapping[str, Any]]] = {
    "datasets": ((), {}),
    "metrics": ((), {}),
    "formats": ((), {}),
    "diff": (TWO, {}),
    "profile": (TWO, {}),
    "keyness": (TWO, {}),
    "bounds": (TWO, {"metrics": ["cider"]}),
    "compare": (TWO, {"metrics": ["bleu-1"]}),
    "score": (ONE, {"metrics": ["rouge-l"]}),
    "rank": (ONE, {"metrics": ["bleu-1"]}),
    "correlate": (ONE, {"metrics": ["bleu-1", "rouge-1"]}),
    "references": (ONE, {"metrics": ["bleu-1"], "most": 2}),
}

#: Questions that have tests of their own only.
APART = {
    *("fetch", "ingest", "export", "tag", "note", "drop"),  # write
    *("omitted", "missed", "agree", "consensus"),  # are about other datasets still
    "distractors",  # is about captions with phrases
    "choices",  # is about forced-choice items
    *("robustness", "probe"),  # take their time
    *("report", "check", "reproduce"),  # ask the others
}


@pytest.fixture(scope="module")
def audit(tmp_path_factory: pytest.TempPathFactory) -> Iterator[auditor.Auditor]:
    path = tmp_path_factory.mktemp("questions") / "audit.duckdb"
    with pytest.MonkeyPatch.context() as patched:
        patched.delenv("AUDITOR_DATA", raising=False)
        with auditor.Auditor(path, write=True) as opened:
            opened.ingest(*NAMES, config=SAMPLE)
            for name in SINGLE:
                opened.ingest(name, data=[{"image": f"{n}.jpg", "caption": f"{n} {name} dogs run"} for n in range(20)])
            yield opened


@pytest.mark.xdist_group("every question")
@pytest.mark.parametrize("name", [name for name in STUDIES if name not in APART])
def test_question_has_an_answer_on_the_sample(name: str, audit: auditor.Auditor) -> None:
    if name == "syntax" and pipelines.installed() is None:
        pytest.skip(f"no spaCy pipeline is installed: {pipelines.INSTALL}")
    named, said = ASKED.get(name, (ONE, {}))
    answer = getattr(audit, name)(*named, **said)
    assert answer.signatures if name == "card" else answer.frame.height


@pytest.mark.xdist_group("every question")
@pytest.mark.parametrize(
    "name", ["bounds", "card", "diversity", "duplicates", "findings", "identical", "report", "templates"]
)
def test_question_about_single_captions_has_an_answer(name: str, audit: auditor.Auditor) -> None:
    named, said = ASKED.get(name, (ONE, {}))
    answer = getattr(audit, name)(*SINGLE[: len(named)], **said)
    assert answer.signatures or answer.notes


@pytest.mark.xdist_group("every question")
@pytest.mark.parametrize(
    "name", ["compare", "correlate", "outliers", "probe", "rank", "references", "score", "stages", "tasks"]
)
def test_question_that_needs_references_names_one_that_does_not(name: str, audit: auditor.Auditor) -> None:
    named, said = ASKED.get(name, (ONE, {}))
    why = "no two candidates: " if name == "tasks" else "needs two captions per image; this dataset has one"
    with pytest.raises(AuditorError, match=rf"^quick: .*{why}.*; `auditor [^\n]*$"):
        getattr(audit, name)(*SINGLE[: len(named)], **said)
