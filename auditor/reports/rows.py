"""Flat rows as CSV, with the column names of JSON and Parquet. CSV and JSON can be streamed, with the same text."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import polars as pl
import polars.selectors as cs

from auditor.files.rows import Batches
from auditor.result import Result

_ROWS = '"rows": ['

_END = "\n    "  # before the bracket that closes them


def csv(result: Result) -> str:
    """Return the rows as CSV with a header; lists are joined by spaces."""
    return _csv_rows(result.frame)


def _csv_rows(frame: pl.DataFrame, *, header: bool = True) -> str:
    """Return rows as CSV, with or without a header."""
    nested = frame.select(cs.list()).columns
    flat = frame.with_columns(
        *(pl.col(name).cast(pl.List(pl.String)).list.join(" ") for name in nested),
        cs.datetime(time_zone=None).dt.to_string("%FT%T%.f"),
    )
    return flat.write_csv(datetime_format="%+", include_header=header)


def formulas(frame: pl.DataFrame | pl.LazyFrame) -> int:
    """Count the texts that a spreadsheet program would read as formulas in the CSV, which has them unchanged."""
    begins = frame.lazy().select(cs.string().str.contains(r"^[=+\-@\t\r]").sum())
    return sum(begins.collect(engine="streaming").row(0) if begins.collect_schema() else ())


def _csv(command: str, batches: Batches) -> Iterator[str]:
    for number, batch in enumerate(batches):
        yield _csv_rows(batch, header=number == 0)


def _json(command: str, batches: Batches) -> Iterator[str]:
    empty = Result(command, pl.DataFrame()).to_json()
    begin = empty.index(_ROWS) + len(_ROWS)
    has_rows = False
    for batch in batches:
        if batch.is_empty():
            continue
        text = Result(command, batch).to_json()
        yield "," if has_rows else text[:begin]
        yield text[begin : text.rindex(f"{_END}]")]
        has_rows = True
    yield (_END if has_rows else empty[:begin]) + empty[begin:] + "\n"


#: Writers of text in pieces, equal to the text of `TEXT_FORMATS` for a whole result.
TEXTS: Mapping[str, Callable[[str, Batches], Iterator[str]]] = {"csv": _csv, "json": _json}

FORMATS = (*TEXTS, "parquet")
