"""A store may be called almost anything: the engine names its catalogue after the file, and aliases must not meet it."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import ingest_rows

from auditor.errors import UsageError
from auditor.store import verification
from auditor.store.connection import Store
from auditor.studies.bounds.study import bounds
from auditor.studies.profile import profile

ROWS = [("a", 0, "a dog runs"), ("a", 1, "the dog runs"), ("b", 0, "a cat"), ("b", 1, "a cat sits")]


@pytest.mark.parametrize(
    "name", ["a", "b", "c", "g", "j", "m", "p", "r", "v", "pair", "phrase", "audit", "select", "ü x"]
)
def test_every_command_works_whatever_the_store_is_called(tmp_path: Path, name: str) -> None:
    path = tmp_path / f"{name}.duckdb"
    with Store.open(path, write=True) as store:
        ingest_rows(store, ROWS)
    with Store.open(path) as store:
        assert verification.check(store)["faults"].sum() == 0
        assert profile(store, "set").frame.height
        assert bounds(store, "set", metrics=["bleu-1"], candidates=["human"]).frame.height
        for view in ("phrase", "judgement", "pair_vote", "triplet_vote", "word_count", "ngram_frequency"):
            store.query(f"select count(*) from {view}")


@pytest.mark.parametrize("name", ["cache", "main", "temp"])
def test_names_of_the_engine_are_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError, match="the engine keeps the name"):
        Store.open(tmp_path / f"{name}.duckdb", write=True)
