"""sql/*.sql as records: one file is a header and one SELECT. sql/relations.toml declares what Python binds for them.

The header is a contract (see `tests/test_sql_contracts.py`, which lets DuckDB check it). Nothing here opens a store.
"""

from __future__ import annotations

import functools
import hashlib
import itertools
import json
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb

from auditor.errors import SqlError

_FIELD = re.compile(r"-- (name|version|grain|params|reads|returns|order|merges|cites): (.*)")


@dataclass(frozen=True)
class SqlFile:
    """One SELECT with its declared parameters, inputs and columns.

    `reads` names tables of the store and other files; `returns` names the columns, left to right;
    `order` is how the rows are ordered, empty where readers must not rely on any; `merges` is how the rows of parts
    with whole images make those of all: `rows` together, `distinct` ones, or with a `sum` of columns.
    """

    path: Path
    name: str
    version: int
    grain: str
    params: tuple[str, ...]
    reads: tuple[str, ...]
    returns: tuple[str, ...]
    order: str
    merges: str
    statement: str

    @functools.cached_property
    def place(self) -> str:
        """Its path below `sql/`."""
        return self.path.relative_to(sql_root()).as_posix()

    def chosen(self, params: Mapping[str, Any]) -> dict[str, Any]:
        """Return those of the parameters that the file declares; all of them must be there."""
        return {name: params[name] for name in self.params}

    @property
    def meaning(self) -> str:
        """What its rows are, in words: the paragraph below the header."""
        _, _, below = self.statement.partition("\n--\n")
        lines = itertools.takewhile(lambda line: line.startswith("-- "), below.splitlines())
        return " ".join(line.removeprefix("-- ") for line in lines)


@functools.cache
def sql_root() -> Path:
    """Find `sql/`, inside an installed package or at the top of a checkout."""
    package = Path(__file__).parents[1]
    return next(path for path in (package / "sql", package.parent / "sql") if path.is_dir())


@functools.cache
def catalogue() -> dict[str, SqlFile]:
    """Read every SELECT below `sql/` that a study may run, by name.

    The schema, the macros, and the views and functions for users are not included.
    """
    apart = (sql_root(), sql_root() / "people")
    files = sorted(path for path in sql_root().rglob("*.sql") if path.parent not in apart)
    return {parsed.name: parsed for parsed in map(parse, files)}


def parse(path: Path) -> SqlFile:
    """Read one file."""
    text = path.read_text(encoding="utf-8")
    lines = text.replace(",\n--   ", ", ").splitlines()  # a long list goes on, indented
    header = {match[1]: match[2].strip() for match in map(_FIELD.fullmatch, lines) if match}
    return SqlFile(
        path=path,
        name=header["name"],
        version=int(header["version"]),
        grain=header["grain"],
        params=tuple(part.split()[0] for part in _listed(header.get("params", ""))),
        reads=_listed(header.get("reads", "")),
        returns=_listed(header["returns"]),
        order=header.get("order", ""),
        merges=header.get("merges", ""),
        statement=text.strip().removesuffix(";"),
    )


def _listed(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())


def over(statement: str, tables: Mapping[str, str]) -> str:
    """Replace relations in a statement by tables: `from word` becomes `from temp."word 3" as word`."""
    text, parts, end = statement.encode(), list[str](), 0  # the engine's places count bytes
    for start, name, is_renamed in _named(statement):
        if (table := tables.get(name)) is not None:
            parts += [text[end:start].decode(), table, "" if is_renamed else f" as {name}"]
            end = start + len(name.encode())
    return "".join([*parts, text[end:].decode()])


@functools.cache
def _named(statement: str) -> list[tuple[int, str, bool]]:
    """List where a statement reads which relation, and whether it calls it otherwise, by the engine's own parser."""
    parser = _parser().cursor()
    written = parser.execute("select json_serialize_sql(?)", [statement]).fetchall()[0][0]
    read = list[tuple[int, str, bool]]()

    def note(part: dict[str, Any]) -> dict[str, Any] | None:
        """Note a relation. Only the outermost object is kept, since walking a tree takes longer than its parsing."""
        if part.get("type") == "BASE_TABLE" and not part["schema_name"]:
            read.append((part["query_location"], part["table_name"], bool(part["alias"])))
        return part if "error" in part else None

    if (parsed := json.loads(written, object_hook=note))["error"]:
        raise SqlError(f"{parsed['error_message']}: {statement}")
    return sorted(read)


@functools.cache
def _parser() -> duckdb.DuckDBPyConnection:
    return duckdb.connect()


def parts(parsed: Any) -> Iterator[dict[str, Any]]:
    """List every object of a statement that the engine has parsed, each before those in it."""
    waiting = [parsed]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            yield value
        if isinstance(value, dict | list):
            waiting += reversed(value.values() if isinstance(value, dict) else value)


@functools.cache
def macros() -> dict[str, str]:
    """Return the definition of every macro that SELECTs may call, by name."""
    text = (sql_root() / "macros.sql").read_text(encoding="utf-8")
    return {
        match[1]: match[0] for match in re.finditer(r"^create or replace temp macro (\w+)[^;]*;", text, re.MULTILINE)
    }


@functools.cache
def fingerprint(name: str) -> str:
    """Hash what a file computes: its tokens, the macros it calls, and every file it reads; never comments or layout."""
    file = catalogue()[name]
    digest = hashlib.sha256(f"{file.name} {file.version}\n{_tokens(file.statement)}".encode())
    for called in sorted(set(re.findall(r"\w+(?=\()", file.statement)) & set(macros())):
        digest.update(_tokens(macros()[called]).encode())
    for read in sorted(file.reads):
        digest.update(fingerprint(read).encode() if read in catalogue() else read.encode())
    return digest.hexdigest()


def _tokens(statement: str) -> str:
    text = statement.encode()  # the engine's offsets count bytes
    starts = duckdb.tokenize(statement)
    ends = [start for start, _ in starts[1:]] + [len(text)]
    return " ".join(
        text[start:end].decode().strip()
        for (start, kind), end in zip(starts, ends, strict=True)
        if kind is not duckdb.token_type.comment
    )


@functools.cache
def reads_of(name: str) -> frozenset[str]:
    """Collect everything that a file reads, directly and through the files it reads."""
    file = catalogue()[name]
    below = (reads_of(read) for read in file.reads if read in catalogue())
    return frozenset(file.reads).union(*below)


@dataclass(frozen=True)
class Relation:
    """A relation that Python binds.

    `grain` is the meaning of one row, `holds` describes all rows; `columns` are those that a SELECT may count on, with
    their types; `bound_by` names the modules that bind it.
    """

    grain: str
    holds: str
    columns: dict[str, str]
    bound_by: tuple[str, ...]


@functools.cache
def declared() -> dict[str, Relation]:
    """Read the declarations, by name."""
    tables = tomllib.loads((sql_root() / "relations.toml").read_text(encoding="utf-8"))
    return {
        name: Relation(
            table["grain"],
            table["holds"],
            {column: kind for column, _, kind in (written.partition(" ") for written in table["columns"])},
            tuple(table["bound_by"]),
        )
        for name, table in tables.items()
    }


def check_declaration(relation: str, columns: Sequence[str]) -> None:
    """Raise `TypeError` for a relation that is bound without a column that it is declared with."""
    declaration = declared().get(relation)
    lacking = [column for column in declaration.columns if column not in columns] if declaration else []
    if lacking:
        raise TypeError(f"{relation} is bound without {', '.join(lacking)}, which sql/relations.toml declares")
