"""CSV: the flat rows, with the column names of JSON and Parquet."""

from __future__ import annotations

import polars as pl
import polars.selectors as cs

from auditor.result import Result


def render(result: Result) -> str:
    """Give the rows as CSV with a header; lists are joined by blanks."""
    return rows(result.frame)


def rows(frame: pl.DataFrame, *, header: bool = True) -> str:
    """Give rows as CSV, with or without a header."""
    nested = frame.select(cs.list()).columns
    flat = frame.with_columns(
        *(pl.col(name).cast(pl.List(pl.String)).list.join(" ") for name in nested),
        cs.datetime(time_zone=None).dt.to_string("%FT%T%.f"),
    )
    return flat.write_csv(datetime_format="%+", include_header=header)


def formulas(frame: pl.DataFrame) -> int:
    """Count the texts that a spreadsheet program would compute, were they opened as CSV; they are given as they are."""
    begins = cs.string().str.contains(r"^[=+\-@\t\r]").sum()
    return int(frame.select(pl.sum_horizontal(begins)).item()) if frame.select(cs.string()).width else 0
