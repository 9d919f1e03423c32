"""What `--fix` changes: exactly what it lists, once; kinds without a fix stay and are reported."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import polars as pl
import pytest
from conftest import ingest_rows

from auditor.errors import UsageError
from auditor.result import Result
from auditor.store.connection import MEMORY, Store
from auditor.store.versions import content, resolve
from auditor.studies.export import export
from auditor.studies.export.repaired import FIXABLE, repaired
from auditor.studies.findings import findings
from auditor.studies.ingest import ingest

KEYS = ["image", "slot"]

pytestmark = pytest.mark.xdist_group("fix")  # one fix is read by several tests

#: Captions, what they become (null: left out), and the kinds of the changes.
REPAIRS = [
    ("A dog runs.", "A dog runs.", []),
    ("the image", "the image", []),
    ("The image shows a dog. Overall, the image conveys a sense of joy.", "A dog.", ["meta-sentences"]),
    ("the image shows a dog", "a dog", ["meta-sentences"]),
    ("Sure! Here is a caption: A cat sits.<|im_end|>", "A cat sits.", ["chat-tokens", "assistant-texts"]),
    ("**A boat** on  a lake.", "A boat on a lake.", ["markdown-or-json"]),
    ('```json\n{"caption": "A man at a cafÃ©"}\n```', "A man at a café", ["broken-characters", "markdown-or-json"]),
    ("USER: Describe it. ASSISTANT: Two men wait.", "Two men wait.", ["chat-tokens"]),
    ("I'm sorry, but I can't assist with that request.", None, ["refusals"]),
    ("Error 429: rate limit exceeded", None, ["api-errors"]),
    ("No caption available.", None, ["placeholders"]),
    ("Overall, the image captures the moment.", None, ["meta-sentences"]),
    (
        "A cat.\n\nAnswer: A cat sits.\n\n\nIt is red.",
        "A cat. A cat sits. It is red.",
        ["assistant-texts", "markdown-or-json"],
    ),
    ('"A red boat is at sea."', "A red boat is at sea.", ["markdown-or-json"]),
    ("A red room, creating a cozy atmosphere.", "A red room.", ["meta-sentences"]),
    ("Describe the image in one sentence.", "Describe the image in one sentence.", []),
    ("bubbles bubbles bubbles", "bubbles bubbles bubbles", []),
    ("A red cat sits.<|im_end|> a red cat sits", "A red cat sits.", ["chat-tokens", "repeated-words"]),
]


def rows_of(texts: list[str]) -> list[tuple[str, int, str]]:
    return [(f"{place:02}.jpg", 0, text) for place, text in enumerate(texts)]


class Fixed(NamedTuple):
    """A store whose captions are those of `REPAIRS`, what a dry run gave, what a fix gave, and the file it wrote."""

    store: Store
    dry: Result
    wet: Result
    file: Path


@pytest.fixture(scope="module")
def fixed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fixed]:
    file = tmp_path_factory.mktemp("fixed") / "x.csv"
    with Store.open(MEMORY) as store:
        ingest_rows(store, rows_of([text for text, _, _ in REPAIRS]), kind="candidates")
        dry = export(store, "set", file, fix=["all"], dry_run=True)
        assert list(file.parent.iterdir()) == []
        wet = export(store, "set", file, fix=["all"])
        ingest(store, "clean", files=[file], slot_col="slot", kind="candidates")
        yield Fixed(store, dry, wet, file)


@pytest.fixture
def _reporting_few_kinds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Search for few kinds in what is left, where a test reads what has changed."""
    monkeypatch.setattr("auditor.studies.export.repaired._REPORTED", ("prompt-leaks", "markup"))


def test_each_caption_is_repaired_as_its_kinds_and_no_other_changes(fixed: Fixed) -> None:
    after = dict(pl.read_csv(fixed.file).select("image", "caption").iter_rows())
    assert [after.get(f"{place:02}.jpg") for place in range(len(REPAIRS))] == [made for _, made, _ in REPAIRS]
    changes = fixed.dry.frame
    kinds = {image: rows["kind"].to_list() for (image,), rows in changes.group_by("image", maintain_order=True)}
    assert [kinds.get(f"{place:02}.jpg", []) for place in range(len(REPAIRS))] == [named for _, _, named in REPAIRS]


