"""Versions: only content enters the hash; every state comes back; nothing is stored twice or lost."""

from __future__ import annotations

import hashlib
from pathlib import Path

import polars as pl
import pytest
from conftest import ingest_rows
from hypothesis import given, settings
from hypothesis import strategies as st

from auditor.errors import SourceError, UsageError
from auditor.model import Selection
from auditor.store import verification, versions
from auditor.store.connection import MEMORY, Store

ROWS = [("a", 0, "a dog runs"), ("a", 1, "the dog is running"), ("b", 0, "a cat"), ("b", 1, "a cat")]
SPLITS = {"train": ["a"], "test": ["b"]}

texts = st.text(st.characters(codec="utf-8"), min_size=1, max_size=12).filter(lambda text: text.strip(" \t\r\n"))
contents = st.dictionaries(
    st.tuples(st.sampled_from(["a", "b", "ü", "1:2"]), st.integers(0, 3)), texts, min_size=1, max_size=8
)


def hash_of(rows: list[tuple[str, int, str]], splits: dict[str, list[str]]) -> str:
    """The version hash, written again from its definition."""

    def sized(text: str) -> str:
        return f"{len(text.encode())}:{text}"

    split_of = {image: split for split, images in splits.items() for image in images}
    images: dict[str, list[str]] = {}
    for image, slot, text in sorted(rows, key=lambda row: (row[0].encode(), row[1])):
        split = sized(split_of[image]) if image in split_of else "-"
        images.setdefault(image, []).append(f"{slot};{split};{sized(text)}")
    digests = [
        hashlib.sha256("\n".join([sized(image), *lines]).encode()).hexdigest() for image, lines in images.items()
    ]
    return hashlib.sha256("".join(digests).encode()).hexdigest()


@given(contents)
@settings(max_examples=30)
def test_version_is_the_sha256_of_the_sorted_content(content: dict[tuple[str, int], str]) -> None:
    rows = [(image, slot, text) for (image, slot), text in content.items()]
    splits = {"train": ["a"], "t;-": ["1:2"]}
    with Store.open(MEMORY) as store:
        assert ingest_rows(store, rows, splits=splits).version.version == hash_of(rows, splits)


def test_row_order_keeps_version(store: Store) -> None:
    first = ingest_rows(store, ROWS, splits=SPLITS)
    again = ingest_rows(store, ROWS[::-1], splits=SPLITS)
    assert not again.is_new
    assert again.version == first.version


def test_split_changes_version(store: Store) -> None:
    first = ingest_rows(store, ROWS, splits=SPLITS)
    moved = ingest_rows(store, ROWS, splits={"train": ["a", "b"]})
    assert moved.is_new
    assert moved.version.version != first.version.version
    changes = versions.difference(store, Selection(first.version), Selection(moved.version))
    assert dict(changes.select("change", "captions").iter_rows())["moved to another split"] == 2


def test_twin_captions_are_two_captions(store: Store) -> None:
    made = ingest_rows(store, ROWS)
    assert made.version.captions == 4
    assert store.query("select count(*) from caption").item() == 3


def test_every_version_comes_back(store: Store) -> None:
    states = [ROWS, ROWS[:3], [*ROWS[:3], ("c", 0, "new")], ROWS]
    for state in states:
        ingest_rows(store, state)
    for seq, state in enumerate(states, 1):
        selection = versions.resolve(store, f"set@v{seq}")
        found = versions.content(store, selection).select("image", "slot", "text")
        assert sorted(found.iter_rows()) == sorted(state)
        assert versions.content_hash(store, selection)[0] == selection.version.version


def test_revert_has_a_new_number_and_the_old_hash(store: Store) -> None:
    first = ingest_rows(store, ROWS)
    ingest_rows(store, ROWS[:2])
    back = ingest_rows(store, ROWS)
    assert (back.version.seq, back.version.version) == (3, first.version.version)


def test_small_edit_adds_few_rows(store: Store) -> None:
    rows = [(f"image {number}", slot, f"caption {number} {slot}") for number in range(200) for slot in range(5)]
    ingest_rows(store, rows)
    edited = ingest_rows(store, [*rows[:-1], ("image 199", 4, "another caption")])
    assert (edited.added, edited.removed) == (1, 1)
    assert store.query("select count(*) from membership").item() == 1001


