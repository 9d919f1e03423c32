"""Rows in files, by their ending: frames as CSV or JSON lines, batches as CSV or Parquet; and tables of scores."""

from __future__ import annotations

import functools
import itertools
import os
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import polars as pl
from polars.exceptions import ComputeError
from polars.io.plugins import register_io_source

from auditor.errors import AuditorError, SourceError, SqlError, UsageError
from auditor.files import written

#: Batches of rows: at least one frame, all with the same columns.
Batches = Iterator[pl.DataFrame]

#: Endings of files that are written in batches, for any number of rows.
AS_THEY_COME = (".parquet", ".csv")

_FORMATS = (".csv", ".jsonl")


_READERS: Mapping[str, Callable[[Path], pl.DataFrame]] = {
    ".csv": functools.partial(pl.read_csv, infer_schema=False),
    ".tsv": functools.partial(pl.read_csv, infer_schema=False, separator="\t", quote_char=None),
    ".jsonl": pl.read_ndjson,
    ".parquet": pl.read_parquet,
}


def read_rows(file: Path, what: str, form: str) -> pl.DataFrame:
    """Read a table of `what`, whose columns are as `form` describes. Cells of CSV are texts.

    Raises `SourceError` for a file that cannot be read, and for one without rows.
    """
    read = _READERS.get(file.suffix)
    if read is None:
        raise SourceError(f"{file}: unsupported file of {what}; use {', '.join(_READERS)}")
    try:
        rows = read(file)
    except (OSError, pl.exceptions.PolarsError) as error:
        raise SourceError(f"{file}: cannot be read as {what}: {str(error).splitlines()[0]}; expected {form}") from error
    if rows.is_empty():
        raise SourceError(f"{file}: has no rows; expected {form}")
    return rows


def numbers_of(
    file: Path,
    values: pl.Series,
    expected: str = "a finite number",
    most: float | None = None,
    *,
    optional: bool = False,
    error: type[AuditorError] = SourceError,
) -> pl.Series:
    """Read a column of finite numbers, with `most` from 0 to `most`. Only an `optional` column can have empty cells."""
    numbers = values.cast(pl.Float64, strict=False)
    good = numbers.is_finite() if most is None else numbers.is_between(0, most)
    bad = (~good.fill_null(value=False) & ~(values.is_null() & optional)).arg_true()
    if len(bad):
        raise error(f"{file}: row {bad[0] + 1:,}: {values.name} is {values[bad[0]]}: expected {expected}")
    return numbers


def check_path(path: Path, what: str, *beside: Path, force: bool, holding: str = "") -> None:
    """Raise `UsageError` for a file that is neither CSV nor JSON lines, in a missing folder, or that exists already.

    `what` names the rows in the plural. `beside` are files that are written with it. `holding` describes what an
    existing file may hold. With `force`, existing files are allowed.
    """
    if path.suffix not in _FORMATS:
        raise UsageError(f"{path}: {what} are written as {' or '.join(_FORMATS)}; name a file with such an ending")
    if not path.parent.is_dir():
        raise UsageError(f"{path}: cannot be written: the folder {path.parent} does not exist")
    refuse_existing(path, *beside, force=force, holding=holding)


def refuse_existing(*paths: Path, force: bool, holding: str = "") -> None:
    """Raise `UsageError` for the first path that exists, unless `force` is set."""
    existing = None if force else next((path for path in paths if path.exists() or path.is_symlink()), None)
    if existing is not None:
        raise UsageError(f"{existing}: already exists{holding}; name another, or replace it with --force")


def write_rows(rows: pl.DataFrame, path: Path) -> None:
    """Write rows to `path`, replacing a file there. Raises `UsageError` if it cannot be written."""
    with written(path) as file:
        if path.suffix == ".jsonl":
            rows.write_ndjson(file)
        else:
            rows.write_csv(file)


def write_batches(batches: Batches, path: Path) -> None:
    """Write batches of rows to `path`, replacing a file there. Raises `UsageError` if it cannot be written."""
    with written(path) as file:
        if path.suffix == ".parquet":
            parquet(batches, file)
            return
        for number, batch in enumerate(batches):
            batch.write_csv(file, include_header=number == 0)


def parquet(batches: Batches, file: BinaryIO) -> None:
    """Write Parquet. Raises `OSError` for a full disk, `SqlError` for a column whose type changes between batches."""
    first = next(batches)

    def rows(  # a sink asks for everything
        with_columns: list[str] | None, predicate: pl.Expr | None, n_rows: int | None, batch_size: int | None
    ) -> Batches:
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
