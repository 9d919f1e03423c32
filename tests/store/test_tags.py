"""Tags name versions and never hide one; notes say what a version is for."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import ingest_rows

from auditor.errors import StoreError, UsageError
from auditor.store import verification, versions
from auditor.store.connection import MEMORY, Store
from auditor.studies.versions.history import datasets
from auditor.studies.versions.tags import tag

ROWS = [("a", 0, "a dog runs"), ("a", 1, "a dog runs"), ("b", 0, "un café")]


def fill(store: Store) -> Store:
    """Two versions of one dataset, and a second dataset."""
    ingest_rows(store, ROWS, splits={"test": ["b"]}, note="as received")
    ingest_rows(store, ROWS[:2])
    ingest_rows(store, ROWS, dataset="other")
    return store


@pytest.fixture
def two(store: Store) -> Store:
    return fill(store)


@pytest.fixture(scope="module")
def untagged() -> Iterator[Store]:
    """For what changes nothing."""
    with Store.open(MEMORY) as store:
        yield fill(store)


def test_tag_names_a_version(two: Store) -> None:
    assert tag(two, "set@v1", "camera-ready").frame["status"].item() == "new"
    assert versions.resolve(two, "set@camera-ready").version.seq == 1
    selection = versions.resolve(two, "set@camera-ready:test")
    assert (selection.version.seq, selection.split) == (1, "test")


def test_tag_without_a_version_names_the_newest_and_stays_there(two: Store) -> None:
    tag(two, "set", "newest")
    ingest_rows(two, ROWS[:1])
    assert versions.resolve(two, "set@newest").version.seq == 2


def test_tag_is_moved_only_by_force(two: Store) -> None:
    tag(two, "set@v1", "best")
    with pytest.raises(UsageError, match="set@best is already set@v1; --force moves the tag"):
        tag(two, "set@v2", "best")
    assert versions.resolve(two, "set@best").version.seq == 1
    assert tag(two, "set@v2", "best", force=True).frame["status"].item() == "moved from v1"
    assert versions.resolve(two, "set@best").version.seq == 2
    assert tag(two, "set@v2", "best").frame["status"].item() == "unchanged"


def test_deleted_tag_names_nothing(two: Store) -> None:
    tag(two, "set@v1", "best")
    assert tag(two, "set", "best", delete=True).frame.select("seq", "status").row(0) == (1, "deleted")
    with pytest.raises(UsageError, match="no such version"):
        versions.resolve(two, "set@best")
    with pytest.raises(UsageError, match="set has no tag best"):
        tag(two, "set", "best", delete=True)


def test_delete_of_a_tag_that_names_another_version_is_refused(two: Store) -> None:
    tag(two, "set@v1", "best")
    with pytest.raises(UsageError, match="set@best is set@v1, not @v2"):
        tag(two, "set@v2", "best", delete=True)
    tag(two, "set@best", "best", delete=True)
    assert versions.tags_of(two, "set") == {}


def test_tags_of_two_datasets_do_not_meet(two: Store) -> None:
    tag(two, "set@v1", "best")
    tag(two, "other", "best")
    assert versions.resolve(two, "other@best").version.dataset == "other"
    tag(two, "other", "best", delete=True)
    assert versions.tags_of(two, "set") == {"best": 1}


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("v1", "number or hash"),
        ("V12", "number or hash"),
        ("deadbeef", "number or hash"),
        ("ABC", "number or hash"),
        ("2026-05-01", "use a letter, then letters"),
        ("1st", "use a letter, then letters"),
        ("", "use a letter, then letters"),
        ("a:b", "use a letter, then letters"),
        ("a@b", "use a letter, then letters"),
        ("a b", "use a letter, then letters"),
        ("café", "use a letter, then letters"),
        ("best\n", "use a letter, then letters"),
    ],
)
def test_name_that_could_hide_a_version_is_refused(untagged: Store, name: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        tag(untagged, "set", name)
    assert versions.tags_of(untagged, "set") == {}


def test_tag_wins_over_a_hash_and_loses_to_numbers_and_dates(two: Store) -> None:
    """Whatever a store holds, however it came there, `@v1` and dates are what they say."""
    first = versions.resolve(two, "set@v1").version
    second = versions.resolve(two, "set@v2").version
    for name in ("v2", f"{first.created_at:%Y-%m-%d}", first.version[:8]):
        versions.set_tag(two, second if name == first.version[:8] else first, name)
    assert versions.resolve(two, "set@v2").version.seq == 2
    assert versions.resolve(two, f"set@{first.created_at:%Y-%m-%d}").version.seq == 2
    assert versions.resolve(two, f"set@{first.version[:8]}").version.seq == 2
    assert versions.resolve(two, f"set@{first.version[:9]}").version.seq == 1


def test_unknown_name_says_which_tags_there_are(two: Store) -> None:
    tag(two, "set@v1", "best")
    tag(two, "set@v1", "camera-ready")
    with pytest.raises(UsageError, match=r"there are @v2 .*; tags are best, camera-ready"):
        versions.resolve(two, "set@bset")


@pytest.mark.parametrize("ref", ["set:test", "set@v1:test"])
def test_split_has_neither_tag_nor_note(two: Store, ref: str) -> None:
    ingest_rows(two, ROWS, splits={"test": ["b"]})
    with pytest.raises(UsageError, match="leave out :test"):
        tag(two, ref, "best")
    with pytest.raises(UsageError, match="leave out :test"):
        tag(two, ref, note="hard ones")


def test_log_shows_tags_and_notes(two: Store) -> None:
    tag(two, "set@v1", "second")
    tag(two, "set@v1", "first")
    tag(two, "set@v2", note="ünicode")
    frame = datasets(two, "set").frame
    assert frame.columns[-2:] == ["note", "tags"]
    assert frame.select("seq", "note", "tags").rows() == [(2, "ünicode", ""), (1, "as received", "first second")]
    assert "second" in datasets(two, "set").to_json()
    assert datasets(two, "set@first").frame.height == 2


def test_note_is_replaced_and_taken_away(two: Store) -> None:
    tag(two, "set@v1", note="once")
    before = versions.resolve(two, "set@v1").version
    assert tag(two, "set@v1", note="twice").frame["note"].item() == "twice"
    assert tag(two, "set@v1", note="").frame["note"].item() is None
    after = versions.resolve(two, "set@v1").version
    assert (after.version, after.created_at, after.note) == (before.version, before.created_at, None)
    assert verification.check(two)["faults"].sum() == 0


def test_note_must_be_utf8(two: Store) -> None:
    with pytest.raises(UsageError, match="not UTF-8"):
        tag(two, "set", note="bro\udcffken")


def test_tag_and_note_need_a_store_that_is_there(tmp_path: Path) -> None:
    path = tmp_path / "audit.duckdb"
    with Store.open(path, write=True) as store:
        ingest_rows(store, ROWS)
    with Store.open(path) as store, pytest.raises(StoreError, match="opened for reading"):
        tag(store, "set", "best")