def test_ingesting_the_same_again_adds_nothing(store: Store) -> None:
    ingest_rows(store, [*ROWS, ("a", 0, "twice"), ("c", 0, " ")])
    tables = ("version", "caption", "membership", "caption_tokens", "vocabulary", "rejected", "cache.ngram_frequency")
    before = [store.query(f"select count(*) from {table}").item() for table in tables]
    again = ingest_rows(store, [*ROWS, ("a", 0, "twice"), ("c", 0, " ")])
    assert (again.is_new, again.added, again.removed) == (False, 0, 0)
    assert [store.query(f"select count(*) from {table}").item() for table in tables] == before


def test_refused_records_are_kept_with_line_and_reason(store: Store) -> None:
    made = ingest_rows(store, [*ROWS, ("a", 0, "twice"), ("c", 0, " \t")])
    kept = store.query("select line, reason, raw from rejected order by line").rows()
    assert kept == [(5, "duplicate key a#0, first at 1", "twice"), (6, "empty caption", " \t")]
    assert made.version.captions == 4


def test_empty_captions_of_a_system_are_kept(store: Store) -> None:
    made = ingest_rows(store, [("a", 0, ""), ("b", 0, "a cat")], kind="candidates")
    assert made.version.captions == 2
    assert made.rejected.is_empty()
    assert verification.check(store)["faults"].sum() == 0


def test_nothing_accepted_leaves_the_store_unchanged(store: Store) -> None:
    ingest_rows(store, ROWS)
    with pytest.raises(SourceError, match="all 2 records were refused"):
        ingest_rows(store, [("a", 0, ""), ("b", 0, " ")])
    assert len(versions.log(store, "set")) == 1
    assert store.query("select count(*) from rejected").item() == 0


def test_same_refusals_under_another_file_name_are_kept_once(store: Store) -> None:
    ingest_rows(store, [*ROWS, ("c", 0, "")])
    store.execute("update rejected set source = 'copy'")
    ingest_rows(store, [*ROWS, ("c", 0, "")])
    assert store.query("select count(*) from rejected").item() == 1


def test_unchanged_ingest_still_corrects_the_kind(store: Store) -> None:
    ingest_rows(store, ROWS)
    ingest_rows(store, ROWS, kind="candidates")
    assert versions.resolve(store, "set").version.kind == "candidates"


def test_split_lists_that_match_nothing_are_counted(store: Store) -> None:
    made = ingest_rows(store, ROWS, splits={"train": ["a.jpg", "b.jpg", "a"]})
    assert (made.listed_missing, made.unlisted) == (2, 1)


def test_image_in_two_splits_is_refused(store: Store) -> None:
    with pytest.raises(SourceError, match="image a is in split train already"):
        ingest_rows(store, ROWS, splits={"train": ["a", "b"], "test": ["a"]})
    assert not versions.log(store)


@pytest.mark.parametrize(
    ("ref", "seq", "split"),
    [("set", 2, None), ("set@v1", 1, None), ("set:test", 2, "test"), ("set@v1:train", 1, "train")],
)
def test_reference_names_version_and_split(store: Store, ref: str, seq: int, split: str | None) -> None:
    ingest_rows(store, ROWS, splits=SPLITS)
    ingest_rows(store, ROWS[:3], splits=SPLITS)
    selection = versions.resolve(store, ref)
    assert (selection.version.seq, selection.split) == (seq, split)


def test_reference_names_a_version_by_hash_and_by_date(store: Store) -> None:
    first = ingest_rows(store, ROWS).version
    second = ingest_rows(store, ROWS[:3]).version
    assert versions.resolve(store, f"set@{first.version[:8]}").version == first
    assert versions.resolve(store, f"set@{second.created_at:%Y-%m-%d}").version == second


