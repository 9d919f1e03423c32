"""What a pipeline says of texts: asked for once, kept part by part, whatever a kill or another writer leaves of it."""

from __future__ import annotations

import hashlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import polars as pl
import pytest
from conftest import ROOT, ingest_rows

from auditor.store import parses, upkeep
from auditor.store.captions import Captions
from auditor.store.connection import MEMORY, Store
from auditor.store.versions import resolve

ROWS = [("a", slot, f"caption number {slot}") for slot in range(7)]

WORDS = {"starts": [0], "lengths": [1], "tags": ["NN"], "heads": [0], "labels": ["ROOT"]}


class Pipeline:
    """Says the same of every text, backwards, and remembers what it was asked; ends the process at a text."""

    def __init__(self, ends_at: str | None = None) -> None:
        self.asked: list[str] = []
        self.ends_at = ends_at

    def __call__(self, parts: Iterable[tuple[int, pl.Series]], texts: int) -> Iterator[tuple[int, pl.DataFrame]]:
        for number, part in reversed(list(parts)):
            if self.ends_at in part.to_list():
                os.kill(os.getpid(), signal.SIGKILL)
            self.asked += part.to_list()
            rows = {name: [value] * len(part) for name, value in WORDS.items()}
            none = dict.fromkeys(("lemmas", "chunk_starts", "chunk_ends"), pl.lit(None))
            yield number, pl.DataFrame(rows).with_columns(**none).cast(dict(list(parses._EMPTY.schema.items())[2:]))


@pytest.fixture(autouse=True)
def _small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parses, "TEXTS_AT_ONCE", 2)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "audit.duckdb"
    with Store.open(path, write=True) as store:
        ingest_rows(store, ROWS)
    return path


def parsed(store: Store, pipeline: Pipeline, label: str = "one") -> pl.DataFrame:
    """Ask for the parses of the dataset; give what relation `parse` then holds."""
    selection = resolve(store, "set")
    told = parses.provide(store, [selection], label, pipeline)
    at_work = Captions(store, selection, "bare").workspace()
    told.bind(at_work)
    return at_work.query("from parse order by caption_id")


def kept(path: Path) -> list[tuple[str, int]]:
    with Store.open(path) as store:
        return store.query("select pipeline, caption_id from cache.parse order by all").rows()


def test_a_text_is_asked_about_once_for_each_pipeline(path: Path) -> None:
    pipeline = Pipeline()
    with Store.open(path) as store:
        first = parsed(store, pipeline)
        assert parsed(store, pipeline).equals(first)  # while it waits
    with Store.open(path) as store:
        assert parsed(store, pipeline).equals(first)
    assert sorted(pipeline.asked) == sorted(text for _, _, text in ROWS)
    assert first["caption_id"].to_list() == [number for _, number in kept(path)]
    with Store.open(path) as store:
        parsed(store, pipeline, "two")
    assert len(pipeline.asked) == 2 * len(ROWS) == len(kept(path))
    assert not parses.folder_beside(path).exists()


def test_three_new_captions_are_three_texts_to_ask_about(path: Path) -> None:
    with Store.open(path) as store:
        parsed(store, Pipeline())
    changed = [*ROWS[:4], *(("a", slot, f"another {slot}") for slot in range(4, 7))]
    with Store.open(path, write=True) as store:
        ingest_rows(store, changed)
    pipeline = Pipeline()
    with Store.open(path) as store:
        parsed(store, pipeline)
    assert sorted(pipeline.asked) == ["another 4", "another 5", "another 6"]


