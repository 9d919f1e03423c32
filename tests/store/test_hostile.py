"""Hundreds of statements that mean no good, at every door: none reads or writes beyond the store, or changes it.

`hostile.toml` has them, by what they are after. A secret is in a file of the working folder, in the environment and in
variables of Python; the home folder is empty and stays so.
"""

from __future__ import annotations

import shutil
import time
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path

import duckdb
import pytest
from conftest import ingest_rows
from running import run_apart
from sizes import some

import auditor
from auditor.api import Auditor
from auditor.cli import app
from auditor.errors import AuditorError, SqlError, StoreError, UsageError
from auditor.model import Gate
from auditor.store import engine
from auditor.store.connection import MEMORY, Store
from auditor.store.readonly_sql import ask
from auditor.studies.check import statements as gates

HOSTILE: dict[str, list[str]] = tomllib.loads(Path(__file__).with_name("hostile.toml").read_text(encoding="utf-8"))

REFUSED = [statement for group in ("writing", "reading", "loading", "setting") for statement in HOSTILE[group]]

SECRET = "hunter2"

CAPTIONS = [("a", 0, "a dog"), ("a", 1, "a cat")]

Door = Callable[[Auditor, str], str]


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store, of which tests have copies."""
    path = tmp_path_factory.mktemp("filled") / "audit.duckdb"
    with Store.open(path, write=True) as store:
        ingest_rows(store, CAPTIONS)
    return path


@pytest.fixture
def folder(filled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A working folder with a store and a secret; what was in it, and an empty home, are as they were in the end."""
    home, work = tmp_path / "home", tmp_path / "work"
    home.mkdir()
    work.mkdir()
    (work / "secret.csv").write_text(f"a,b\n1,{SECRET}\n")
    shutil.copy2(filled, work)
    monkeypatch.chdir(work)
    for name in ("HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"):
        monkeypatch.setenv(name, str(home))
    monkeypatch.setenv("SECRET_TOKEN", SECRET)
    before = contents(work)
    yield work
    assert contents(work) == before
    assert list(home.iterdir()) == []


def contents(folder: Path) -> dict[str, bytes]:
    return {str(file): file.read_bytes() for file in sorted(folder.rglob("*")) if file.is_file()}


def by_library(audit: Auditor, statement: str) -> str:
    variable_of_python = frame_of_python = SECRET  # noqa: F841  what a statement must not find
    return str(audit.sql(statement, timeout=0.3, rows=1000).frame.rows())


def by_gate(audit: Auditor, statement: str) -> str:
    asked = Gate(None, ("sql", "hostile"), statement, Path("datasets.toml"))
    return str([one.rows.head(1000).rows() for one in gates.answers(audit.store, [asked], [], timeout=0.3)])


def answered(door: Door, audit: Auditor, statement: str) -> tuple[int, str]:
    """Give the exit code, and what was said."""
    try:
        return 0, door(audit, statement)
    except AuditorError as error:
        return error.exit_code, str(error)


def test_there_are_hundreds_of_them_and_none_twice() -> None:
    every = [statement for group in HOSTILE.values() for statement in group]
    assert len(every) == len(set(every)) > 400


def test_every_one_is_refused_by_the_library(folder: Path) -> None:
    with auditor.open(folder / "audit.duckdb") as audit:
        told = [(statement, *answered(by_library, audit, statement)) for statement in REFUSED]
    assert [one for one in told if one[1] != (5 if is_one(one[0]) else 2) or SECRET in one[2]] == []


def test_every_one_is_refused_in_a_gate(folder: Path) -> None:
    with auditor.open(folder / "audit.duckdb") as audit:
        told = [(statement, *answered(by_gate, audit, statement)) for statement in REFUSED]
    assert [one for one in told if one[1] != 5 or SECRET in one[2]] == []


