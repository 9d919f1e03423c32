"""Counts are kept once all their parts are there, and not where there is nothing to keep."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from conftest import ingest_rows

from auditor.store.cache import Draft
from auditor.store.connection import Store
from auditor.store.versions import resolve

PARTS = [pl.DataFrame({"image": [image], "n": [1]}) for image in "ab"]


@pytest.mark.parametrize(
    ("parts", "most", "kept"), [(PARTS, None, 2), ([], None, 0), (PARTS, 1, 0)], ids=["all", "none", "too large"]
)
def test_counts_are_kept_whole_or_not_at_all(
    tmp_path: Path, parts: list[pl.DataFrame], most: int | None, kept: int
) -> None:
    path = tmp_path / "audit.duckdb"
    with Store.open(path, write=True) as store:
        ingest_rows(store, [("a", 0, "a dog")])
        draft = Draft(store, resolve(store, "set"), "made", {None: "key"}, most)
        for part in parts:
            draft.add(part)
        draft.keep()
        assert bool(store.on_close) == bool(kept)
    with Store.open(path) as store:
        entries = store.query("select count(*) from cache.entry where relation = 'made'").item()
        assert entries == (1 if kept else 0)
        if kept:
            assert store.query("select count(*) from cache.made").item() == kept
