"""Workspaces: run the SELECTs of `sql/` in the order that `reads` in their headers requires.

A relation that a file reads and `sql/` defines is materialized first, once, and again only after one of its parameters
has changed, as for the next bucket of images. It is never written to the file.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Set
from typing import Any

import polars as pl

from auditor.store.connection import Held, Store
from auditor.store.sqlfiles import SqlFile, catalogue, check_declaration, declared, over, reads_of

_OF_BUCKET = "first_image"

#: Relations that many workspaces make from the same captions, and none adds rows to.
_HELD_AGAIN = frozenset({
    "reference", "every_reference", "caption_place", "caption_size_count", "image_size_count", "length", "pool",
    "repeat", "script", "substitute_pool",
})  # fmt: skip


class Workspace:
    """Temporary relations over one store, with the parameters they share.

    They are this workspace's alone, whatever others over the same store call theirs, and go with it. What another has
    made is read where it is named: `bind(…, of=other)`. Further parameters are arguments where rows are asked for, and
    hold there only.
    """

    def __init__(self, store: Store, **params: Any) -> None:
        self._store = store
        self.params = params
        self._held: dict[str, Held] = {}
        self._made: dict[str, tuple[Any, ...]] = {}
        self._from: dict[str, set[str]] = {}
        self.bound: set[str] = set()

    def given(self, **params: Any) -> Workspace:
        """Return a workspace over the same relations, with further parameters."""
        if not params:
            return self
        further = copy.copy(self)
        further.params = {**self.params, **params}
        return further

    def bind(
        self, relation: str, /, *names: str, of: Workspace | None = None, side: str | None = None, **params: Any
    ) -> None:
        """Bind `relation` to the rows of the named files together, computed in this workspace or another.

        Without names, it is bound to the file that defines it. The side becomes a column.
        """
        source, constants = (of or self).given(**params), {} if side is None else {"side": side}
        files = [catalogue()[name] for name in names or (relation,)]
        select, *others = [source._select(file) for file in files]
        if others or constants:
            rows = " union all by name ".join(f"({one}\n)" for one in (select, *others))
            select = f"select {_columns(constants)}* from ({rows})"
        check_declaration(relation, [*constants, *files[0].returns])
        for file in files:
            constants |= file.chosen(source.params)
        self._hold(relation, select, constants)
        self._from[relation] = set().union(*(source._behind(file) for file in files))
        self._is_bound(relation)

    def take(self, relation: str, of: Workspace, name: str) -> None:
        """Bind `relation` to the current rows of relation `name` of another workspace."""
        self._held[relation], self._from[relation] = of._held[name], of._from.get(name, set())
        self._is_bound(relation)

    def bind_kept(self, relation: str, statement: str, params: dict[str, Any], *names: str) -> None:
        """Bind `relation` to kept rows, which a statement on tables of the cache reads; the named files made them."""
        self._hold(relation, statement, params)
        self._from[relation] = {*names}
        self._is_bound(relation)

    def bind_rows(self, relation: str, rows: pl.DataFrame) -> None:
        """Bind `relation` to rows from outside of the engine."""
        check_declaration(relation, rows.columns)
        with self._store.registered("made_outside", rows):
            self._hold(relation, "from made_outside", {}, rows.write_json() if relation in _HELD_AGAIN else "")
        self._from.pop(relation, None)
        self._is_bound(relation)

    def append(
        self,
        relation: str,
        name: str | None = None,
        /,
        of: Workspace | None = None,
        side: str | None = None,
        **params: Any,
    ) -> None:
        """Add the rows of a file to a bound relation, which is made by the first of them.

        Without a name, they are those of the file that defines the relation, as for one bucket of images after
        another. The side becomes a column.
        """
        if relation in self.bound:
            (of or self).insert(self._held[relation].table, name or relation, side, **params)
            self._from[relation] = self._from.get(relation, set()) | (of or self)._behind(catalogue()[name or relation])
            self._is_bound(relation)
        else:
            self.bind(relation, name or relation, of=of, side=side, **params)

    def append_rows(self, relation: str, rows: pl.DataFrame) -> None:
        """Add rows that were made outside of the engine to a bound relation, which is made by the first of them."""
        if relation not in self.bound:
            self.bind_rows(relation, rows)
            return
        with self._store.registered("made_outside", rows):
            self._store.execute(f"insert into {self._held[relation].table} by name from made_outside")
        self._is_bound(relation)

    def forget(self, relation: str) -> None:
        """Remove the binding of a relation: the next `append` starts it again, or the file that defines it."""
        self._is_bound(relation)
        self.bound.discard(relation)
        self._let_go(relation)

    def release(self, needed: Iterable[str]) -> None:
        """Drop the relations of the current bucket of images, except those that the `needed` files read.

        Otherwise a relation would stay in memory while the next bucket makes it again.
        """
        kept = {read for name in needed for read in _below(catalogue()[name], self.bound)}
        for name in [name for name, state in self._made.items() if name not in kept and _OF_BUCKET in dict(state)]:
            self._let_go(name)

    def insert(self, table: str, name: str, /, side: str | None = None, **params: Any) -> int:
        """Add the rows of a file to a table, with the side as a column. Return the number of rows."""
        file, source = catalogue()[name], self.given(**params)
        constants = {} if side is None else {"side": side}
        rows = source._select(file)
        if constants:
            rows = f"select {_columns(constants)}* from ({rows}\n)"
        return self._store.execute(f"insert into {table} by name {rows}", {**constants, **file.chosen(source.params)})

    def rows(self, name: str, /, **params: Any) -> pl.DataFrame:
        """Run a file on the relations it reads."""
        file, source = catalogue()[name], self.given(**params)
        return self._store.query(source._select(file), file.chosen(source.params))

    def changes_with(self, name: str) -> set[str]:
        """Name the parameters that can change the rows of a file: its own, and those of what is made for it."""
        file = catalogue()[name]
        return set(file.params).union(*(catalogue()[read].params for read in _below(file, self.bound)))

    def query(self, statement: str) -> pl.DataFrame:
        """Run one statement on the relations that are bound."""
        return self._store.query(over(statement, {name: held.table for name, held in self._held.items()}))

    def _is_bound(self, relation: str) -> None:
        self.bound.add(relation)
        self._made.pop(relation, None)
        for name in [name for name in self._made if relation in reads_of(name)]:
            self._let_go(name)

    def _select(self, file: SqlFile) -> str:
        """Return a file's statement over this workspace's relations, those made that it reads."""
        for read in file.reads:
            if read in self.bound:
                continue
            if read in catalogue():
                self._ensure(catalogue()[read])
            elif read in declared():
                raise LookupError(f"{file.name} reads {read}, which is not bound in this workspace")
        self._store.record(*self._behind(file))
        return over(file.statement, {read: self._held[read].table for read in file.reads if read in self._held})

    def _behind(self, file: SqlFile) -> set[str]:
        """Name a file and the files behind the relations that it reads, which may have been made for another."""
        return {file.name}.union(*(self._from.get(read, set()) for read in file.reads))

    def _ensure(self, file: SqlFile) -> None:
        state = tuple(sorted((key, self.params[key]) for key in self.changes_with(file.name)))
        if self._made.get(file.name) != state:
            self._hold(file.name, self._select(file), file.chosen(self.params))
            self._made[file.name], self._from[file.name] = state, self._behind(file)

    def _hold(self, relation: str, statement: str, params: dict[str, Any], rows: str = "") -> None:
        again = (rows,) if relation in _HELD_AGAIN else None
        self._held[relation] = self._store.hold(relation, statement, params, again)

    def _let_go(self, relation: str) -> None:
        for names in (self._made, self._held, self._from):
            names.pop(relation, None)


def _below(file: SqlFile, bound: Set[str]) -> set[str]:
    """Collect the relations that are made for a file: what it reads, and what these read, unless it is bound."""
    reads = {read for read in file.reads if read in catalogue() and read not in bound}
    return reads.union(*(_below(catalogue()[read], bound) for read in reads))


def is_read(relation: str, by: Iterable[str]) -> bool:
    """Return whether any of the files reads a relation, or reads what is made of it."""
    return any(relation in reads_of(name) for name in by)


def _columns(constants: Iterable[str]) -> str:
    return "".join(f"${column} as {column}, " for column in constants)
