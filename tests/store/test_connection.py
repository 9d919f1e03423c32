"""Opening a store: who may, who waits, what is refused, and what survives a kill."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb
import polars as pl
import pytest
from conftest import forget_results, ingest_rows

from auditor.errors import EngineFaultError, SqlError, StoreError, StoreLockedError
from auditor.scoring.registry import requests
from auditor.store import engine, verification, versions
from auditor.store.connection import MEMORY, Store
from auditor.store.engine import engine_errors
from auditor.store.readonly_sql import ask
from auditor.studies.bounds.study import bounds

ROWS = [("a", 0, "a dog runs"), ("a", 1, "the dog is running"), ("b", 0, "a cat"), ("b", 1, "a cat sits")]
BOUNDS = ["human", "intra"]
HOLDER = """
import sys, time, duckdb
connection = duckdb.connect(sys.argv[1], read_only="reading" in sys.argv)
print("held", flush=True)
time.sleep(60)
"""


@contextmanager
def held(path: Path, *, reading: bool = False) -> Iterator[subprocess.Popen[str]]:
    """Let another process hold the store."""
    command = [sys.executable, "-c", HOLDER, str(path), *(["reading"] if reading else [])]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        try:
            yield holder
        finally:
            holder.kill()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "audit.duckdb"
    with Store.open(path, write=True) as store:
        ingest_rows(store, ROWS)
    return path


def test_missing_store_is_named(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="no store here"):
        Store.open(tmp_path / "none.duckdb")
    assert not list(tmp_path.iterdir())


def test_foreign_duckdb_file_is_refused_and_untouched(tmp_path: Path) -> None:
    path = tmp_path / "other.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute("create table mine as select 1 as x").complete()
    before = path.read_bytes()
    for write in (False, True):
        with pytest.raises(StoreError, match="not made by auditor"):
            Store.open(path, write=write)
    assert path.read_bytes() == before


@pytest.mark.parametrize("content", ["empty file", "part of a header", "database without a table"])
def test_what_a_killed_first_ingest_leaves_is_a_new_store(tmp_path: Path, content: str) -> None:
    path = tmp_path / "audit.duckdb"
    if content == "empty file":
        path.touch()
    else:
        duckdb.connect(str(path)).close()
    if content == "part of a header":
        os.truncate(path, 5000)
    with pytest.raises(StoreError, match="nothing was ingested yet"):
        Store.open(path)
    assert path.exists()
    with Store.open(path, write=True) as store:
        ingest_rows(store, ROWS)
    with Store.open(path) as store:
        assert len(versions.log(store)) == 1


def test_store_that_another_process_is_just_making_is_not_taken_from_it(tmp_path: Path) -> None:
    path = tmp_path / "audit.duckdb"
    path.touch()
    made = tmp_path / "made.duckdb"
    with Store.open(made, write=True) as store:
        ingest_rows(store, ROWS)
    threading.Timer(0.3, lambda: path.write_bytes(made.read_bytes())).start()
    with Store.open(path, write=True) as store:
        assert len(versions.log(store)) == 1


def test_place_where_no_store_can_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match="a store cannot be made here"):
        Store.open(tmp_path / "file" / "audit.duckdb", write=True)


def test_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("not a database" * 1000)
    with pytest.raises(StoreError, match="cannot be opened as a store"):
        Store.open(path)


def test_short_file_of_another_kind_is_refused_and_untouched(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("not a database")
    for write in (False, True):
        with pytest.raises(StoreError, match="cannot be opened as a store"):
            Store.open(path, write=write)
    assert path.read_text() == "not a database"


@pytest.mark.parametrize("ending", [".wal", ".wal.checkpoint", ".tmp", ".partial", ".parses"])
def test_link_or_pipe_in_the_place_of_what_is_written_beside_a_store_is_refused(path: Path, ending: str) -> None:
    beside, victim = path.with_name(path.name + ending), path.with_name("victim")
    victim.write_text("mine")
    beside.symlink_to(victim)
    for write in (False, True):
        with pytest.raises(StoreError, match="a link or a pipe"):
            Store.open(path, write=write)
    assert victim.read_text() == "mine"
    beside.unlink()
    os.mkfifo(beside)
    with pytest.raises(StoreError, match="a link or a pipe"):
        Store.open(path)


def test_locked_store_is_waited_for_then_named(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []
    naps: list[float] = []
    sleep = time.sleep
    with held(path):
        monkeypatch.setattr(time, "sleep", lambda nap: (naps.append(nap), sleep(nap)))
        began = time.monotonic()
        with pytest.raises(StoreLockedError, match="another process is using the store"):
            Store.open(path, wait=0.5, narrate=told.append)
        assert time.monotonic() - began >= 0.5
    assert len(told) == 1
    assert max(naps) <= 0.2, "a store that is free again is noticed at once"


def test_store_opens_when_the_other_process_lets_go(path: Path) -> None:
    with held(path) as holder:
        threading.Timer(0.5, holder.terminate).start()
        with Store.open(path, wait=20) as store:
            assert len(versions.log(store)) == 1


def test_transaction_left_open_by_an_interrupt_ends_quietly_with_the_store(path: Path) -> None:
    store = Store.open(path, write=True)
    transaction = store.transaction()
    transaction.__enter__()
    store.execute("delete from membership")
    store.close()
    assert transaction.__exit__(KeyboardInterrupt, KeyboardInterrupt(), None) is False, "it goes on to the caller"
    with Store.open(path) as store:
        assert verification.check(store)["faults"].sum() == 0
        assert store.query("select count(*) from membership").item() == len(ROWS)


def test_interrupt_in_the_middle_of_a_commit_is_an_interrupt(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    class Interrupted:
        def execute(self, statement: duckdb.Statement, params: object) -> object:
            if statement.query == "commit":
                raise RuntimeError("Query interrupted")
            return real.execute(statement, params)

    real = store.connection
    monkeypatch.setattr(store, "_connection", Interrupted())
    with pytest.raises(KeyboardInterrupt), store.transaction():
        pass
    monkeypatch.setattr(store, "_connection", real)


def test_interrupt_while_rows_are_handed_over_is_an_interrupt(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    class Interrupted:
        def register(self, name: str, rows: object) -> None:
            raise RuntimeError("Query interrupted")

    real = store.connection
    monkeypatch.setattr(store, "_connection", Interrupted())
    with pytest.raises(KeyboardInterrupt), store.registered("made_outside", pl.DataFrame({"a": [1]})):
        pass
    monkeypatch.setattr(store, "_connection", real)


def test_reading_store_refuses_to_write(path: Path) -> None:
    with Store.open(path) as store, pytest.raises(StoreError, match="opened for reading"):
        ingest_rows(store, ROWS[:2])


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ('IO Error: Could not read enough bytes from file "{full}": attempted', StoreError),
        ('IO Error: Could not write file "{full}.wal": Input/output error', StoreError),
        ("got external error: Data Corruption Error: Corrupt database file: checksum", StoreError),
        ("TransactionContext Error: Failed to commit: Could not write", StoreError),
        ('IO Error: Could not write file "elsewhere": No space left on device', StoreError),
        ("INTERNAL Error: global dictionary column 0 changed identity", EngineFaultError),
        ('IO Error: No files found that match the pattern "nofile.csv"', SqlError),
        ('IO Error: Cannot open file "other.csv": Permission denied', SqlError),
    ],
)
@pytest.mark.parametrize("name", ["audit.duckdb", "link.duckdb"])
@pytest.mark.parametrize("raised", [duckdb.IOException, pl.exceptions.ComputeError])
def test_fault_of_the_store_is_told_from_one_of_a_statement(
    tmp_path: Path, raised: type[Exception], name: str, said: str, kind: type[Exception]
) -> None:
    """The engine names files in full, however the store was named."""
    path = tmp_path / "audit.duckdb"
    path.touch()
    Path("link.duckdb").symlink_to(path)
    with pytest.raises(kind) as told, engine_errors(Path(name)):
        raise raised(said.format(full=path))
    assert type(told.value) is kind


def joined(store: Store) -> int:
    """Join a small table with a large one, and read what comes of it twice: DuckDB 2.0.0 fails at it."""
    store.execute("create temp table large as select range as id, [range % 7, range % 5] as tokens from range(30000)")
    store.execute("create temp table small as select range as item, range * 7919 % 30000 as id from range(9)")
    counted = store.query(
        "with word as (select item, unnest(tokens) as token from small join large using (id))"
        " select count(*) from (from word union all from word where token is not null)"
    )
    return int(counted.item())


def test_small_join_that_is_read_twice_is_answered(path: Path) -> None:
    with Store.open(path) as store:
        assert joined(store) == 9 * 2 * 2


def test_fault_of_the_engine_is_told_from_damage_and_ends_no_reading(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object) -> object:
        raise duckdb.InternalException("INTERNAL Error: Attempted to access index 1 within vector of size 1")

    with Store.open(path) as store:
        with monkeypatch.context() as patched:
            patched.setattr(engine, "rows_of", fails)
            with pytest.raises(
                EngineFaultError, match="failed at a statement of auditor; the store is intact"
            ) as fault:
                joined(store)
        assert fault.value.exit_code == 5
        assert store.query("select count(*) from caption").item() == 4


#: A list of words is joined, spread by `unnest`, and joined again: with many words, DuckDB 2.0.0 fails at it, 2.0.1 does not.
SPREAD = """
    with named as (
        select w.object, t.tokens, v.token from worded as w
        join told as t using (text) join vocabulary as v on v.token_id = t.tokens[-1]
    ),
    spread as (select object, tokens, unnest([token, token || 's']) as token from named)
    select s.object, list_append(s.tokens, v.token_id) as tokens
    from spread as s join vocabulary as v using (token)
