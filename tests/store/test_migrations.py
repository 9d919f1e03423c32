"""Which schema a store is of: older ones are brought forward, those of pre-releases and of newer programs refused."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import duckdb
import kept_stores
import pytest
from conftest import ROOT, asked, ingest_rows

from auditor.errors import StoreError
from auditor.store import migrations, upkeep
from auditor.store.connection import MEMORY, Store
from auditor.store.file import Share
from auditor.studies.upkeep import store as study

ROWS = [("a", 0, "a dog"), ("b", 0, "a cat")]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "audit.duckdb"
    with Store.open(path, write=True) as store:
        ingest_rows(store, ROWS)
    return path


@pytest.mark.parametrize("schema", [1, 15])
def test_store_of_a_pre_release_is_refused_in_one_line_and_not_touched(
    tmp_path: Path, schema: int, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "old.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute("create table migration (number integer primary key, applied_at timestamptz)").complete()
        connection.execute("insert into migration values ($schema, now())", {"schema": schema}).complete()
        connection.execute("create table dataset (dataset varchar, kind varchar)").complete()
    before = path.read_bytes()
    Path("c.csv").write_text("image,caption\na,a dog\n")
    for command in ("datasets", "ingest new --from c.csv", "store info", "store gc --all"):
        assert asked(*command.split(), "--store", str(path)) == 4
        said = f"error: {path}: of a pre-release, which no release reads; move it and ingest the datasets again\n"
        assert capsys.readouterr().err == said
    assert path.read_bytes() == before
    assert sorted(tmp_path.glob("old.duckdb*")) == [path]
    path.rename(tmp_path / "moved.duckdb")
    assert asked("ingest", "new", "--from", "c.csv", "--store", str(path)) == 0, "what the message says to do"


@pytest.mark.parametrize("schema", range(1, migrations.newest() + 1))
def test_store_of_each_schema_opens_and_gives_its_numbers_kept_or_counted_again(schema: int, tmp_path: Path) -> None:
    path = tmp_path / "audit.duckdb"
    numbers = kept_stores.unpacked(schema, path)
    for empties in (False, True):
        with Store.open(path, write=True) as store:
            if empties:
                migrations.renew_cache(store.connection)
            assert kept_stores.asked(store) == numbers


def test_store_of_a_newer_schema_is_refused(path: Path) -> None:
    with duckdb.connect(str(path)) as connection:
        connection.execute("insert into schema_version values (999, now())").complete()
    with pytest.raises(StoreError, match="upgrade auditor"):
        Store.open(path)


@pytest.mark.parametrize("statement", ["select 1", "drop schema cache cascade"], ids=["whole", "without its cache"])
def test_store_of_an_older_schema_is_migrated_and_backed_up(
    path: Path, statement: str, request: pytest.FixtureRequest
) -> None:
    with duckdb.connect(str(path)) as connection:
        connection.execute(statement).fetchall()
    request.getfixturevalue("second_schema")
    with Store.open(path) as store:
        assert migrations.current(store.connection) == 2
        assert store.query("select dataset, licence from dataset").rows() == [("set", None)]
        assert store.query("select count(*) from captions").item() == 2
        assert "cache.entry" in upkeep.relations(store)
        with pytest.raises(duckdb.InvalidInputException, match="read-only"):
            store.connection.execute("delete from dataset").complete()
    with duckdb.connect(f"{path}.before-schema-2", read_only=True) as connection:
        assert migrations.current(connection) == 1
        assert connection.execute("select dataset from dataset").fetchall() == [("set",)]
    migrations.backup_of(path).unlink()
    with Store.open(path):
        assert not migrations.backup_of(path).exists(), "it is migrated once"


def test_replaced_views_of_an_older_schema_are_refused_before_it_is_migrated(path: Path, second_schema: str) -> None:
    with duckdb.connect(str(path)) as connection:
        connection.execute("create or replace view captions as select 1 as text").complete()
    with pytest.raises(StoreError, match="the view captions was changed"):
        Store.open(path)
    assert not migrations.backup_of(path).exists()


def test_info_leaves_an_old_schema_alone_and_names_the_command(path: Path, second_schema: str) -> None:
    before = path.read_bytes()
    with Store.open(path, migrate=False) as store:
        told = study.info(store)
    assert "the next command that opens the store" in told.sentences[0]
    assert path.read_bytes() == before


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_backup_holds_also_what_a_killed_process_left_in_the_log(path: Path, request: pytest.FixtureRequest) -> None:
    leave = (
        "import os, signal, sys, duckdb\n"
        "connection = duckdb.connect(sys.argv[1])\n"
        "connection.execute(\"insert into dataset values ('more', 'captions', 'en', [])\").complete()\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    done = subprocess.run([sys.executable, "-c", leave, str(path)], cwd=ROOT, check=False)
    assert done.returncode == -signal.SIGKILL
    request.getfixturevalue("second_schema")
    with Store.open(path):
        pass
    with duckdb.connect(str(migrations.backup_of(path)), read_only=True) as connection:
        assert migrations.current(connection) == 1
        assert connection.execute("select dataset from dataset order by all").fetchall() == [("more",), ("set",)]


def test_store_of_a_task_has_the_columns_of_others_without_comments(tmp_path: Path) -> None:
    columns = "from duckdb_columns() where database_name = 'store' and not internal order by all"
    named = f"select schema_name, table_name, column_name, data_type {columns}"
    with Store.open(MEMORY) as usual, Store.open(MEMORY, share=Share(2**28, 1, tmp_path)) as brief:
        assert brief.query(named).equals(usual.query(named))
        assert brief.query(f"select comment {columns}")["comment"].null_count() == brief.query(named).height
        assert usual.query(f"select comment {columns}")["comment"].null_count() < brief.query(named).height
