"""Data from Python instead of a file: frames, Arrow tables, datasets, rows or paths, in total or by split.

Each is written to a Parquet file, so that data in memory are read by the same rules as files.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import polars as pl

from auditor.errors import SourceError, UsageError

_EXPECTED = (
    "data: expected a Polars or pandas frame, an Arrow table, a Hugging Face dataset, a list of rows "
    "({'image': …, 'caption': …}), columns by name, or files; or any of these by split"
)


def files_of(data: Any, folder: Path, name: str) -> list[Path]:
    """Return the files in `data`, or a file in `folder` with its rows; by split as `SPLIT=FILE`.

    Raises `UsageError` if `data` is not a table, has no rows, or has rows that do not fit together.
    """
    if isinstance(data, Mapping) and data and all(_is_whole(part) for part in data.values()):
        parts = [(split, files_of(part, folder, f"{name}-{at}")) for at, (split, part) in enumerate(data.items())]
        return [Path(f"{split}={path}") for split, paths in parts for path in paths]
    if isinstance(data, str | Path):
        return [Path(data)]
    if isinstance(data, list | tuple) and data and all(isinstance(part, str | Path) for part in data):
        return [Path(part) for part in data]
    frame = _frame(data)
    if frame.is_empty():
        raise UsageError(f"data: {type(data).__name__} has no rows; the store is unchanged")
    path = folder / f"{name}.parquet"
    try:
        frame.write_parquet(path)
    except pl.exceptions.PolarsError as error:  # a column of objects that Polars only holds
        raise UsageError(f"data: cannot be written as a table: {_first_line(error)}") from error
    return [path]


@contextmanager
def named_as_data(folder: str) -> Iterator[None]:
    """Name parameter `data` in errors instead of the temporary file."""
    try:
        yield
    except SourceError as error:
        message = re.sub(rf"{re.escape(folder)}\S*?\.parquet", "data", str(error))
        if message == str(error):
            raise
        raise SourceError(message) from error


def _is_whole(value: Any) -> bool:
    """Return whether a value of a mapping is the data of a split, not a column."""
    if isinstance(value, list | tuple):
        return bool(value) and isinstance(value[0], Mapping | Path)
    if isinstance(value, str | Path | Mapping | pl.LazyFrame):
        return True
    return hasattr(value, "columns") or hasattr(value, "column_names")


def _frame(data: Any) -> pl.DataFrame:
    try:
        made = _made(data)
    except (pl.exceptions.PolarsError, TypeError, ValueError, OverflowError) as error:
        raise UsageError(f"data: {type(data).__name__} cannot be converted to a table: {_first_line(error)}") from error
    if made is None:
        raise UsageError(f"{_EXPECTED}; not {type(data).__name__}")
    return made


def _made(data: Any) -> pl.DataFrame | None:
    if isinstance(data, pl.LazyFrame):
        return data.collect()
    if isinstance(data, pl.DataFrame):
        return data
    if isinstance(data, Mapping):
        kept = {str(name): values if isinstance(values, pl.Series) else list(values) for name, values in data.items()}
        return pl.DataFrame(kept)
    if hasattr(data, "to_polars"):  # a Hugging Face dataset; its images remain files and bytes
        made = data.to_polars()
        return made if isinstance(made, pl.DataFrame) else pl.concat(made)
    if hasattr(data, "iloc") and hasattr(data, "columns"):
        return _of_pandas(data)
    if hasattr(data, "__arrow_c_stream__"):
        return pl.DataFrame(data, orient="row")
    if hasattr(data, "to_pandas"):
        return _of_pandas(data.to_pandas())
    return _of_rows(data) if isinstance(data, Iterable) and not isinstance(data, str | bytes) else None


def _of_pandas(frame: Any) -> pl.DataFrame:
    """Convert a pandas frame, with or without pyarrow; missing values become null."""
    names = [str(name) for name in frame.columns]
    if len(set(names)) < len(names):
        raise ValueError(f"duplicate column names: {', '.join(names)}")
    whole = frame.astype(object).where(frame.notna(), None)
    return pl.DataFrame({name: whole.iloc[:, number].tolist() for number, name in enumerate(names)})


def _of_rows(data: Iterable[Any]) -> pl.DataFrame | None:
    rows: Iterator[Any] = iter(data)
    first = next(rows, None)
    if first is None:
        return pl.DataFrame()
    if not isinstance(first, Mapping):
        return None
    held = [first, *rows]
    for number, row in enumerate(held, 1):
        if not isinstance(row, Mapping):
            raise TypeError(f"row {number} is {type(row).__name__}, not a mapping of columns")
    names = list(dict.fromkeys(name for row in held for name in row))
    return pl.DataFrame({str(name): [row.get(name) for row in held] for name in names})


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]
