"""The `check` tables of a datasets.toml as `Gate` records, each with the line that it stands on."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from auditor.errors import UsageError
from auditor.model import Gate

CHECK = "check"

_SQL = "sql"

_EXAMPLE = '[[check.sql]] needs name = "…" and sql = "select …", and nothing else'

_Keys = tuple[str | int, ...]


def declared_gates(file: Path, text: str, tables: Mapping[str, Any]) -> list[Gate]:
    """Read `[check]` and every `[NAME.check]` of a file, in this order. `text` is what `tables` were read from.

    Raises `UsageError` for a check that is no table, and for SQL without a name or a statement of its own. Which gates
    there are, and what a limit may be, is left to the study.
    """
    own = {name: table[CHECK] for name, table in tables.items() if isinstance(table, dict) and CHECK in table}
    checks = {name: table for name, table in [(None, tables.get(CHECK, {})), *own.items()] if table != {}}
    lines = _lines(text) if checks else {}
    return [
        gate
        for name, table in checks.items()
        for gate in _gates(file, name, table, lines, (CHECK,) if name is None else (name, CHECK))
    ]


def _gates(
    file: Path, dataset: str | None, table: Any, lines: Mapping[_Keys, int], above: tuple[str, ...]
) -> Iterator[Gate]:
    if not isinstance(table, dict):
        raise UsageError(f"{_place(file, lines.get(above))}: check must be a table of gates, such as images.min = 1000")
    statements = table.get(_SQL, [])
    if not isinstance(statements, list):
        raise UsageError(f"{_place(file, lines.get((*above, _SQL)))}: {_EXAMPLE}")
    for keys, limit in _leaves({key: value for key, value in table.items() if key != _SQL}):
        yield Gate(dataset, keys, limit, file, lines.get((*above, *keys)))
    names = set()
    for place, entry in enumerate(statements):
        line = lines.get((*above, _SQL, place))
        texts = isinstance(entry, dict) and all(isinstance(value, str) for value in entry.values())
        if not texts or set(entry) != {"name", _SQL}:
            raise UsageError(f"{_place(file, line)}: {_EXAMPLE}")
        if entry["name"] in names:
            raise UsageError(f"{_place(file, line)}: two checks are called {entry['name']!r}; name them apart")
        names.add(entry["name"])
        yield Gate(dataset, (_SQL, entry["name"]), entry[_SQL], file, line)


def _place(file: Path, line: int | None) -> str:
    return str(file) if line is None else f"{file}:{line}"


def _leaves(table: Mapping[str, Any], above: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Give what is no table itself, under its dotted keys."""
    for key, value in table.items():
        if isinstance(value, dict) and value:
            yield from _leaves(value, (*above, key))
        else:
            yield (*above, key), value


def _lines(text: str) -> dict[_Keys, int]:
    """Say on which line each table and each key of a TOML text begins. An element of an array of tables has a number.

    Lines are gathered until they are TOML by themselves: one header, or one key with its value.
    """
    found: dict[_Keys, int] = {}
    elements: Counter[_Keys] = Counter()
    above: _Keys = ()
    part, begun = "", 1
    for number, line in enumerate(text.split("\n"), 1):
        begun = begun if part else number
        part += line + "\n"
        try:
            statement = tomllib.loads(part)
        except tomllib.TOMLDecodeError:
            continue
        if part.lstrip().startswith("["):
            above, is_element = _header(statement)
            if is_element:
                above = (*above, elements[above])
                elements[above[:-1]] += 1
            found[above] = begun
        else:
            for keys in _paths(statement):
                found.setdefault((*above, *keys), begun)
        part = ""
    return found


def _header(statement: Mapping[str, Any]) -> tuple[tuple[str, ...], bool]:
    """Give the keys of a header that was read alone, and whether it begins an element of an array of tables."""
    keys: tuple[str, ...] = ()
    below: Any = statement
    while isinstance(below, dict) and below:
        ((key, below),) = below.items()
        keys = (*keys, key)
    return keys, isinstance(below, list)


def _paths(value: Any, above: _Keys = ()) -> Iterator[_Keys]:
    """Give the keys of a value and of everything inside it."""
    if above:
        yield above
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in inside:
        yield from _paths(inner, (*above, key))
