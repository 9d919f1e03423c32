"""Any SELECT that a user types: read-only, one statement, rows that every output format can carry."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import cast

import duckdb
import polars as pl

from auditor.errors import SqlError, UsageError
from auditor.store.connection import Store

_READS = (duckdb.StatementType.SELECT, duckdb.StatementType.EXPLAIN)

#: Types that Polars, Parquet, CSV and JSON all have; a column of another type is shown as its text.
_PLAIN = {
    "boolean", "tinyint", "smallint", "integer", "bigint", "hugeint", "utinyint", "usmallint", "uinteger", "ubigint",
    "float", "double", "decimal", "varchar", "date", "time", "timestamp", "timestamp with time zone",
}  # fmt: skip


def parameters(statement: str) -> set[str]:
    """Name the parameters of what may be several statements. Raises `SqlError` for what is no SQL."""
    try:
        return {name for one in duckdb.extract_statements(statement) for name in one.named_parameters}
    except duckdb.Error as error:
        raise SqlError(str(error).strip()) from error


def ask(store: Store, statement: str, params: Mapping[str, str | int | None]) -> pl.DataFrame:
    """Run one reading statement.

    Columns of the same name are numbered. Raises `SqlError` for a statement that would write, and with the engine's
    words for one that it refuses; `UsageError` for none or more than one.
    """
    try:
        statements = duckdb.extract_statements(statement)
    except duckdb.Error as error:
        raise SqlError(str(error).strip()) from error
    if len(statements) != 1:
        raise UsageError(f"expected one statement, found {len(statements)}")
    if statements[0].type not in _READS:
        refused = statements[0].type.name
        raise SqlError(f"the store is read-only here: SELECT, DESCRIBE and EXPLAIN are allowed, {refused} is not")
    return store.query(statement, dict(params), reshape=_carriable)


def _carriable(relation: duckdb.DuckDBPyRelation) -> duckdb.DuckDBPyRelation:
    names, types = relation.columns, [_is_plain(kind) for kind in relation.types]
    if len(set(names)) == len(names) and all(types):
        return relation
    fields = [
        f"{_quoted(f'c{place}')} {'' if plain else '::varchar'} as {_quoted(name)}"
        for place, (name, plain) in enumerate(zip(_numbered(names), types, strict=True))
    ]
    aliases = ", ".join(_quoted(f"c{place}") for place in range(len(names)))
    reshaped = relation.query("asked", f"select {', '.join(fields)} from (from asked) as t({aliases})")
    return cast("duckdb.DuckDBPyRelation", reshaped)


def _is_plain(kind: duckdb.sqltypes.DuckDBPyType) -> bool:
    return str(kind).lower().removesuffix("[]").partition("(")[0] in _PLAIN


def _numbered(names: Sequence[str]) -> list[str]:
    seen: Counter[str] = Counter()
    numbered = []
    for name in names:
        seen[name] += 1
        numbered.append(name if seen[name] == 1 else f"{name}_{seen[name]}")
    return numbered


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
