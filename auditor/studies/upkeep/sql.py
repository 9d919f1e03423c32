"""Any other question: read-only SQL on the store, and what there is to ask about."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import polars as pl

from auditor.errors import UsageError
from auditor.result import Result, Table
from auditor.store import readonly_sql
from auditor.store.connection import Store
from auditor.store.readonly_sql import Limits, ask

#: Rows that a table or page shows at most.
SHOWN = 100_000


def query(
    store: Store,
    statement: str,
    params: Mapping[str, str] | None = None,
    timeout: float | None = None,
    *,
    rows: int | None = None,
) -> Result:
    """Run one read-only statement, for at most `timeout` seconds and giving at most so many `rows`.

    Raises `SqlError` with the engine's words, also for an attempt to write, and where it takes more.
    """
    answer = ask(store, statement, params or {}, Limits(timeout, rows))
    spelled = answer.with_columns(pl.col(pl.Float32).cast(pl.String).cast(pl.Float64))  # .1, not .10000000149
    return Result("sql", answer, tables=(Table("", spelled, exact=True, name="rows"),))


def stream(
    store: Store,
    statement: str,
    params: Mapping[str, str],
    timeout: float | None,
    take: Callable[[Iterator[pl.DataFrame]], None],
) -> None:
    """Run one read-only statement and hand over its rows as they come, which are never held all at once."""
    readonly_sql.stream(store, statement, params, Limits(timeout), take)


def schema(store: Store) -> Result:
    """List every table and view with its columns and what they mean."""
    rows = store.rows("schema_listing")
    return Result("sql", rows, tables=(Table("the store", rows, name="store"),))


def statement(text: str | None, file: Path | None) -> str:
    """Take the statement from the command line or from a file."""
    if (text is None) == (file is None):
        raise UsageError("give one statement: QUERY, or --file FILE; or --schema to see what there is")
    if file is None:
        return text or ""
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{file}: cannot be read: {error}") from error


def parameters(pairs: Sequence[str]) -> dict[str, str]:
    """Read `name=value` pairs; values are strings, which the statement may cast."""
    split = [pair.partition("=") for pair in pairs]
    for name, equals, _ in split:
        if not equals or not name:
            raise UsageError(f"{name}: expected name=value")
    return {name: value for name, _, value in split}
