"""Relations at work: runs the SELECTs of `sql/` in the order that their headers' `reads` ask for.

A relation that a file reads and `sql/` defines is materialised first, once, and again only when one of its parameters
has changed (a bucket of images gives way to the next). Nothing of it reaches the file.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import polars as pl

from auditor.store.connection import Store
from auditor.store.sqlfiles import SqlFile, catalogue, reads_of

_OF_BUCKET = "first_image"


class Workspace:
    """Temporary relations over one store, with the parameters they share."""

    def __init__(self, store: Store, **params: Any) -> None:
        self._store = store
        self.params = params
        self._made: dict[str, tuple[Any, ...]] = {}
        self.bound: set[str] = set()

    def bind(self, relation: str, *names: str) -> None:
        """Let `relation` stand for the rows of the named files together."""
        files = [catalogue()[name] for name in names]
        for file in files:
            self._ensure_reads(file)
        rows = " union all by name ".join(f"({file.statement}\n)" for file in files)
        params = {key: self.params[key] for file in files for key in file.params}
        self._store.materialise(relation, f"from ({rows})", params)
        self._is_bound(relation)

    def bind_rows(self, relation: str, rows: pl.DataFrame) -> None:
        """Let `relation` stand for rows that were made outside of the engine."""
        with self._store.registered("made_outside", rows):
            self._store.materialise(relation, "from made_outside", {})
        self._is_bound(relation)

    def append(self, relation: str, name: str) -> None:
        """Add the rows of a file to a bound relation, which is made by the first of them."""
        if relation in self.bound:
            self.insert(relation, name)
        else:
            self.bind(relation, name)

    def forget(self, relation: str) -> None:
        """Let the next `append` begin the relation anew; one that a file defines is made by that file again."""
        self._is_bound(relation)
        self.bound.discard(relation)
        self._made.pop(relation, None)

    def release(self, needed: Iterable[str]) -> None:
        """Drop what was made of the bucket of images at work, save what the `needed` files read.

        A relation that the next bucket makes anew would fill memory until then, and beside the new one while it is
        made.
        """
        kept = {read for name in needed for read in self._below(catalogue()[name])}
        for name in [one for one, state in self._made.items() if one not in kept and _OF_BUCKET in dict(state)]:
            self._store.execute(f"drop table temp.{name}")
            del self._made[name]

    def insert(self, table: str, name: str, **constants: str) -> int:
        """Add the rows of a file to a table, each with the constants as columns, and say how many there were."""
        file = catalogue()[name]
        self._ensure_reads(file)
        columns = "".join(f"${column} as {column}, " for column in constants)
        rows = f"select {columns}* from ({file.statement}\n)" if constants else file.statement
        return self._store.execute(f"insert into {table} by name {rows}", {**constants, **self._params_of(file)})

    def rows(self, name: str) -> pl.DataFrame:
        """Run a file on the relations it reads."""
        file = catalogue()[name]
        self._ensure_reads(file)
        return self._store.rows(name, **self.params)

    def _is_bound(self, relation: str) -> None:
        self.bound.add(relation)
        self._made = {name: state for name, state in self._made.items() if relation not in reads_of(name)}

    def _ensure_reads(self, file: SqlFile) -> None:
        for read in file.reads:
            if read in catalogue() and read not in self.bound:
                self._ensure(catalogue()[read])

    def _ensure(self, file: SqlFile) -> None:
        self._ensure_reads(file)
        state = tuple(sorted((key, self.params[key]) for key in self._reached(file)))
        if self._made.get(file.name) != state:
            self._store.materialise(file.name, file.statement, self._params_of(file))
            self._made[file.name] = state

    def _reached(self, file: SqlFile) -> set[str]:
        """Collect the parameters that can change a relation: its own and those of what it reads."""
        return set(file.params).union(*(catalogue()[read].params for read in self._below(file)))

    def _below(self, file: SqlFile) -> set[str]:
        """Collect the relations that are made for a file: what it reads, and what these read."""
        reads = {read for read in file.reads if read in catalogue() and read not in self.bound}
        return reads.union(*(self._below(catalogue()[read]) for read in reads))

    def _params_of(self, file: SqlFile) -> dict[str, Any]:
        return {key: self.params[key] for key in file.params}