def test_one_in_eight_is_refused_on_the_command_line(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    wrong = []
    for statement in REFUSED[::8]:
        with pytest.raises(SystemExit) as ended:
            app.main(["sql", "--format", "csv", "--", statement])
        out, err = capfd.readouterr()
        code = 5 if is_one(statement) else 2
        if ended.value.code != code or out or SECRET in err or not err.startswith("error: ") or err.count("\n") != 1:
            wrong.append((statement, ended.value.code, out, err))
    assert wrong == []


@pytest.mark.parametrize("place", ["writing", "in memory"])
def test_every_one_is_refused_by_a_store_that_may_be_written(folder: Path, place: str) -> None:
    variable_of_python = frame_of_python = SECRET  # noqa: F841
    facts = "select count(*), sum(hash(c)) from caption as c"
    copy = folder.parent / "copy.duckdb"
    copy.write_bytes((folder / "audit.duckdb").read_bytes())
    with Store.open(MEMORY) if place == "in memory" else Store.open(copy, write=True) as store:
        if place == "in memory":
            ingest_rows(store, CAPTIONS)
        held = store.query(facts).rows()
        for statement in REFUSED:
            with pytest.raises((SqlError, UsageError)) as refused:
                ask(store, statement, {})
            assert SECRET not in str(refused.value), statement
        assert store.query(facts).rows() == held


@pytest.mark.parametrize("door", [by_library, by_gate])
def test_what_looks_like_mischief_tells_no_secret(folder: Path, door: Door) -> None:
    with auditor.open(folder / "audit.duckdb") as audit:
        told = [(one, *answered(door, audit, one)) for one in HOSTILE["harmless"]]
    assert [one for one in told if SECRET in one[2]] == []


@pytest.mark.parametrize("door", [by_library, by_gate])
def test_what_would_not_end_is_ended(folder: Path, door: Door, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AUDITOR_MEMORY", "100MB")
    wrong = []
    for statement in some(HOSTILE["endless"], 4):
        with auditor.open(folder / "audit.duckdb") as audit:
            began = time.process_time()
            code, said = answered(door, audit, statement)
            if code != 5 or time.process_time() - began > 10:
                wrong.append((statement, code, said, time.process_time() - began))
    assert wrong == []


def test_store_whose_statement_does_not_end_says_so(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "_GRACE", 0.01)
    audit = auditor.open(folder / "audit.duckdb")
    with pytest.raises(SqlError, match="took longer"):
        audit.sql("select levenshtein(repeat('a', 15000), repeat('b', 15000))", timeout=0.01)
    with pytest.raises(StoreError, match="an earlier statement is still running"):
        audit.sql("select 1")
    while engine.is_running():
        time.sleep(0.05)
    audit.close()


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="this system does not tell the memory of a process")
@pytest.mark.parametrize("statement", some(HOSTILE["deaf"], 2))
def test_command_line_ends_what_the_engine_cannot(folder: Path, statement: str) -> None:
    done, peak = run_apart("sql", "--timeout", "0.5", "--format", "csv", "--", statement, AUDITOR_MEMORY="100MB")
    assert (done.returncode, done.stdout) == (5, "")
    assert done.stderr.count("\n") == 1
    assert peak < 2 << 30, "bytes, of which the program itself has some 120 million"


@pytest.mark.parametrize(
    "statement",
    some(
        [
            "with x as (copy (select 'pwn') to 'out') select * from x",
            "from 'secret.csv'",
            "from read_text('secret.csv')",
            "from captions((select content from read_text('secret.csv')))",
            "explain analyze copy (select 'pwn') to 'out'",
            "attach 'out'",
            "load httpfs",
            "set enable_external_access = true",
        ],
        2,
    ),
)
def test_a_process_of_its_own_refuses_it_too(folder: Path, statement: str) -> None:
    done, _ = run_apart("sql", "--format", "csv", "--", statement, AUDITOR_MEMORY="1GiB")
    assert (done.returncode, done.stdout) == (5, "")
    assert done.stderr.startswith("error: ")
    assert SECRET not in done.stderr


def is_one(statement: str) -> bool:
    try:
        return len(duckdb.extract_statements(statement)) == 1
    except duckdb.Error:
        return True