"""


def test_statement_that_the_engine_breaks_at_is_answered_by_a_read_and_by_an_insert(path: Path) -> None:
    with Store.open(path) as store:
        store.execute(
            "create temp table vocabulary as"
            " select range::uinteger as token_id, 'w' || range as token from range(1000000)"
        )
        store.execute(
            "create temp table told as"
            " select range as text, [range % 50, range * 7919 % 1000000]::uinteger[] as tokens from range(2000)"
        )
        store.execute("create temp table worded as select 'o' || (range % 80) as object, range as text from range(400)")
        read = store.query(SPREAD).sort("object", "tokens")
        store.execute(f"create temp table made as {SPREAD}")
        made = store.query("from made").sort("object", "tokens")
    expected = [(f"o{n % 80}", [n % 50, n * 7919, n * 7919]) for n in range(400) if n * 7919 < 1_000_000]
    assert read.equals(made)
    assert read.height == 400
    assert all(row in read.rows() for row in expected)


def test_error_in_the_middle_of_a_result_is_one_of_the_statement(path: Path) -> None:
    with Store.open(path) as store, pytest.raises(SqlError, match="Could not convert string"):
        store.query("select text::integer from caption")


def test_cache_may_be_dropped_without_loss(path: Path) -> None:
    with Store.open(path) as store:
        before = bounds(store, "set", metrics=["bleu-1", "cider"], candidates=BOUNDS).frame
    with duckdb.connect(str(path)) as connection:
        connection.execute("drop schema cache cascade").complete()
    with Store.open(path) as store:
        assert bounds(store, "set", metrics=["bleu-1", "cider"], candidates=BOUNDS).frame.equals(before)
    with Store.open(path) as store:
        assert ask(store, "select count(*) from ngram_frequency('set')", {}).item() > 0
        assert verification.check(store)["faults"].sum() == 0


def test_ngram_frequencies_are_there_when_the_cache_was_dropped(path: Path) -> None:
    with duckdb.connect(str(path)) as connection:
        connection.execute("drop schema cache cascade").complete()
    with Store.open(path, write=True) as store:
        assert not ingest_rows(store, ROWS).is_new
        assert ask(store, "select count(*) from ngram_frequency('set')", {}).item() > 0


def test_kept_counts_equal_fresh_ones(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Store.open(path) as store:
        fresh = bounds(store, "set", candidates=BOUNDS).frame
    with Store.open(path) as store:
        counted = {asked.counting for asked in requests(None)}
        kept = dict(
            store.query(
                "select relation = 'drawn_candidate', count(*) from cache.entry"
                " where relation not in ('score_list', 'script_count', 'study_result') group by all"
            ).iter_rows()
        )
        assert kept[False] == len(counted)  # those of the captions, not of substitutes
        assert kept[True] == len(BOUNDS) - 1
    forget_results(path)
    with Store.open(path) as store:
        monkeypatch.setattr("auditor.scoring.counting._count", lambda *_: pytest.fail("counted again"))
        assert bounds(store, "set", candidates=["human"]).frame.equals(fresh.filter(candidate="human"))


def test_counts_of_one_version_do_not_serve_another(path: Path) -> None:
    with Store.open(path) as store:
        first = bounds(store, "set", metrics=["bleu-1", "cider"], candidates=BOUNDS).frame
    with Store.open(path, write=True) as store:
        ingest_rows(store, [*ROWS[:3], ("b", 1, "a dog runs")])
    with Store.open(path) as store:
        assert (
            not bounds(store, "set", metrics=["bleu-1", "cider"], candidates=BOUNDS).frame["mean"].equals(first["mean"])
        )
        assert bounds(store, "set@v1", metrics=["bleu-1", "cider"], candidates=BOUNDS).frame.equals(first)


def test_cache_of_other_columns_starts_anew(path: Path) -> None:
    with Store.open(path) as store:
        expected = bounds(store, "set", metrics=["bleu-1", "cider"], candidates=BOUNDS).frame
    with duckdb.connect(str(path)) as connection:
        connection.execute("delete from cache.entry where relation <> 'bleu'").complete()
        connection.execute(
            "create or replace table cache.bleu as select key, 1 as old_column from cache.bleu"
        ).complete()
    for _ in range(2):
        with Store.open(path) as store:
            assert bounds(store, "set", metrics=["bleu-1", "cider"], candidates=BOUNDS).frame.equals(expected)


def test_counts_are_not_kept_while_another_reads(path: Path) -> None:
    """The scores come all the same, without a wait, and are counted again next time."""
    with held(path, reading=True), Store.open(path) as store:
        assert bounds(store, "set", metrics=["bleu-1", "cider"], candidates=BOUNDS).frame.height
    with Store.open(path) as store:
        assert store.query("select count(*) from cache.entry").item() == 0


def test_store_that_is_moved_away_while_it_is_read_is_not_made_anew(path: Path) -> None:
    with Store.open(path) as store:
        bounds(store, "set", metrics=["bleu-1"], candidates=["human"])
        assert store.on_close
        path.rename(path.with_name("away"))
    assert not path.exists()


def test_memory_store_is_empty_and_writable() -> None:
    with Store.open(MEMORY) as store:
        assert versions.log(store) == []
        assert store.writable


def test_memory_store_minds_no_file_of_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / f"{MEMORY}.wal").symlink_to(tmp_path / "elsewhere")
    with Store.open(MEMORY) as store:
        assert store.writable
