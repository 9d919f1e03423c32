"""Rows as a file that a user names and keeps, by its ending: CSV or JSON lines; rows as they come: CSV or Parquet."""

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

#: Rows as they come: at least one frame, all of the same columns.
Batches = Iterator[pl.DataFrame]

#: What holds rows as they come, of any number.
AS_THEY_COME = (".parquet", ".csv")

_FORMATS = (".csv", ".jsonl")


def check_path(path: Path, what: str, *beside: Path, force: bool, holding: str = "") -> None:
    """Raise `UsageError` for a file that is neither CSV nor JSON lines, has no folder, or is there and may not go.

    `what` are the rows in plural, `beside` files that are written with it, `holding` says what those there may hold.
    """
    if path.suffix not in _FORMATS:
        raise UsageError(f"{path}: {what} are written as {' or '.join(_FORMATS)}: name a file that ends so")
    if not path.parent.is_dir():
        raise UsageError(f"{path}: cannot be written: there is no folder {path.parent}")
    there = next((one for one in (path, *beside) if one.exists()), None)
    if there is not None and not force:
        raise UsageError(f"{there}: is there already{holding}; name another file, or replace it with --force")


def write_rows(rows: pl.DataFrame, path: Path) -> None:
    """Write rows in place of what is at `path`. Raises `UsageError` where that cannot be."""
    try:
        with replacing(path) as file:
            if path.suffix == ".jsonl":
                rows.write_ndjson(file)
            else:
                rows.write_csv(file)
    except OSError as error:
        raise UsageError(f"{path}: cannot be written: {error.strerror or error}") from error


def write_batches(batches: Batches, path: Path) -> None:
    """Write rows as they come in place of what is at `path`. Raises `UsageError` where that cannot be."""
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
    """Write Parquet. Raises `OSError` where there is no room, `SqlError` where a column changes its type on the way."""
    first = next(batches)

    def rows(
        with_columns: list[str] | None, predicate: pl.Expr | None, n_rows: int | None, batch_size: int | None
    ) -> Batches:
        del with_columns, predicate, n_rows, batch_size  # a sink asks for everything
        for batch in itertools.chain([first], batches):
            if batch.schema != first.schema:
                name = next(name for name, kind in batch.schema.items() if kind != first.schema[name])
                raise SqlError(f"{name}: holds values that Parquet has no dates or times for; cast it to varchar")
            yield batch

    with disk_errors():
        register_io_source(rows, schema=first.schema).sink_parquet(file)


@contextmanager
def disk_errors() -> Iterator[None]:
    """Raise `OSError`, with its number, where Polars cannot write: for Parquet it raises an error of its own."""
    try:
        yield
    except (ComputeError, OSError) as error:
        number = re.search(r"\(os error (\d+)\)", str(error))
        if number is None:
            raise
        raise OSError(int(number[1]), os.strerror(int(number[1]))) from error
