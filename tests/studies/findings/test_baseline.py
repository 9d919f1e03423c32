"""Known findings: what is known is folded, what is new fails, and the file holds no caption."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest
from conftest import Rows, ingest_rows, searching_for

from auditor.errors import SourceError, UsageError
from auditor.model import Gate
from auditor.result import Finding
from auditor.store.connection import Store
from auditor.studies.check.study import check
from auditor.studies.findings import baseline, findings

LISTED = ("dataset", "kind", "severity", "split", "image", "text", "other_image", "other_text")

REFUSAL, ADDRESS = "I cannot describe this image, sorry.", "see www.example.com for a dog"

ROWS: Rows = [*((f"{n}.jpg", 0, f"dog {n} runs over the grass") for n in range(20)), ("a.jpg", 0, REFUSAL)]


@pytest.fixture(autouse=True)
def _search_for_what_is_in_the_rows() -> Iterator[None]:
    with searching_for("refusals", "web-address", "common-openings", "captions-at-several-images"):
        yield


@pytest.fixture
def known(store: Store, tmp_path: Path) -> Path:
    """Accept what is found in the captions of today."""
    ingest_rows(store, ROWS)
    file = tmp_path / "known.json"
    made = findings(store, "set", known=file, write_baseline=True)
    assert made.found("refusals")
    assert made.holds is None
    return file


def test_known_findings_are_counted_and_not_listed(store: Store, known: Path) -> None:
    again = findings(store, "set", known=known, fail_on="info")
    assert (again.findings, again.frame.height, again.holds) == ((), 0, None)
    assert again.lead[0].startswith("No new problems found")
    assert any("known.json" in note and "are known" in note for note in again.notes)


def test_after_an_edit_only_new_findings_are_listed_and_fail(store: Store, known: Path) -> None:
    ingest_rows(store, [("a.jpg", 0, "a cat sleeps"), ("a.jpg", 1, REFUSAL), *ROWS[:20], ("b.jpg", 0, REFUSAL)])
    new = findings(store, "set", known=known, fail_on="warning")
    (refused,) = new.found("refusals")
    assert refused.sentence == "set: captions that refuse to describe the image: 1 of 23 (4.3%)"
    assert new.frame.filter(kind="refusals")["image"].to_list() == ["b.jpg"]
    assert new.holds is False


def test_findings_of_one_dataset_are_known_under_another_name(store: Store, known: Path) -> None:
    ingest_rows(store, [*ROWS, ("b.jpg", 0, REFUSAL)], "renamed")
    renamed = findings(store, "renamed", known=known)
    assert renamed.frame.filter(kind="refusals")["image"].to_list() == ["b.jpg"]
    assert findings(store, "set", "renamed", known=known).frame["dataset"].unique().to_list() == ["renamed"]


def test_a_row_is_known_as_often_as_it_was_listed(store: Store, known: Path) -> None:
    ingest_rows(store, [*ROWS, ("a.jpg", 1, REFUSAL)])
    assert findings(store, "set", known=known).frame.filter(kind="refusals").height == 1


def test_another_kind_of_a_known_caption_is_new(store: Store, known: Path) -> None:
    ingest_rows(store, [*ROWS, ("a.jpg", 1, ADDRESS)])
    assert {"web-address"} <= {finding.kind for finding in findings(store, "set", known=known).findings}


def test_gates_leave_out_known_findings(store: Store, known: Path) -> None:
    gate = Gate("set", ("findings", "refusals", "max"), 0, Path("datasets.toml"))

    def verdicts(file: Path | None) -> Counter[str]:
        return Counter(check(store, "set", gates=[gate], known=file).frame["verdict"].to_list())

    assert verdicts(None) == {"failed": 1}
    assert verdicts(known) == {"passed": 1}


def test_more_repeats_at_other_images_are_new_and_fail_their_gate(store: Store, tmp_path: Path) -> None:
    copied: Rows = [("1.jpg", 1, "a dog runs in the park"), ("2.jpg", 1, "a dog runs in the park")]
    file, kind = tmp_path / "known.json", "captions-at-several-images"
    gate = Gate("set", ("findings", kind, "max"), 0, Path("datasets.toml"))
    ingest_rows(store, [*ROWS, *copied])
    assert findings(store, "set", known=file, write_baseline=True).found(kind)
    assert not findings(store, "set", known=file).found(kind)
    assert check(store, "set", gates=[gate], known=file).frame["verdict"].to_list() == ["passed"]
    ingest_rows(store, [*ROWS, *copied, ("3.jpg", 1, "a dog runs in the park")])
    assert findings(store, "set", known=file).found(kind)
    assert check(store, "set", gates=[gate], known=file).frame["verdict"].to_list() == ["failed"]


def test_each_of_several_findings_of_a_kind_is_known(tmp_path: Path) -> None:
    file, empty = tmp_path / "known.json", pl.DataFrame(schema=dict.fromkeys(LISTED, pl.String))
    slots = [
        Finding("unlike-slot", "", {"dataset": "set", "slot": slot}, {"share": share}, 100, severity)
        for slot, share, severity in ((0, 0.1, "warning"), (1, 0.3, "info"))
    ]
    baseline.write(file, slots, empty)
    assert baseline.read(file).new(slots, empty, ())[0] == []
    more = Finding("unlike-slot", "", {"dataset": "set", "slot": 1}, {"share": 0.31}, 100, "info")
    assert baseline.read(file).new([slots[0], more], empty, ())[0] == [more]


def test_the_file_holds_no_caption_and_is_the_same_for_any_order(store: Store, known: Path) -> None:
    before = known.read_bytes()
    assert b"dog" not in before
    assert b"describe" not in before
    ingest_rows(store, ROWS[::-1])
    findings(store, "set", known=known, write_baseline=True)
    assert known.read_bytes() == before


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "no such file; --write-baseline makes it"),
        ("image,caption\n", "cannot be read"),
        ("[]", "not a file of known findings"),
        ('{"what": "known findings of auditor", "version": 1}', "damaged"),
    ],
)
def test_another_file_is_refused_and_never_replaced(
    content: str | None, said: str, store: Store, tmp_path: Path
) -> None:
    ingest_rows(store, ROWS)
    file = tmp_path / "other.json"
    if content is not None:
        file.write_text(content)
        with pytest.raises(SourceError, match=said):
            findings(store, "set", known=file, write_baseline=True)
        assert file.read_text() == content
    with pytest.raises(SourceError, match=said):
        findings(store, "set", known=file)


def test_an_unknown_severity_and_a_missing_name_have_one_line(store: Store, known: Path) -> None:
    content = json.loads(known.read_text())
    content["datasets"]["set"]["refusals"]["severity"] = "bad"
    known.write_text(json.dumps(content))
    with pytest.raises(SourceError, match="unknown severity bad"):
        findings(store, "set", known=known)
    with pytest.raises(UsageError, match="--write-baseline: only with --baseline"):
        findings(store, "set", write_baseline=True)


@searching_for("common-openings", "meta-sentences")
def test_a_finding_whose_parts_are_known_is_known(store: Store, tmp_path: Path) -> None:
    """A file from before `formulaic` was a finding has its parts alone."""
    rows = [(f"{n:03}", 0, f"The image shows a dog in the park at place {n}.") for n in range(100)]
    ingest_rows(store, rows, "model")
    known = tmp_path / "known.json"
    whole = findings(store, "model", captions_only=True, known=known, write_baseline=True)
    assert whole.found("formulaic")
    former = json.loads(known.read_text())
    del former["datasets"]["model"]["formulaic"]
    known.write_text(json.dumps(former))
    assert not findings(store, "model", captions_only=True, known=known).findings
