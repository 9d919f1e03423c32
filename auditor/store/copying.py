"""A compact copy of an open file: written next to its target, compared with the original, then renamed."""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from pathlib import Path
from typing import Any

import duckdb

from auditor.errors import StoreError

_COPY = "/copy"  # the engine names an open file by its stem, which never holds a slash


def partial_of(target: Path) -> Path:
    """Return the path that a copy is written to before it replaces `target`."""
    return target.with_name(f"{target.name}.partial")


def copy(connection: duckdb.DuckDBPyConnection, path: Path, target: Path) -> None:
    """Copy the file at `path`, which `connection` has open for writing, to `target`, which may be `path` itself.

    If the process is killed, the file at `target` is unchanged, and the next copy replaces the unfinished one. Raises
    `StoreError` if the copy is not equal to the original, and the errors of the engine.
    """
    partial = partial_of(target)
    log = partial.with_name(f"{partial.name}.wal")
    _remove(partial, log)
    try:
        _write(connection, path, partial)
        if log.exists():
            raise StoreError(f"{path}: its copy {partial.name} cannot be finished; the store is unchanged; try again")
        shutil.copymode(path, partial)
        partial.replace(target)
    finally:
        _remove(partial, log)
    _settle(target.parent)


def _write(connection: duckdb.DuckDBPyConnection, path: Path, partial: Path) -> None:
    original = connection.execute("select current_database()").fetchall()[0][0]
    file = str(partial.absolute()).replace("'", "''")
    connection.execute(f"attach '{file}' as {_quoted(_COPY)}").complete()
    try:
        connection.execute("set preserve_insertion_order = true").complete()
        connection.execute(f"copy from database {_quoted(original)} to {_quoted(_COPY)}").complete()
        connection.execute(f"checkpoint {_quoted(_COPY)}").complete()
        if _inventory(connection, original) != _inventory(connection, _COPY):
            raise StoreError(f"{path}: its copy {partial.name} is not equal to it; the store is unchanged; try again")
    finally:
        with suppress(duckdb.Error):  # after a failed write the engine may reject further work
            connection.execute("set preserve_insertion_order = false").complete()
            connection.execute(f"detach {_quoted(_COPY)}").complete()


def _inventory(connection: duckdb.DuckDBPyConnection, database: str) -> list[tuple[Any, ...]]:
    """List the contents of a file: tables, views and columns with their comments, rows as hashes."""

    def listed(fields: str, relation: str) -> list[tuple[Any, ...]]:
        return connection.execute(
            f"select {fields} from {relation}() where database_name = $database and not internal order by all",
            {"database": database},
        ).fetchall()

    tables = listed("schema_name, table_name, comment", "duckdb_tables")
    held = [
        connection.execute(
            "select count(*), sum(hash(stored_row))"
            f" from {_quoted(database)}.{_quoted(schema)}.{_quoted(table)} as stored_row"
        ).fetchall()[0]
        for schema, table, _ in tables
    ]
    columns = "schema_name, table_name, column_index, column_name, data_type, is_nullable, comment"
    return [
        *tables,
        *held,
        *listed("schema_name, view_name, comment, sql", "duckdb_views"),
        *listed(columns, "duckdb_columns"),
    ]


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _remove(*files: Path) -> None:
    for file in files:
        file.unlink(missing_ok=True)


def _settle(folder: Path) -> None:
    """Make the new name survive a power cut, if the file system supports it."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
