"""Writing rows to files: whole frames as CSV or JSON lines, and batches as CSV or Parquet, by the file's ending."""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import polars as pl
from polars.exceptions import ComputeError
from polars.io.plugins import register_io_source

from auditor.errors import SqlError, UsageError
from auditor.files import replacing

#: Batches of rows: at least one frame, all with the same columns.
Batches = Iterator[pl.DataFrame]

#: Endings of files that are written in batches, for any number of rows.
AS_THEY_COME = (".parquet", ".csv")

_FORMATS = (".csv", ".jsonl")


def check_path(path: Path, what: str, *beside: Path, force: bool, holding: str = "") -> None:
    """Raise `UsageError` for a file that is neither CSV nor JSON lines, in a missing folder, or that exists already.

    `what` names the rows in the plural. `beside` are files that are written with it. `holding` describes what an
    existing file may hold. With `force`, existing files are allowed.
    """
    if path.suffix not in _FORMATS:
        raise UsageError(f"{path}: {what} are written as {' or '.join(_FORMATS)}; name a file with such an ending")
    if not path.parent.is_dir():
        raise UsageError(f"{path}: cannot be written: the folder {path.parent} does not exist")
    existing = next((file for file in (path, *beside) if file.exists()), None)
    if existing is not None and not force:
        raise UsageError(f"{existing}: already exists{holding}; name another file, or replace it with --force")


def write_rows(rows: pl.DataFrame, path: Path) -> None:
    """Write rows to `path`, replacing a file there. Raises `UsageError` if it cannot be written."""
    try:
        with replacing(path) as file:
            if path.suffix == ".jsonl":
                rows.write_ndjson(file)
            else:
                rows.write_csv(file)
    except OSError as error:
        raise UsageError(f"{path}: cannot be written: {error.strerror or error}") from error


def write_batches(batches: Batches, path: Path) -> None:
    """Write batches of rows to `path`, replacing a file there. Raises `UsageError` if it cannot be written."""
    try:
        with replacing(path) as file:
            if path.suffix == ".parquet":
                parquet(batches, file)
                return
            for number, batch in enumerate(batches):
                batch.write_csv(file, include_header=number == 0)
    except OSError as error:
        raise UsageError(f"{path}: cannot be written: {error.strerror or error}") from error


def parquet(batches: Batches, file: BinaryIO) -> None:
    """Write Parquet. Raises `OSError` for a full disk, `SqlError` for a column whose type changes between batches."""
    first = next(batches)

    def rows(
        with_columns: list[str] | None, predicate: pl.Expr | None, n_rows: int | None, batch_size: int | None
    ) -> Batches:
        del with_columns, predicate, n_rows, batch_size  # a sink asks for everything
        for batch in itertools.chain([first], batches):
            if batch.schema != first.schema:
                name = next(name for name, kind in batch.schema.items() if kind != first.schema[name])
                raise SqlError(f"{name}: has dates or times that Parquet cannot store; cast the column to varchar")
            yield batch

    with disk_errors():
        register_io_source(rows, schema=first.schema).sink_parquet(file)


@contextmanager
def disk_errors() -> Iterator[None]:
    """Raise `OSError` with its number if Polars cannot write: for Parquet, Polars raises its own error."""
    try:
        yield
    except (ComputeError, OSError) as error:
        number = re.search(r"\(os error (\d+)\)", str(error))
        if number is None:
            raise
        raise OSError(int(number[1]), os.strerror(int(number[1]))) from error
