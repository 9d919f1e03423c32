"""A store and exported captions open in programs that know nothing of auditor: DuckDB, Harlequin, Datasette."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import duckdb
import pytest
from conftest import Rows, ingest_rows

from auditor.store.connection import Store
from auditor.studies.export import export

DOGS: Rows = [("1", 0, "a dog runs"), ("1", 1, "a brown dog"), ("2", 0, "ein Hund, der läuft")]

#: Prints the names in the second level of the catalog, and what a query returns.
_HARLEQUIN = """
import json, sys
from harlequin_duckdb.adapter import DuckDbAdapter

connection = DuckDbAdapter([sys.argv[1]], read_only=True).connect()
(database,) = connection.get_catalog().items
schemas = {schema.label: [table.label for table in schema.fetch_children()] for schema in database.fetch_children()}
rows = connection.execute(sys.argv[2]).fetchall().to_pylist()
print(json.dumps([schemas, rows]))
"""


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    """A store with one dataset, and its captions as CSV."""
    with Store.open(tmp_path / "audit.duckdb", write=True) as store:
        ingest_rows(store, DOGS, "dogs")
        export(store, "dogs", tmp_path / "dogs.csv")
    return tmp_path


def program(name: str) -> str:
    """Return the path of a program; skip the test if it is not installed."""
    found = shutil.which(name)
    if found is None:
        pytest.skip(f"needs {name}")
    return found


def printed(words: Sequence[str | Path]) -> str:
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout


def test_plain_duckdb_reads_the_views_of_a_store_and_their_comments(kept: Path) -> None:
    with duckdb.connect(str(kept / "audit.duckdb"), read_only=True) as connection:
        rows = connection.sql("select image, slot, text from captions order by all").fetchall()
        views = dict(connection.sql("select view_name, comment from duckdb_views() where not internal").fetchall())
        columns = connection.sql(
            "select count(*) from duckdb_columns() where not internal and schema_name = 'main' and comment is null"
        ).fetchall()
    assert rows == sorted(DOGS)
    assert "captions" in views
    assert all(views.values())
    assert columns == [(0,)]


def test_harlequin_lists_the_views_of_a_store_and_queries_them(kept: Path) -> None:
    python = Path(program("harlequin")).resolve().parent / "python"
    query = "select count(*) as captions from captions"
    schemas, rows = json.loads(printed([python, "-c", _HARLEQUIN, kept / "audit.duckdb", query]))
    assert {"captions", "token", "ngram", "choice"} <= set(schemas["main"])
    assert list(map(list, map(dict.values, rows))) == [[len(DOGS)]]


def test_datasette_shows_exported_captions(kept: Path) -> None:
    datasette, insert = program("datasette"), program("sqlite-utils")
    printed([insert, "insert", kept / "dogs.db", "captions", kept / "dogs.csv", "--csv"])
    shown = json.loads(printed([datasette, kept / "dogs.db", "--get", "/dogs/captions.json?_shape=array"]))
    assert [one["caption"] for one in shown] == [text for _, _, text in DOGS]
