"""Views and functions for the queries of users, one per file in a folder of `sql/`.

They are temporary, and made on each connection that runs statements of users: stores do not define functions, since
these could replace those of the engine. A file with parameters is a function, `captions('flickr8k@v1:test')`, one
without is a view. Tables have their full names, so that a WITH of a user's statement cannot replace them.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from dataclasses import dataclass

import duckdb

from auditor.store.sqlfiles import SqlFile, parse, sql_root

#: The tokenizer of functions that are asked for none.
TOKENIZER = "bare"

_PARAMETER = re.compile(r"(\w+) \w+(?: = (.+))?")

_COLUMN = re.compile(r"-- column (\w+) ([^:]+): (.+)")


@dataclass(frozen=True)
class Relation:
    """One view or function: how it is called, each column with type and meaning, a statement with it."""

    file: SqlFile
    called: str
    columns: tuple[tuple[str, str, str], ...]
    example: str

    @property
    def name(self) -> str:
        """What it is called without parameters."""
        return self.file.name

    @property
    def definitions(self) -> Iterator[str]:
        """The statements that define it; for a view, first an empty one, in case the cache was dropped."""
        body = "\n".join(line for line in self.file.statement.splitlines() if not line.startswith("--"))
        if self.file.params:
            macro = re.sub(r"\$(\w+)", r"\1", body)
            yield f"create or replace temp macro {self.called} as table {macro}"
        else:
            nothing = ", ".join(f"null::{kind} as {name}" for name, kind, _ in self.columns)
            yield f"create or replace temp view {self.name} as select {nothing} limit 0"
            yield f"create or replace temp view {self.name} as {body}"


@functools.cache
def relations() -> dict[str, Relation]:
    """Return every view and function, by name; each after those that it reads."""
    files = {file.name: file for file in map(parse, sorted((sql_root() / "people").glob("*.sql")))}
    ordered: dict[str, Relation] = {}

    def order(file: SqlFile) -> None:
        for read in file.reads:
            if read in files and files[read].params:
                order(files[read])
        ordered.setdefault(file.name, _relation(file))

    for file in files.values():
        order(file)
    return ordered


def provide(connection: duckdb.DuckDBPyConnection) -> None:
    """Define the views and functions on a connection."""
    for relation in relations().values():
        for definition in relation.definitions:
            try:
                connection.execute(definition).complete()
            except duckdb.CatalogException:  # the cache was dropped
                if "cache.ngram_frequency" not in relation.file.reads and relation.file.params:
                    raise


def _relation(file: SqlFile) -> Relation:
    header, _, _ = file.statement.partition("\n--\n")
    params = [match.groups() for match in _PARAMETER.finditer(_field(header, "params"))]
    listed = ", ".join(name if default is None else f"{name} := {default}" for name, default in params)
    columns = map(_COLUMN.fullmatch, header.splitlines())
    return Relation(
        file,
        f"{file.name}({listed})" if params else file.name,
        tuple((matched[1], matched[2], matched[3]) for matched in columns if matched),
        _field(header, "example"),
    )


def _field(header: str, name: str) -> str:
    matched = re.search(rf"^-- {name}: (.+)$", header, re.MULTILINE)
    return matched[1] if matched else ""
