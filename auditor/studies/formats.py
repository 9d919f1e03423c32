"""Which files can be read, how is a format recognised, and what can be set?"""

from __future__ import annotations

import inspect
from typing import Annotated

import polars as pl

from auditor import parameters as p
from auditor.model import COMMON_OPTIONS
from auditor.result import Result, Table
from auditor.sources import FORMATS, find_format

Name = Annotated[str | None, p.Parameter("Explain this format; default: list all.", metavar="NAME", completes="format")]

_SCHEMA = dict.fromkeys(("format", "property", "option", "value"), pl.String())


def formats(name: Name = None) -> Result:
    """List the file formats that ingest reads, or explain one.

    Lists every format with what it reads; with NAME, how it is recognised where nobody names it, and its options.

    How to read it: an option is set as in --option KEY=VALUE, or under `options` in datasets.toml. Rows have a property
    each: reads, recognised, option.

    Limits: the first format that recognises a file is taken, in the order of the list; `--format` names another.

    Raises `UsageError` for an unknown name.

    Example: auditor formats coco
    """
    if name is not None:
        find_format(name)
    rows = [row for one in ([name] if name else FORMATS) for row in _rows(one)]
    frame = pl.DataFrame(rows, schema=_SCHEMA, orient="row")
    if name is None:
        listed = frame.filter(property="reads").select("format", reads="value")
        return Result("formats", frame, tables=(Table("formats of files", listed, name="formats"),))
    told = frame.select(pl.coalesce("option", "property").alias("about"), meaning="value")
    return Result("formats", frame, tables=(Table(f"format {name}", told, name="format"),))


def _rows(name: str) -> list[tuple[str, str, str | None, str]]:
    one = FORMATS[name]
    options = {**one.options, **COMMON_OPTIONS}
    reads, recognised = (inspect.getdoc(about) or "" for about in (inspect.getmodule(one.read), one.recognises))
    first = reads.partition("\n\n")[0].removeprefix(f"Format `{name}`: ")
    return [
        (name, "reads", None, " ".join(first.split())),
        (name, "recognised", None, " ".join(recognised.split())),
        *((name, "option", option, meaning) for option, meaning in options.items()),
    ]
