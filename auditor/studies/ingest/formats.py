"""Which files can be read, how is a format recognised, and what can be set?"""

from __future__ import annotations

import inspect
from collections.abc import Sequence

import polars as pl

from auditor.model import COMMON_OPTIONS
from auditor.result import Result, Table
from auditor.sources import FORMATS, find_format

_SCHEMA = dict.fromkeys(("format", "property", "option", "value"), pl.String())


def formats(names: Sequence[str]) -> Result:
    """List every format with what it reads; of those named, how they are recognized, and their options.

    Rows have a property each: reads, recognized, option. Raises `UsageError` for an unknown name.
    """
    for name in names:
        find_format(name)
    frame = pl.DataFrame([row for name in names or FORMATS for row in _rows(name)], schema=_SCHEMA, orient="row")
    if not names:
        listed = frame.filter(property="reads").select("format", reads="value")
        return Result("formats", frame, tables=(Table("formats of files", listed, name="formats"),))
    told = ((name, frame.filter(format=name)) for name in names)
    tables = (
        Table(
            f"format {name}",
            rows.select(pl.coalesce("option", "property").alias("about"), meaning="value"),
            name="format",
        )
        for name, rows in told
    )
    return Result("formats", frame, tables=tuple(tables))


def _rows(name: str) -> list[tuple[str, str, str | None, str]]:
    one = FORMATS[name]
    options = {**one.options, **COMMON_OPTIONS}
    reads, recognised = (inspect.getdoc(about) or "" for about in (inspect.getmodule(one.read), one.recognises))
    first = reads.partition("\n\n")[0].removeprefix(f"Format `{name}`: ")
    return [
        (name, "reads", None, " ".join(first.split())),
        (name, "recognized", None, " ".join(recognised.split())),
        *((name, "option", option, meaning) for option, meaning in options.items()),
    ]
