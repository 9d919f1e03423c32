"""Rows that are written as they come, by the formats that need not know all of them: the same text as at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import polars as pl

from auditor.files.rows import Batches
from auditor.reports import csv
from auditor.result import Result

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
