"""Every question has an answer on the bundled sample, the same in any store: asked before a study's own tests."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

import auditor
from auditor.errors import AuditorError
from auditor.model import Gate
from auditor.result.document import Document
from auditor.studies import STUDIES
from auditor.studies.report.request import ReportSettings
from auditor.text.spacy import pipelines

pytestmark = pytest.mark.store

SAMPLE = Path(auditor.__file__).parent / "sample" / "datasets.toml"
NAMES = ("sample-narrow", "sample-varied")
ONE, TWO = NAMES[:1], NAMES

#: Datasets with one caption per image.
SINGLE = ("quick", "lazy")

#: What is named, and what is said with it, where this is not one dataset and nothing.
ASKED: Mapping[str, tuple[tuple[str, ...], Mapping[str, Any]]] = {
    "datasets": ((), {}),
    "metrics": ((), {}),
    "diff": (TWO, {}),
    "profile": (TWO, {}),
    "words": (ONE, {"against": NAMES[1]}),
    "bounds": (TWO, {"metrics": ["cider"]}),
    "compare": (TWO, {"metrics": ["bleu-1"]}),
    "score": (ONE, {"metrics": ["rouge-l"]}),
    "correlate": (ONE, {"metrics": ["bleu-1", "rouge-1"]}),
    "references": (ONE, {"metrics": ["bleu-1"], "most": 2}),
}

#: Questions that have tests of their own only.
APART = {
    *("fetch", "ingest", "export", "store tag", "store drop", "store gc"),  # write
    "store info",  # is about the file
    "agree",  # is about other datasets still
    "distractors",  # is about captions with phrases
    "choices",  # is about forced-choice items
    "objects",  # needs the objects of each image
    "probe",  # takes its time
    *("report", "check", "reproduce"),  # ask the others
}


#: What has tests of its own, and is asked of both stores all the same.
ALIKE: Mapping[str, tuple[tuple[str, ...], Mapping[str, Any]]] = {
    "agree": (("stars",), {"against": NAMES[1], "metrics": ["bleu-1"]}),
    "choices": (("pairs",), {"against": NAMES[1], "train": NAMES[0], "metrics": ["bleu-1"]}),
    "objects": (("quick",), {"listing": "things"}),
    "probe": (ONE, {"metrics": ["bleu-1"], "components": ["order"]}),
    "check": (ONE, {"gates": [Gate(None, ("captions_per_image", "min"), 5, SAMPLE)]}),
    "report": (ONE, {"settings": ReportSettings(metrics=["bleu-1"]), "sections": ["facts", "versions"]}),
    "reproduce": (("elliott2014",), {}),
}


#: Files beside the sample, by name: captions in two parts, ratings, and forced-choice items.
FILES = {
    **{
        f"{part}.csv": [
            "image,slot,caption",
            *(f"{part}{image},{slot},a dog {image} {slot}" for image in "xy" for slot in "01"),
        ]
        for part in "ab"
    },
    "stars.csv": [
        "image,text,judge,stars",
        *(f"{i},a dog on grass {i % 2},{judge},{i}" for i in range(1, 5) for judge in "ab"),
    ],
    "things.json": ['{"3.jpg": ["dog"], "4.jpg": ["quick dog", "cat"], "5.jpg": ["lazy"]}'],
    "pairs.csv": ["image,right,wrong", *(f"{image},a dog on grass,a cat {image}" for image in range(1, 5))],
}
STARS = ("image_col=image", "caption_col=text", "judge_col=judge", "score_col=stars")


def opened(folder: Path, names: Sequence[str], parts: str) -> auditor.Auditor:
    for name, lines in FILES.items():
        (folder / name).write_text("\n".join(lines), encoding="utf-8")
    audit = auditor.Auditor(folder / "audit.duckdb", write=True)
    audit.ingest(*names, config=SAMPLE)
    audit.ingest("parts", files=[folder / f"{part}.csv" for part in parts], config={})
    audit.ingest("stars", files=[folder / "stars.csv"], file_format="judgements", options=STARS, config={})
    audit.ingest("pairs", files=[folder / "pairs.csv"], config={})
    audit.ingest("things", files=[folder / "things.json"], file_format="mapping", kind="objects", config={})
    for name in SINGLE:
        rows = [{"image": f"{n}.jpg", "caption": f"{n} {name} dogs run"} for n in range(20)]
        audit.ingest(name, data=rows, config={})
    return audit


@pytest.fixture(scope="module")
def audits(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[auditor.Auditor, auditor.Auditor]]:
    """Two stores of the same captions: read at another time, datasets and files in another order."""
    with pytest.MonkeyPatch.context() as patched:
        patched.delenv("AUDITOR_DATA", raising=False)
        with (
            opened(tmp_path_factory.mktemp("first"), NAMES, "ab") as first,
            opened(tmp_path_factory.mktemp("second"), NAMES[::-1], "ba") as second,
        ):
            yield first, second


@pytest.fixture(scope="module")
def audit(audits: tuple[auditor.Auditor, auditor.Auditor]) -> auditor.Auditor:
    return audits[0]


#: What takes seconds.
SLOW = {"findings", "syntax"}


def each(names: Iterable[str]) -> list[Any]:
    return [pytest.param(name, marks=pytest.mark.slow) if name in SLOW else name for name in names]


@pytest.mark.xdist_group("every question")
@pytest.mark.parametrize("name", each([*(name for name in STUDIES if name not in APART or name in ALIKE), "card"]))
def test_question_has_an_answer_on_the_sample_that_is_the_same_in_another_store(
    name: str, audits: tuple[auditor.Auditor, auditor.Auditor]
) -> None:
    if name == "syntax" and pipelines.installed() is None:
        pytest.skip(f"no spaCy pipeline is installed: {pipelines.INSTALL}")
    named, said = ALIKE.get(name) or ASKED.get(name, (ONE, {}))
    answer, again = (getattr(audit, name.rpartition(" ")[2])(*named, **said) for audit in audits)
    assert answer.sections if isinstance(answer, Document) else answer.frame.height
    assert in_any_store(answer) == in_any_store(again)


def in_any_store(answer: auditor.Result | Document) -> str:
    (body,) = json.loads(answer.to_json()).values()
    assert body.pop("volatile")
    return json.dumps(body, indent=1)


def test_what_is_volatile_is_told_apart(audits: tuple[auditor.Auditor, auditor.Auditor]) -> None:
    (first,), (second,) = (json.loads(audit.datasets("parts").to_json()).values() for audit in audits)
    assert set(first["volatile"]["versions"][0]) == {"dataset", "seq", "split", "created_at", "source_sha256"}
    for of in ("versions", "rows"):
        one, other = first["volatile"][of][0], second["volatile"][of][0]
        assert one["created_at"] != other["created_at"]
        assert one["source_sha256"] != other["source_sha256"]
        assert not first[of][0].keys() & {"created_at", "source_sha256"}
    assert {"created_at", "source_sha256"} <= {*audits[0].datasets("parts").frame.columns}


@pytest.mark.xdist_group("every question")
@pytest.mark.parametrize(
    "name", ["bounds", "card", "compare", "diversity", "duplicates", "findings", "report", "templates"]
)
def test_question_about_single_captions_has_an_answer(name: str, audit: auditor.Auditor) -> None:
    named, said = ASKED.get(name, (ONE, {}))
    answer = getattr(audit, name)(*SINGLE[: len(named)], **said)
    assert answer.signatures or answer.notes


@pytest.mark.xdist_group("every question")
@pytest.mark.parametrize("name", ["correlate", "outliers", "probe", "references", "score", "tasks"])
def test_question_that_needs_references_names_one_that_does_not(name: str, audit: auditor.Auditor) -> None:
    named, said = ASKED.get(name, (ONE, {}))
    why = "not have two candidates: " if name == "tasks" else "needs two captions per image; this dataset has one"
    with pytest.raises(AuditorError, match=rf"^quick: .*{why}.*`auditor [^\n]*$"):
        getattr(audit, name)(*SINGLE[: len(named)], **said)
