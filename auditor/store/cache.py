"""Counts that need not be counted again, in schema `cache`.

A key is a hash of everything that can change the counts, so that nothing goes stale: a changed input is another key.
Reading commands open the store read-only; what they count waits in files and is written when they close it, if no one
else holds it then.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl
from polars.exceptions import ComputeError

from auditor.model import Selection
from auditor.store.connection import MEMORY, Store
from auditor.store.sqlfiles import fingerprint


def key(selection: Selection, profile: str, relations: Sequence[str], params: Mapping[str, Any]) -> str:
    """Hash the data, the counting parameters and the SQL of every relation."""
    facts = {
        "dataset": selection.version.dataset,
        "version": selection.version.version,
        "split": selection.split,
        "draw": selection.draw and (*dataclasses.astuple(selection.draw), fingerprint("drawn_reference")),
        "profile": profile,
        "params": {name: params[name] for name in sorted(params)},
        "sql": [fingerprint(relation) for relation in relations],
    }
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()


def get(store: Store, wanted: Mapping[str, str]) -> dict[str, pl.DataFrame]:
    """Give those of the wanted counts that are kept, by key; `wanted` says by key which relation holds them.

    Counts of this run that still wait for the store to be closed are among them.
    """
    waiting = {key: pl.read_parquet(path).drop("key") for key, path in _waiting(store).items() if key in wanted}
    return waiting | _saved(store, {key: name for key, name in wanted.items() if key not in waiting})


def _waiting(store: Store) -> dict[str, Path]:
    """Say in which file counts wait, by key."""
    saving = (work.args for work in store.on_close if isinstance(work, partial) and work.func is _save)
    return {entry_key: path for _, entry_key, _, path in saving}


def _saved(store: Store, wanted: Mapping[str, str]) -> dict[str, pl.DataFrame]:
    tables = store.query("select table_name from duckdb_tables() where schema_name = 'cache'")["table_name"]
    if "entry" not in tables:
        return {}
    entries = store.query(
        "select key, relation from cache.entry where list_contains($keys, key)", {"keys": list(wanted)}
    )
    return {
        key: store.query(f"select * exclude (key) from cache.{relation} where key = $key", {"key": key})
        for key, relation in entries.rows()
        if wanted[key] == relation and relation in tables
    }


def put(store: Store, selection: Selection, relation: str, entry_key: str, counts: pl.DataFrame) -> None:
    """Keep counts, in the store when it is closed: until then in a file, since there may be more of them than memory.

    Where there is no room for the file they are not kept: they can be counted again.
    """
    if store.path == MEMORY:
        return
    waiting = store.scratch() / f"{len(store.on_close)}.parquet"
    with suppress(OSError, ComputeError):
        counts.select(pl.lit(entry_key).alias("key"), pl.all()).write_parquet(waiting, compression="lz4")
        store.on_close.append(partial(_save, relation, entry_key, selection, waiting))


def _save(relation: str, entry_key: str, selection: Selection, waiting: Path, store: Store) -> None:
    """Write counts. A table whose columns have changed starts anew."""
    rows = pl.read_parquet(waiting)
    with store.registered("counted", rows):
        if _columns(store, relation) not in ([], rows.columns):
            store.execute(f"drop table cache.{relation}")
            store.execute("delete from cache.entry where relation = $relation", {"relation": relation})
        store.execute(f"create table if not exists cache.{relation} as from counted limit 0")
        if store.query("select 1 from cache.entry where key = $key", {"key": entry_key}).is_empty():
            store.execute(f"delete from cache.{relation} where key = $key", {"key": entry_key})
            store.execute(f"insert into cache.{relation} from counted")
            store.execute(
                "insert into cache.entry values ($key, $relation, $dataset, $version, now())",
                {
                    "key": entry_key,
                    "relation": relation,
                    "dataset": selection.version.dataset,
                    "version": selection.version.version,
                },
            )


def _columns(store: Store, relation: str) -> list[str]:
    return store.query(
        "select column_name from duckdb_columns() where schema_name = 'cache' and table_name = $relation"
        " order by column_index",
        {"relation": relation},
    )["column_name"].to_list()