@pytest.mark.parametrize("write", [False, True])
def test_a_kill_costs_the_part_at_work_alone(path: Path, write: bool) -> None:
    run = (
        "import sys; sys.path.insert(0, 'tests'); sys.path.insert(0, 'tests/store')\n"
        "from test_parses import Pipeline, parsed, parses\n"
        "from auditor.store.connection import Store\nfrom pathlib import Path\n"
        "parses.TEXTS_AT_ONCE = 2\n"
        f"with Store.open(Path(sys.argv[1]), write={write}) as store:\n"
        "    parsed(store, Pipeline('caption number 2'))\n"
    )
    done = subprocess.run([sys.executable, "-c", run, str(path)], cwd=ROOT, check=False)
    assert done.returncode == -signal.SIGKILL
    pipeline = Pipeline()
    with Store.open(path) as store:
        after = parsed(store, pipeline)
    assert sorted(pipeline.asked) == [f"caption number {slot}" for slot in range(4)]
    assert after.height == len(kept(path)) == len(ROWS)
    assert not parses.folder_beside(path).exists()


def test_parts_wait_where_another_holds_the_file_and_are_written_later(path: Path) -> None:
    from test_connection import held

    pipeline = Pipeline()
    store = Store.open(path)
    parsed(store, pipeline)
    with held(path, reading=True):
        store.close()
    assert kept(path) == []
    assert upkeep.size(path) > path.stat().st_size
    with Store.open(path) as again:
        parsed(again, pipeline)
    assert len(pipeline.asked) == len(ROWS) == len(kept(path))


def test_a_text_that_has_become_another_is_asked_about_again(path: Path) -> None:
    with Store.open(path) as store:
        parsed(store, Pipeline())
        files = list(parses.folder_beside(path).rglob("*.parquet"))
        waiting = {file: file.read_bytes() for file in files}
    path.unlink()
    with Store.open(path, write=True) as store:
        ingest_rows(store, [("a", 0, "caption number 6"), ("a", 1, "other")])
    for file, content in waiting.items():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
    pipeline = Pipeline()
    with Store.open(path) as store:
        assert parsed(store, pipeline).height == 2
    assert sorted(pipeline.asked) == ["caption number 6", "other"]


def test_a_store_in_memory_keeps_what_was_said(store: Store) -> None:
    assert store.path == MEMORY
    ingest_rows(store, ROWS)
    pipeline = Pipeline()
    assert parsed(store, pipeline).equals(parsed(store, pipeline))
    assert len(pipeline.asked) == len(ROWS)


def test_gc_forgets_texts_of_no_newest_version_and_everything_where_asked(path: Path) -> None:
    with Store.open(path) as store:
        parsed(store, Pipeline())
    with Store.open(path, write=True) as store:
        ingest_rows(store, ROWS[:5])
    with Store.open(path, write=True) as store:
        upkeep.sweep(store)
    assert len(kept(path)) == 5
    with Store.open(path, write=True) as store:
        upkeep.sweep(store, everything=True)
    assert kept(path) == []


def test_ranges_cover_all_texts_and_bind_theirs_alone(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parses, "_TEXTS_AT_WORK", 3)
    ingest_rows(store, ROWS)
    selection = resolve(store, "set")
    told = parses.provide(store, [selection], "one", Pipeline())
    at_work = Captions(store, selection, "bare").workspace()
    seen = []
    for first, last in parses.ranges(at_work):
        told.bind(at_work, first, last)
        seen.append(at_work.query("select caption_id from parse")["caption_id"].to_list())
    assert [len(one) for one in seen] == [3, 3, 1]
    assert sorted(number for numbers in seen for number in numbers) == [*range(1, 8)]


def test_what_waits_beside_the_file_and_is_no_part_is_passed_over(path: Path) -> None:
    """A folder of a stranger's store may hold anything."""
    label = "fake@1"
    folder = parses.folder_beside(path) / hashlib.sha256(label.encode()).hexdigest()[:12]
    folder.mkdir(parents=True)
    pl.DataFrame({"a": [1]}).write_parquet(folder / "columns.parquet")
    strange = parses._EMPTY.cast(dict.fromkeys(["caption_id", "text_hash"], pl.String))
    strange.write_parquet(folder / "types.parquet")
    (folder / "junk.parquet").write_bytes(b"PAR1")
    os.mkfifo(folder / "pipe.parquet")
    with Store.open(path) as store:
        assert parses._Waiting(store, label).rows().equals(parses._EMPTY)
