"""The `check` tables of a datasets.toml as `Gate` records."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from auditor.errors import UsageError
from auditor.model import Gate

CHECK = "check"

_SQL = "sql"

_EXAMPLE = '[[check.sql]] needs name = "…" and sql = "select …", and nothing else'


def declared_gates(file: Path, tables: Mapping[str, Any]) -> list[Gate]:
    """Read `[check]` and every `[NAME.check]` of a file, in this order.

    Raises `UsageError` for a check that is no table, and for SQL without a name or a statement of its own. Which gates
    there are, and what a limit may be, is left to the study.
    """
    own = {name: table[CHECK] for name, table in tables.items() if isinstance(table, dict) and CHECK in table}
    checks = [(None, tables.get(CHECK, {})), *own.items()]
    return [gate for dataset, table in checks for gate in _gates(file, dataset, table)]


def _gates(file: Path, dataset: str | None, table: Any) -> Iterator[Gate]:
    where = Gate(dataset, (), table, file).where
    if not isinstance(table, dict):
        raise UsageError(f"{where}: check must be a table of gates, such as images.min = 1000")
    statements = table.get(_SQL, [])
    if not isinstance(statements, list):
        raise UsageError(f"{where}: {_EXAMPLE}")
    for keys, limit in _leaves({key: value for key, value in table.items() if key != _SQL}):
        yield Gate(dataset, keys, limit, file)
    names = set()
    for entry in statements:
        texts = isinstance(entry, dict) and all(isinstance(value, str) for value in entry.values())
        if not texts or set(entry) != {"name", _SQL}:
            raise UsageError(f"{where}: {_EXAMPLE}")
        if entry["name"] in names:
            raise UsageError(f"{where}: two checks are called {entry['name']!r}; name them apart")
        names.add(entry["name"])
        yield Gate(dataset, (_SQL, entry["name"]), entry[_SQL], file)


def _leaves(table: Mapping[str, Any], above: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Give what is no table itself, under its dotted keys."""
    for key, value in table.items():
        if isinstance(value, dict) and value:
            yield from _leaves(value, (*above, key))
        else:
            yield (*above, key), value
