"""Any other question: read-only SQL on the store, and what there is to ask about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from auditor.errors import UsageError
from auditor.model import Result, Table
from auditor.store.asking import ask
from auditor.store.connection import Store


def query(store: Store, statement: str, params: Mapping[str, str] | None = None) -> Result:
    """Run one read-only statement. Raises `SqlError` with the engine's words, also for an attempt to write."""
    rows = ask(store, statement, params or {})
    return Result("sql", rows, tables=(Table("", rows),))


def schema(store: Store) -> Result:
    """List every table and view with its columns and what they mean."""
    rows = store.rows("schema_listing")
    return Result("sql", rows, tables=(Table("the store", rows),))


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
