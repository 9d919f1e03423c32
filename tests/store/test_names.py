"""A store may be called anything: its file is the same catalog of the engine whatever its name is."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from conftest import ingest_rows

from auditor.errors import UsageError
from auditor.store import verification
from auditor.store.connection import Store
from auditor.store.file import NAME
from auditor.store.sqlfiles import catalogue, declared, sql_root
from auditor.store.statements import relations
from auditor.studies.bounds.study import bounds
from auditor.studies.profile import profile

ROWS = [("a", 0, "a dog runs"), ("a", 1, "the dog runs"), ("b", 0, "a cat"), ("b", 1, "a cat sits")]

ODD = [
    *("cache", "main", "memory", "system", "temp", "store", "select"),
    *("u ", "it's", 'a"b', "a\nb", "100%#*[a]", "-m", "~", "1", "日本 ü", ":memory:"),
]


def named_in_sql(files: str = "*.sql") -> set[str]:
    """List every alias, relation and schema that files of `sql/` name."""
    statements = (re.sub(r"--.*", "", path.read_text().lower()) for path in sql_root().rglob(files))
    named = r"\b(?:as|from|join|with|view|table|schema(?: if not exists)?|,)\s+(\w+)"
    return {word for statement in statements for word in re.findall(named, statement)}


@pytest.mark.parametrize("name", ["u", "pair", "audit", "cache", "main", "temp", "select", "ü x", "it's"])
def test_every_command_works_whatever_the_store_is_called(tmp_path: Path, name: str) -> None:
    path = tmp_path / f"{name}.duckdb"
    with Store.open(path, write=True) as store:
        ingest_rows(store, ROWS)
    with Store.open(path) as store:
        assert verification.check(store)["faults"].sum() == 0
        assert profile(store, "set").frame.height
        assert bounds(store, "set", metrics=["bleu-1"], candidates=["human"]).frame.height
        for view in ("phrase", "judgement", "pair_vote", "triplet_vote", "word_count"):
            store.query(f"select count(*) from {view}")


def test_fresh_store_opens_again_whatever_it_is_called(tmp_path: Path) -> None:
    shortest = sorted(named_in_sql("schema.sql"), key=lambda name: (len(name), name))
    for name in [*ODD, *shortest[:6]]:
        path = tmp_path / f"{name}.duckdb"
        Store.open(path, write=True).close()
        with Store.open(path) as store:
            assert store.query("select current_database()").item() == NAME, name
        assert [file.name for file in tmp_path.iterdir()] == [path.name]
        path.unlink()


@pytest.mark.parametrize("name", ["x?access_mode=read_only.duckdb", "a\\b.duckdb"])
def test_name_that_the_engine_would_write_elsewhere_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "a").mkdir()
    with pytest.raises(UsageError, match="rename the store or its folder"):
        Store.open(tmp_path / name, write=True)
    assert list(tmp_path.rglob("*")) == [tmp_path / "a"]


def test_nothing_in_sql_has_the_name_of_the_catalog() -> None:
    files = named_in_sql()
    assert {"membership", "u", "caption", "cache"} <= files
    assert NAME not in files | set(catalogue()) | set(declared()) | set(relations())
