"""Versions: only content enters the hash; every state comes back; nothing is stored twice or lost."""

from __future__ import annotations

import hashlib
import json
import unicodedata
from pathlib import Path

import polars as pl
import pytest
from conftest import ingest_rows
from hypothesis import given
from hypothesis import strategies as st
from sizes import examples

import auditor
from auditor.errors import SourceError, UsageError
from auditor.model import Selection
from auditor.store import verification, versions
from auditor.store.connection import MEMORY, Store

ROWS = [("a", 0, "a dog runs"), ("a", 1, "the dog is running"), ("b", 0, "a cat"), ("b", 1, "a cat")]
SPLITS = {"train": ["a"], "test": ["b"]}


def is_visible(character: str) -> bool:
    return character not in "\t\n\f\r" and unicodedata.category(character) not in ("Zs", "Zl", "Zp", "Cf")


#: Captions of which something is seen; others are refused as empty.
texts = st.text(st.characters(codec="utf-8"), min_size=1, max_size=12).filter(lambda text: any(map(is_visible, text)))
contents = st.dictionaries(
    st.tuples(st.sampled_from(["a", "b", "ü", "1:2"]), st.integers(0, 3)), texts, min_size=1, max_size=8
)


Content = dict[tuple[str, int], str]
Splits = dict[str, str | None]


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


@given(st.lists(contents, min_size=4, max_size=8))
@examples(5)
def test_version_is_the_sha256_of_the_sorted_content(every: list[dict[tuple[str, int], str]]) -> None:
    splits = {"train": ["a"], "t;-": ["1:2"]}
    with Store.open(MEMORY) as store:
        for number, content in enumerate(every):
            rows = [(image, slot, text) for (image, slot), text in content.items()]
            made = ingest_rows(store, rows, f"set {number}", splits=splits)
            assert made.version.version == hash_of(rows, splits)


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
    with pytest.raises(SourceError, match="all 2 records were rejected"):
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
        ("set@2026-02-30", "is not a date"),
        ("set@9999-12-31", "is not a date"),
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
    tokens = store.query("select image, slot, tokenizer, position, token from token order by position").rows()
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


def test_store_on_disk_keeps_what_was_ingested(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "audit.duckdb"
    with Store.open(path, write=True) as store:
        made = ingest_rows(store, ROWS)
    with Store.open(path) as store:
        assert versions.log(store) == [made.version]


@st.composite
def edit_scripts(draw: st.DrawFn) -> list[tuple[Content, Splits]]:
    """Draw the states that a script leads through: a first one of 60 captions, then one after each round of edits."""
    content: Content = {(f"image {i}", slot): f"caption {i} {slot}" for i in range(20) for slot in range(3)}
    splits: Splits = {f"image {i}": ("train", "test", None)[i % 3] for i in range(20)}
    states = [(content, splits)]
    for _ in range(draw(st.integers(1, 3))):
        content, splits = dict(content), dict(splits)
        for edit in draw(st.lists(st.sampled_from(["add", "drop", "edit", "move", "revert"]), min_size=1, max_size=4)):
            place = draw(st.sampled_from(sorted(content)))
            if edit == "add":
                added = (draw(st.sampled_from([place[0], "ü", "1:2"])), draw(st.integers(3, 9)))
                content[added] = draw(texts)
                splits.setdefault(added[0], None)
            elif edit == "drop" and len(content) > 1:
                del content[place]
            elif edit == "edit":
                content[place] = draw(texts)
            elif edit == "move":
                splits[place[0]] = draw(st.sampled_from(["train", "test", "dev", None]))
            elif edit == "revert":
                content, splits = map(dict, draw(st.sampled_from(states)))
        states.append((content, splits))
    return states


def expected_changes(old: tuple[Content, Splits], new: tuple[Content, Splits]) -> set[tuple[object, ...]]:
    """Compare two states, place by place: (change, image, slot, old text, new text, old split, new split)."""
    changes: set[tuple[object, ...]] = set()
    for place in old[0].keys() | new[0].keys():
        was, now = ((text.get(place), splits.get(place[0]) if place in text else None) for text, splits in (old, new))
        told = (*place, was[0], now[0], was[1], now[1])
        if was[0] is None or now[0] is None:
            changes.add(("added" if was[0] is None else "removed", *told))
            continue
        if was[0] != now[0]:
            changes.add(("edited", *told))
        if was[1] != now[1]:
            changes.add(("moved to another split", *told))
    return changes


@given(edit_scripts())
@examples(6)
def test_every_state_of_a_script_comes_back_and_diff_is_the_script(states: list[tuple[Content, Splits]]) -> None:
    with Store.open(MEMORY) as store:
        kept: list[tuple[Content, Splits]] = []
        for content, splits in states:
            lists: dict[str, list[str]] = {}
            for image in sorted({image for image, _ in content}):
                if splits[image] is not None:
                    lists.setdefault(str(splits[image]), []).append(image)
            before = store.query("select count(*) from membership").item()
            made = ingest_rows(store, [(*place, text) for place, text in content.items()], splits=lists)
            changes = expected_changes(kept[-1], (content, splits)) if kept else set()
            assert made.is_new == (not kept or bool(changes))
            if not made.is_new:
                continue
            if kept:
                opened = {change[1:3] for change in changes if change[0] != "removed"}
                grown = store.query("select count(*) from membership").item() - before
                assert grown == made.added == len(opened), "rows grow with the edits, not with the set"
            kept.append((content, splits))
        selections = [versions.resolve(store, f"set@v{seq}") for seq in range(1, len(kept) + 1)]
        for selection, (content, splits) in zip(selections, kept, strict=True):
            rows = versions.content(store, selection).select("image", "slot", "text", "split").rows()
            assert {(image, slot): (text, split) for image, slot, text, split in rows} == {
                place: (text, splits[place[0]]) for place, text in content.items()
            }
            assert len(rows) == len(content)
        for old, new, a, b in zip(kept, kept[1:], selections, selections[1:], strict=False):
            told = versions.difference(store, a, b, "change").rows()
            assert set(told) == expected_changes(old, new)
            assert len(told) == len(set(told))
        assert verification.check(store)["faults"].sum() == 0


def test_json_from_two_stores_differs_only_where_it_says_volatile(tmp_path: Path) -> None:
    read = []
    for parts in ("ab", "ba"):
        for part in parts:
            rows = "".join(f"{part}{image},{slot},a dog {image} {slot}\n" for image in "xy" for slot in "01")
            (tmp_path / f"{part}.csv").write_text(f"image,slot,caption\n{rows}", encoding="utf-8")
        with auditor.Auditor(MEMORY, write=True) as audit:
            audit.ingest("parts", files=[tmp_path / f"{part}.csv" for part in parts], config={})
            result = audit.datasets("parts")
        assert {"created_at", "source_sha256"} <= {*result.frame.columns}
        read += json.loads(result.to_json()).values()
    (one,), (other,) = ([body.pop("volatile")] for body in read)
    assert read[0] == read[1]
    assert {*one["versions"][0]} == {"dataset", "seq", "split", "created_at", "source_sha256"}
    for of in ("versions", "rows"):
        assert one[of][0]["created_at"] != other[of][0]["created_at"]
        assert one[of][0]["source_sha256"] != other[of][0]["source_sha256"]
        assert not read[0][of][0].keys() & {"created_at", "source_sha256"}
