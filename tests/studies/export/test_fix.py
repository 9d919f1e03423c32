"""What `--fix` changes: exactly what it lists, once; kinds without a fix stay and are reported."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from conftest import ingest_rows

from auditor.errors import UsageError
from auditor.store.connection import Store
from auditor.store.versions import content, resolve
from auditor.studies.export import export
from auditor.studies.export.repaired import DROPPED, MENDED, repaired
from auditor.studies.findings import findings
from auditor.studies.ingest import ingest

KEYS = ["image", "slot"]

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


def test_each_caption_is_repaired_as_its_kinds_and_no_other_changes(store: Store) -> None:
    ingest_rows(store, rows_of([text for text, _, _ in REPAIRS]), kind="candidates")
    result = repaired(store, resolve(store, "set"), ["all"], None)
    after = dict(result.captions.select("image", "text").iter_rows())
    assert [after.get(f"{place:02}.jpg") for place in range(len(REPAIRS))] == [made for _, made, _ in REPAIRS]
    kinds = {image: rows["kind"].to_list() for (image,), rows in result.changes.group_by("image", maintain_order=True)}
    assert [kinds.get(f"{place:02}.jpg", []) for place in range(len(REPAIRS))] == [named for _, _, named in REPAIRS]


def test_kinds_without_a_fix_are_left_and_reported(store: Store, tmp_path: Path) -> None:
    ingest_rows(store, rows_of([text for text, _, _ in REPAIRS]), kind="candidates")
    notes = export(store, "set", tmp_path / "x.csv", fix=["all"]).notes
    assert any("not fixed in set: " in note and "loops 1" in note and "prompt-leaks 1" in note for note in notes)


def test_a_caption_with_further_questions_stays_as_it_was_and_is_reported(store: Store) -> None:
    asked = "**A cat.**\n\nQuestion 1: Is it red?\nAnswer: No."
    ingest_rows(store, rows_of([asked, "**A dog.**"]), kind="candidates")
    result = repaired(store, resolve(store, "set"), ["all"], None)
    assert result.captions["text"].to_list() == [asked, "A dog."]
    assert "prompt-leaks" in result.left["kind"]


def test_repeats_within_an_image_are_left_out_after_the_repair(store: Store) -> None:
    rows = [("a", 0, "A dog runs."), ("a", 1, "The image shows a dog runs."), ("b", 0, "A dog runs.")]
    ingest_rows(store, rows)
    result = repaired(store, resolve(store, "set"), ["all", "padded-images"], None)
    assert result.captions.select(*KEYS).rows() == [("a", 0), ("b", 0)]
    assert result.changes["kind"].to_list() == ["meta-sentences", "padded-images"]


def test_only_the_kinds_that_are_named_are_fixed(store: Store) -> None:
    ingest_rows(store, [("a", 0, "The image shows a dog.<|im_end|>"), ("b", 0, "N/A")])
    result = repaired(store, resolve(store, "set"), ["chat-tokens"], None)
    assert result.captions["text"].to_list() == ["The image shows a dog.", "N/A"]


def test_a_dry_run_lists_the_changes_and_writes_nothing(store: Store, tmp_path: Path) -> None:
    ingest_rows(store, rows_of([text for text, _, _ in REPAIRS]), kind="candidates")
    dry = export(store, "set", tmp_path / "x.csv", fix=["all"], dry_run=True).frame
    assert list(tmp_path.iterdir()) == []
    export(store, "set", tmp_path / "x.csv", fix=["all"])
    written = pl.read_csv(tmp_path / "x.changes.csv")
    assert (
        dry.select("image", "kind", "before", "after").rows()
        == written.select("image", "kind", "before", "after").rows()
    )


def test_ingest_and_diff_show_exactly_the_changes(store: Store, tmp_path: Path) -> None:
    ingest_rows(store, rows_of([text for text, _, _ in REPAIRS]), kind="candidates")
    before = content(store, resolve(store, "set"))
    changes = export(store, "set", tmp_path / "x.csv", fix=["all"], dry_run=True).frame
    export(store, "set", tmp_path / "x.csv", fix=["all"])
    ingest(store, "set", files=[tmp_path / "x.csv"], slot_col="slot", kind="candidates")
    after = content(store, resolve(store, "set"))
    differs = before.join(after, on=[*KEYS, "text"], how="anti").sort(KEYS)
    assert differs.select(KEYS).rows() == changes.select(KEYS).unique().sort(KEYS).rows()


def test_a_second_fix_changes_nothing(store: Store, tmp_path: Path) -> None:
    ingest_rows(store, rows_of([text for text, _, _ in REPAIRS]), kind="candidates")
    export(store, "set", tmp_path / "x.csv", fix=["all"])
    ingest(store, "clean", files=[tmp_path / "x.csv"], slot_col="slot", kind="candidates")
    assert repaired(store, resolve(store, "clean"), ["all"], None).changes.is_empty()


def test_after_a_fix_no_kind_with_a_fix_is_found(store: Store, tmp_path: Path) -> None:
    ingest_rows(store, rows_of([text for text, _, _ in REPAIRS]), kind="candidates")
    export(store, "set", tmp_path / "x.csv", fix=["all"])
    ingest(store, "clean", files=[tmp_path / "x.csv"], slot_col="slot", kind="candidates")
    found = {one.kind for one in findings(store, "clean", captions_only=True).findings}
    assert found & {*MENDED, *DROPPED} == set()


@pytest.mark.parametrize(
    ("kind", "why"), [("loops", "this kind has no safe fix"), ("nonsense", "unknown kind; expected all, or one of")]
)
def test_a_kind_without_a_fix_is_refused(store: Store, tmp_path: Path, kind: str, why: str) -> None:
    ingest_rows(store, [("a", 0, "a dog")])
    with pytest.raises(UsageError, match=why):
        export(store, "set", tmp_path / "x.csv", fix=[kind])


def test_a_dry_run_without_a_fix_is_refused(store: Store, tmp_path: Path) -> None:
    ingest_rows(store, [("a", 0, "a dog")])
    with pytest.raises(UsageError, match="--dry-run lists the changes of --fix"):
        export(store, "set", tmp_path / "x.csv", dry_run=True)


def test_captions_with_a_frequent_opening_are_left_out_only_by_its_name(store: Store, tmp_path: Path) -> None:
    ingest_rows(store, rows_of([f"The image shows {place} dogs." for place in range(10)]))
    export(store, "set", tmp_path / "all.csv", without=["warning"])
    assert pl.read_csv(tmp_path / "all.csv").height == 10
    with pytest.raises(UsageError, match="findings list every caption"):
        export(store, "set", tmp_path / "none.csv", without=["common-openings"])
