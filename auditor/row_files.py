"""Rows as a file that a user names and keeps: CSV or JSON lines, by its ending."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from auditor.errors import UsageError
from auditor.replacing import replacing

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
