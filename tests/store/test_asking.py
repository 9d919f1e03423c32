"""Statements of users end, stay within bounds, and their values reach every format."""

from __future__ import annotations

import datetime
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import polars as pl
import pytest
from conftest import ingest_rows
from sizes import some

from auditor.errors import SqlError
from auditor.files import rows as row_files
from auditor.reports import TEXT_FORMATS
from auditor.reports.rows import TEXTS
from auditor.result import Result
from auditor.store.connection import MEMORY, Store
from auditor.store.engine import engine_errors
from auditor.store.readonly_sql import Limits, ask, stream

#: Statements that none but a time limit or a person ends.
ENDLESS = [
    "select sleep_ms(600000)",
    "select count(distinct hash(range)) from range(100000000000)",
    "select count(*) from range(1000000) a, range(1000000) b where a.range + b.range = -1",
]

#: One call of a function, which the engine does not interrupt.
DEAF = "select levenshtein(repeat('a', 100000), repeat('b', 100000))"


@pytest.mark.parametrize("statement", ENDLESS)
def test_statement_ends_with_its_time(store: Store, statement: str) -> None:
    with pytest.raises(SqlError, match=r"longer than 0\.3 s"):  # or the test takes longer than any may
        ask(store, statement, {}, Limits(seconds=0.3))
    assert ask(store, "select 1", {}).item() == 1, "the connection goes on"


@pytest.fixture
def filled(tmp_path: Path) -> Path:
    with Store.open(tmp_path / "audit.duckdb", write=True) as store:
        ingest_rows(store, [("a", 0, "a dog"), ("a", 1, "a cat")])
    return tmp_path / "audit.duckdb"


def start(path: Path, *arguments: str, **environment: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "auditor", "sql", *arguments, "--store", str(path)]
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, **environment}
    )


def test_statement_that_is_deaf_to_the_engine_ends_with_its_time(filled: Path) -> None:
    done = start(filled, DEAF, "--timeout", "0.5")
    _, err = done.communicate(timeout=60)
    assert (done.returncode, err) == (
        5,
        "error: the statement took longer than 0.5 s and was stopped; raise --timeout\n",
    )


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.parametrize("statement", [ENDLESS[0], DEAF, "from range(1000000000000)"])
def test_interruption_ends_every_statement(filled: Path, statement: str) -> None:
    running = start(filled, statement, "--format", "csv")
    if statement.startswith("from"):
        assert running.stdout is not None
        running.stdout.read(1)
    else:
        time.sleep(8 if "CI" in os.environ else 4)
    running.send_signal(signal.SIGINT)
    _, err = running.communicate(timeout=60)
    assert (running.returncode, err) == (130, "interrupted; the store is intact\n")


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="this system does not tell the memory of a process")
@pytest.mark.parametrize(
    "statement",
    [
        "select printf('%2147483647d', 1)",
        "select repeat('x', 1000000) from range(1000000)",
        "select range(0, 1000000000)",
    ],
)
def test_long_values_count_as_memory(filled: Path, statement: str) -> None:
    done = start(filled, statement, "--format", "csv", AUDITOR_MEMORY="100MB")
    _, err = done.communicate(timeout=120)
    assert done.returncode == 5
    assert "memory" in err.lower() or "AUDITOR_MEMORY" in err
    assert err.count("\n") == 1