@pytest.mark.parametrize(
    ("ref", "words"),
    [
        ("nope", "the store holds set"),
        ("set@v7", r"there are @v1"),
        ("set@1999-01-01", "no such version"),
        ("set:dev", "splits are test, train"),
        ("set@2026-02-30", "is no date"),
        ("set@9999-12-31", "is no date"),
        ("", "expected NAME"),
    ],
)
def test_unknown_reference_says_what_there_is(store: Store, ref: str, words: str) -> None:
    ingest_rows(store, ROWS, splits=SPLITS)
    with pytest.raises(UsageError, match=words):
        versions.resolve(store, ref)


def test_verify_finds_damage(store: Store) -> None:
    ingest_rows(store, ROWS, splits=SPLITS)
    assert verification.check(store)["faults"].sum() == 0
    damages = [
        ("update caption set text = text || '!' where caption_id = 1", "hash and counts"),
        ("delete from caption_tokens where caption_id = 1", "every text has tokens"),
        ("delete from vocabulary where token_id = 1", "every token is a word"),
        ("insert into membership values ('set', 'a', 0, 99, null, 1, null)", "every place has a text"),
        ("insert into caption_tokens values (1, 'bare', [1])", "a text has tokens once"),
    ]
    for statement, check in damages:
        store.execute("begin transaction")
        store.execute(statement)
        found = verification.check(store).filter(pl.col("faults") > 0)["check"]
        store.execute("rollback")
        assert check in found.to_list()


def test_views_show_words_of_the_current_version(store: Store) -> None:
    ingest_rows(store, [("a", 0, "old words")])
    ingest_rows(store, [("a", 0, "a dog runs"), ("b", 0, "...")])
    tokens = store.query("select image, slot, profile, position, token from token order by position").rows()
    assert tokens == [("a", 0, "bare", place, word) for place, word in enumerate(["a", "dog", "runs"], 1)]
    grams = store.query("select n, position, gram from ngram order by n, position").rows()
    assert grams == [
        (1, 1, "a"),
        (1, 2, "dog"),
        (1, 3, "runs"),
        (2, 1, "a dog"),
        (2, 2, "dog runs"),
        (3, 1, "a dog runs"),
    ]


def test_ngram_frequency_counts_what_it_says(store: Store) -> None:
    version = ingest_rows(store, [("a", 0, "dog dog"), ("a", 1, "dog"), ("b", 0, "a dog runs on grass")]).version
    rows = store.query(
        "select gram, occurrences, captions, images from ngram_frequency where version = $version order by n, gram",
        {"version": version.version},
    )
    counts = {gram: (occurrences, captions, images) for gram, occurrences, captions, images in rows.iter_rows()}
    assert counts["dog"] == (4, 3, 2)
    assert counts["dog dog"] == (1, 1, 1)
    assert counts["a dog runs on"] == (1, 1, 1)
    assert len(counts) == 5 + 5 + 3 + 2


def test_store_on_disk_keeps_what_was_ingested(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "audit.duckdb"
    with Store.open(path, write=True) as store:
        made = ingest_rows(store, ROWS)
    with Store.open(path) as store:
        assert versions.log(store) == [made.version]


@given(st.lists(contents, min_size=2, max_size=5))
@settings(max_examples=20)
def test_every_state_of_a_random_history_comes_back_and_diff_tells_the_edits(
    states: list[dict[tuple[str, int], str]],
) -> None:
    with Store.open(MEMORY) as store:
        kept: list[dict[tuple[str, int], str]] = []
        for state in states:
            made = ingest_rows(store, [(image, slot, text) for (image, slot), text in state.items()])
            if made.is_new:
                kept.append(state)
        selections = [versions.resolve(store, f"set@v{seq}") for seq in range(1, len(kept) + 1)]
        for selection, state in zip(selections, kept, strict=True):
            rows = versions.content(store, selection).select("image", "slot", "text").rows()
            assert {(image, slot): text for image, slot, text in rows} == state
        for old, new, a, b in zip(kept, kept[1:], selections, selections[1:], strict=False):
            changes = versions.difference(store, a, b, "change").select("change", "image", "slot").rows()
            expected = {("removed", *place) for place in old.keys() - new.keys()}
            expected |= {("added", *place) for place in new.keys() - old.keys()}
            expected |= {("edited", *place) for place in old.keys() & new.keys() if old[place] != new[place]}
            assert set(changes) == expected
        assert verification.check(store)["faults"].sum() == 0
