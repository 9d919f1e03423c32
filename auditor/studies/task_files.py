"""Questions as files: one for judges, which says nothing of who wrote what, and its key, which undoes the draw."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import polars as pl

from auditor.errors import UsageError
from auditor.model import Result, Table
from auditor.replacing import replacing

_FORMATS = (".csv", ".jsonl")

#: What the key holds of each question; `votes` reads it back.
KEY = ("task", "category", "origin_b", "origin_c", "swapped", "reference", "seed", "dataset", "version", "drawn_from")


def key_of(path: Path) -> Path:
    """Name the key of a file of questions: `tasks.key.csv` beside `tasks.csv`."""
    return path.with_name(f"{path.stem}.key.csv")


def check_path(path: Path, *, force: bool = False) -> None:
    """Raise `UsageError` for a file that is neither CSV nor JSON lines, and for one that may hold votes already."""
    if path.suffix not in _FORMATS:
        raise UsageError(f"{path}: questions are written as {' or '.join(_FORMATS)}: name a file that ends so")
    if not path.parent.is_dir():
        raise UsageError(f"{path}: cannot be written: there is no folder {path.parent}")
    there = [one for one in (path, key_of(path)) if one.exists()]
    if there and not force:
        raise UsageError(
            f"{there[0]}: is there already, and may hold votes; name another file, or replace it with --force"
        )


def write(result: Result, path: Path, judges: int, *, force: bool = False) -> Result:
    """Write the questions of `tasks` for so many judges, with an empty column for the choice of each, and their key.

    Gives the result with a note on how votes come back. Raises `UsageError` for a file that cannot be written.
    """
    check_path(path, force=force)
    rows = result.frame
    texts = ["a", "b", "c"] if rows["kind"][0] == "triplets" else ["b", "c"]
    choices = [pl.lit(None, pl.String).alias(f"judge_{number}") for number in range(1, judges + 1)]
    shown = rows.select("task", "kind", "image", "question", *texts, *choices, "dataset", "version")
    key = key_of(path)
    try:
        with replacing(path) as file:
            if path.suffix == ".jsonl":
                shown.write_ndjson(file)
            else:
                shown.write_csv(file)
        with replacing(key) as file:
            rows.select(KEY).write_csv(file)
    except OSError as error:
        raise UsageError(f"{path}: cannot be written: {error.strerror or error}") from error
    files = pl.DataFrame({"file": [str(path), str(key)], "for": ["judges: B or C in each judge's column", "ingest"]})
    advice = (
        f"with votes in, `auditor ingest NAME --from {path} --format votes --option key_file={key}` reads them back",
    )
    return replace(result, tables=(*result.tables, Table("written", files)), notes=(*result.notes, *advice))
