"""Rows that are written as they come, by the formats that need not know all of them: the same text as at once."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from typing import BinaryIO

import polars as pl
from polars.exceptions import ComputeError
from polars.io.plugins import register_io_source

from auditor.errors import SqlError
from auditor.reports import csv
from auditor.result import Result

#: Rows as they come: at least one frame, all of the same columns.
Batches = Iterator[pl.DataFrame]

_ROWS = '"rows": ['

_END = "\n    "  # before the bracket that closes them


def _csv(command: str, batches: Batches) -> Iterator[str]:
    del command
    for number, batch in enumerate(batches):
        yield csv.rows(batch, header=number == 0)


def _json(command: str, batches: Batches) -> Iterator[str]:
    empty = Result(command, pl.DataFrame()).to_json()
    begin = empty.index(_ROWS) + len(_ROWS)
    some = False
    for batch in batches:
        if batch.is_empty():
            continue
        text = Result(command, batch).to_json()
        yield "," if some else text[:begin]
        yield text[begin : text.rindex(f"{_END}]")]
        some = True
    yield (_END if some else empty[:begin]) + empty[begin:] + "\n"


#: Writers of text: pieces of what `TEXT_FORMATS` give of a whole result.
TEXTS: Mapping[str, Callable[[str, Batches], Iterator[str]]] = {"csv": _csv, "json": _json}

FORMATS = (*TEXTS, "parquet")


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

    try:
        register_io_source(rows, schema=first.schema).sink_parquet(file)
    except ComputeError as error:  # what Polars makes of a disk that is full
        raise OSError(str(error)) from error
