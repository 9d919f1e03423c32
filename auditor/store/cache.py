"""Counts that need not be counted again, in schema `cache`.

A key is a hash of everything that can change the counts, so that nothing goes stale: a changed input is another key.
Reading commands open the store read-only; what they count waits in files and is written when they close it, if no one
else holds it then.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import uuid
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl
from polars.exceptions import ComputeError

from auditor.model import Selection
from auditor.store.connection import MEMORY, Store
from auditor.store.sqlfiles import catalogue, fingerprint, sql_root

#: What columns hold that tables of counts share.
_KEYS = {
    "key": "Entry of the cache, see entry.",
    "candidate": "What was counted: human, a substitute, or the dataset of a system's output.",
    "image": "The image.",
    "slot": "Position of the candidate among those of its image, from 0.",
    "part": "Number of the part: 0 is what is no table, the others are tables.",
    "body": "The part itself: JSON, or a table as an Arrow file.",
}

#: What tables hold that no SELECT makes.
_MADE_OUTSIDE = {"study_result": "Results of studies, kept whole so that they need not be made again."}


def key(selection: Selection, tokenizer: str, relations: Sequence[str], params: Mapping[str, Any]) -> str:
    """Hash the data, the counting parameters and the SQL of every relation."""
    facts = {
        "dataset": selection.version.dataset,
        "version": selection.version.version,
        "split": selection.split,
        "draw": selection.draw and (*dataclasses.astuple(selection.draw), fingerprint("drawn_reference")),
        "tokenizer": tokenizer,
        "params": {name: params[name] for name in sorted(params)},
        "sql": [fingerprint(relation) for relation in relations],
    }
    if selection.distinct is not None:
        facts["distinct"] = (selection.distinct, fingerprint("distinct_reference"))
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()


def get(store: Store, wanted: Mapping[str, str]) -> dict[str, pl.DataFrame]:
    """Give those of the wanted counts that are kept, by key; `wanted` says by key which relation holds them.

    Counts of this run that still wait for the store to be closed are among them.
    """
    return dict(each(store, wanted))


def each(store: Store, wanted: Mapping[str, str]) -> Iterator[tuple[str, pl.DataFrame]]:
    """Give what `get` gives one after another, since there may be more of it than memory."""
    waiting = {key: waits for key, waits in _waiting(store).items() if key in wanted}
    for key, (files, candidate) in waiting.items():
        yield key, _read(files, candidate)
    for key, relation in _entries(store, {key: name for key, name in wanted.items() if key not in waiting}):
        yield key, store.query(f"select * exclude (key) from cache.{relation} where key = $key", {"key": key})


def _waiting(store: Store) -> dict[str, tuple[Sequence[Path], str | None]]:
    """Say in which files counts wait, and of which candidate there, by key."""
    saving = (work.args for work in store.on_close if isinstance(work, partial) and work.func is _save)
    return {entry_key: (files, candidate) for _, entry_key, _, files, candidate in saving}


def _read(files: Sequence[Path], candidate: str | None) -> pl.DataFrame:
    rows = pl.scan_parquet(list(files))
    return (rows if candidate is None else rows.filter(pl.col("candidate") == candidate)).collect()


def _entries(store: Store, wanted: Mapping[str, str]) -> list[tuple[str, str]]:
    """Give key and relation of those that the file holds."""
    if not _columns(store, "entry"):
        return []
    entries = store.query(
        "select key, relation from cache.entry where list_contains($keys, key)", {"keys": list(wanted)}
    )
    found = [(key, relation) for key, relation in entries.rows() if wanted[key] == relation]
    return [(key, relation) for key, relation in found if _columns(store, relation)[:1] == ["key"]]


def put(store: Store, selection: Selection, relation: str, entry_key: str, counts: pl.DataFrame) -> None:
    """Keep counts, in the store when it is closed: until then in a file, since there may be more of them than memory.

    Where there is no room for the file they are not kept: they can be counted again.
    """
    draft = Draft(store, selection, relation, {None: entry_key})
    draft.add(counts)
    draft.keep()


class Draft:
    """Counts that come part by part, and are kept once all parts are there.

    `keys` says under which key the rows of each candidate are kept; None stands for all rows together. Counts of more
    than `most` bytes in memory are not kept, and neither are those for whose files there is no room: they can be
    counted again.
    """

    def __init__(
        self,
        store: Store,
        selection: Selection,
        relation: str,
        keys: Mapping[str, str] | Mapping[None, str],
        most: int | None = None,
    ) -> None:
        self._store, self._selection, self._relation, self._keys = store, selection, relation, keys
        self._most = most
        self._bytes = 0
        self._files: list[Path] = []
        self._is_open = store.path != MEMORY

    def add(self, counts: pl.DataFrame) -> None:
        """Take the next part."""
        if not self._is_open:
            return
        self._files.append(self._store.scratch() / f"{uuid.uuid4()}.parquet")
        self._bytes += int(counts.estimated_size())
        try:
            counts.write_parquet(self._files[-1], compression="lz4")
        except (OSError, ComputeError):
            self._drop()
        else:
            if self._most is not None and self._bytes > self._most:
                self._drop()

    def keep(self) -> None:
        """Let the parts be kept when the store is closed."""
        if self._is_open and self._files:
            self._store.on_close += [
                partial(_save, self._relation, key, self._selection, tuple(self._files), candidate)
                for candidate, key in self._keys.items()
            ]

    def _drop(self) -> None:
        self._is_open = False
        for file in self._files:
            file.unlink(missing_ok=True)


def _save(
    relation: str, entry_key: str, selection: Selection, files: Sequence[Path], candidate: str | None, store: Store
) -> None:
    """Write counts. A table whose columns have changed starts anew."""
    rows = _read(files, candidate)
    rows = rows.select(pl.lit(entry_key).alias("key"), pl.all())
    with store.registered("counted", rows):
        if _columns(store, relation) not in ([], rows.columns):
            store.execute(f"drop table cache.{relation}")
            store.execute("delete from cache.entry where relation = $relation", {"relation": relation})
        if not _columns(store, relation):
            store.execute(f"create table cache.{relation} as from counted limit 0")
            _describe(store, relation, rows.columns)
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


def _describe(store: Store, relation: str, columns: Sequence[str]) -> None:
    """Say of a table, and of each of its columns, what it holds, or which file does."""
    file = catalogue().get(relation)
    whose = f"sql/{file.path.relative_to(sql_root()).as_posix()}" if file else f"auditor, which makes {relation}"
    meaning = file.meaning if file else _MADE_OUTSIDE.get(relation, f"Counts that {relation} is made of.")
    comments = {f"table cache.{relation}": meaning} | {
        f'column cache.{relation}."{name}"': _KEYS.get(name, f"Counted by {whose}.") for name in columns
    }
    for what, comment in comments.items():
        spelled = comment.replace("'", "''")
        store.execute(f"comment on {what} is '{spelled}'")


def _columns(store: Store, relation: str) -> list[str]:
    return store.query(
        "select column_name from duckdb_columns() where schema_name = 'cache' and table_name = $relation"
        " order by column_index",
        {"relation": relation},
    )["column_name"].to_list()