def test_engine_out_of_memory_is_no_fault_of_the_store(filled: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AUDITOR_MEMORY", "20MB")
    heavy = "select list(range) from range(10000000)"
    with Store.open(filled) as store:
        with pytest.raises(SqlError, match="AUDITOR_MEMORY") as refused:
            ask(store, heavy, {})
        assert refused.value.exit_code == 5
        with pytest.raises(SqlError, match="raise --memory, or AUDITOR_MEMORY") as told:
            store.query(heavy)
        assert told.value.exit_code == 5


def test_rows_are_written_as_they_come(store: Store) -> None:
    """A hundred million rows are never held: reading stops after the first of them."""

    def first(batches: Iterator[pl.DataFrame]) -> pl.DataFrame:
        return next(batches)

    for _ in some(range(40), 10):  # Polars kept the connection busy once in twenty times
        rows = stream(store, "select range as n, 'x' || range as text from range(100000000)", {}, Limits(), first)
        assert rows.columns == ["n", "text"]
        assert 0 < rows.height < 1_000_000
        assert ask(store, "select 1", {}).item() == 1


def test_rows_to_be_shown_are_limited(store: Store) -> None:
    assert ask(store, "from range(1000)", {}, Limits(rows=1000)).height == 1000
    with pytest.raises(SqlError, match="more than 1,000 rows"):
        ask(store, "from range(1000000000)", {}, Limits(rows=1000))
    assert ask(store, "select 1", {}).item() == 1


def test_order_is_kept_in_rows_that_come_one_by_one(store: Store) -> None:
    ordered = "select range as a, range as a from range(200000) order by hash(range)"
    expected = store.query("select range as a from range(200000) order by hash(range)")["a"]
    assert ask(store, ordered, {})["a"].equals(expected)


SHOWN = {
    "select 'infinity'::date as v": "infinity",
    "select '-infinity'::timestamp as v": "-infinity",
    "select 'infinity'::timestamptz as v": "infinity",
    "select timestamp '294247-01-10' as v": "294247-01-10 00:00:00",
    "select time '24:00:00' as v": "24:00:00",
    "select [date '2020-01-01', 'infinity'::date] as v": "[2020-01-01, infinity]",
}


@pytest.mark.parametrize("statement", SHOWN)
def test_values_that_only_the_engine_has_are_shown_as_text(store: Store, statement: str) -> None:
    assert ask(store, statement, {}).to_dicts() == [{"v": SHOWN[statement]}]


def test_one_infinity_makes_texts_of_its_column(store: Store) -> None:
    values = "values (date '2020-01-02'), ('infinity'), (null)"
    assert ask(store, values, {}).to_series().to_list() == ["2020-01-02", "infinity", None]
    finite = "values (date '2020-01-02'), (null)"
    assert ask(store, finite, {}).to_series().to_list() == [datetime.date(2020, 1, 2), None]


@pytest.mark.parametrize("chosen", ["csv", "json", "parquet"])
@pytest.mark.parametrize(
    "statement",
    [
        "from test_all_types()",
        "select timestamp '2020-01-02 03:04:05' as t, timestamptz '2020-01-02 03:04:05+00' as z, date '2020-01-02' as d",
        "select range as n, 'é' || range as text, [range] as l from range(70000) order by range",
        "from captions where false",
        'select 1 as a, 2 as a, 3 as a_2, 4 as A, 5 as "é\n"',
    ],
)
def test_rows_one_by_one_make_the_same_text_as_at_once(store: Store, statement: str, chosen: str) -> None:
    whole = Result("sql", ask(store, statement, {}))
    if chosen == "parquet":
        file = BytesIO()
        stream(store, statement, {}, Limits(), lambda batches: row_files.parquet(batches, file))
        file.seek(0)
        assert pl.read_parquet(file).equals(whole.frame)
        return
    pieces = stream(store, statement, {}, Limits(), lambda batches: "".join(TEXTS[chosen]("sql", batches)))
    assert pieces == TEXT_FORMATS[chosen](whole)
    if chosen == "json":
        assert len(json.loads(pieces)["auditor.sql/v3"]["rows"]) == whole.frame.height


def test_parquet_says_which_column_it_cannot_hold(store: Store) -> None:
    later = "select if(range = 69999, 'infinity', date '2020-01-01') as d from range(70000) order by range"
    with pytest.raises(SqlError, match="d: has dates or times"):
        stream(store, later, {}, Limits(), lambda batches: row_files.parquet(batches, BytesIO()))


@pytest.mark.parametrize(
    ("statement", "names"),
    [
        ("select 1 as a, 2 as a, 3 as a_2", ["a", "a_3", "a_2"]),
        ("select 1 as a, 2 as a, 3 as a", ["a", "a_2", "a_3"]),
        ("select 1 as a, 2 as A, 3 as b", ["a", "A", "b"]),
        ("select 1 as a_2, 2 as a, 3 as a", ["a_2", "a", "a_3"]),
    ],
)
def test_columns_of_one_name_are_numbered_past_the_others(store: Store, statement: str, names: list[str]) -> None:
    assert ask(store, statement, {}).columns == names


def test_panic_of_the_frame_is_an_error_of_the_statement() -> None:
    with pytest.raises(SqlError, match="cannot be shown"), engine_errors(MEMORY, of_user=True):
        raise pl.exceptions.PanicException("no such day")