def test_kinds_without_a_fix_are_left_and_reported(fixed: Fixed) -> None:
    assert any(
        "not fixed in set: " in note and "loops 1" in note and "prompt-leaks 1" in note for note in fixed.wet.notes
    )


@pytest.mark.usefixtures("_reporting_few_kinds")
def test_a_caption_with_further_questions_stays_as_it_was_and_is_reported(store: Store) -> None:
    asked = "**A cat.**\n\nQuestion 1: Is it red?\nAnswer: No."
    ingest_rows(store, rows_of([asked, "**A dog.**"]), kind="candidates")
    result = repaired(store, resolve(store, "set"), ["all"], None)
    assert result.captions["text"].to_list() == [asked, "A dog."]
    assert "prompt-leaks" in result.left["kind"]


@pytest.mark.usefixtures("_reporting_few_kinds")
def test_repeats_within_an_image_are_left_out_after_the_repair(store: Store) -> None:
    rows = [("a", 0, "A dog runs."), ("a", 1, "The image shows a dog runs."), ("b", 0, "A dog runs.")]
    ingest_rows(store, rows)
    result = repaired(store, resolve(store, "set"), ["all", "padded-images"], None)
    assert result.captions.select(*KEYS).rows() == [("a", 0), ("b", 0)]
    assert result.changes["kind"].to_list() == ["meta-sentences", "padded-images"]


@pytest.mark.usefixtures("_reporting_few_kinds")
def test_only_the_kinds_that_are_named_are_fixed(store: Store) -> None:
    ingest_rows(store, [("a", 0, "The image shows a dog.<|im_end|>"), ("b", 0, "N/A")])
    result = repaired(store, resolve(store, "set"), ["chat-tokens"], None)
    assert result.captions["text"].to_list() == ["The image shows a dog.", "N/A"]


def test_a_dry_run_lists_the_changes_that_a_fix_writes(fixed: Fixed) -> None:
    written = pl.read_csv(fixed.file.with_name("x.changes.csv"))
    assert (
        fixed.dry.frame.select("image", "kind", "before", "after").rows()
        == written.select("image", "kind", "before", "after").rows()
    )


def test_ingest_and_diff_show_exactly_the_changes(fixed: Fixed) -> None:
    before, after = (content(fixed.store, resolve(fixed.store, name)) for name in ("set", "clean"))
    differs = before.join(after, on=[*KEYS, "text"], how="anti").sort(KEYS)
    assert differs.select(KEYS).rows() == fixed.dry.frame.select(KEYS).unique().sort(KEYS).rows()


@pytest.mark.usefixtures("_reporting_few_kinds")
def test_a_second_fix_changes_nothing(fixed: Fixed) -> None:
    assert repaired(fixed.store, resolve(fixed.store, "clean"), ["all"], None).changes.is_empty()


def test_after_a_fix_no_kind_with_a_fix_is_found(fixed: Fixed) -> None:
    assert not findings(fixed.store, "clean", kinds=FIXABLE, captions_only=True).findings


@pytest.mark.parametrize(
    ("kind", "why"), [("loops", "this kind has no safe fix"), ("nonsense", "unknown kind; expected all, ")]
)
def test_a_kind_without_a_fix_is_refused(store: Store, tmp_path: Path, kind: str, why: str) -> None:
    ingest_rows(store, [("a", 0, "a dog")])
    with pytest.raises(UsageError, match=why):
        export(store, "set", tmp_path / "x.csv", fix=[kind])


def test_a_dry_run_without_a_fix_is_refused(store: Store, tmp_path: Path) -> None:
    ingest_rows(store, [("a", 0, "a dog")])
    with pytest.raises(UsageError, match="--dry-run: only with --fix"):
        export(store, "set", tmp_path / "x.csv", dry_run=True)


def test_captions_with_a_frequent_opening_are_left_out_only_by_its_name(store: Store, tmp_path: Path) -> None:
    ingest_rows(store, rows_of([f"The image shows {place} dogs." for place in range(10)]))
    export(store, "set", tmp_path / "all.csv", without=["warning"])
    assert pl.read_csv(tmp_path / "all.csv").height == 10
    with pytest.raises(UsageError, match="findings list every caption"):
        export(store, "set", tmp_path / "none.csv", without=["common-openings"])
