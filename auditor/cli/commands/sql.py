"""`auditor sql`: any other question."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from auditor.cli import options as o


def command(
    query: Annotated[str | None, typer.Argument(metavar="QUERY", help="One statement; the store is read-only.")] = None,
    file: Annotated[Path | None, typer.Option("--file", "-f", help="Read the statement from a file.")] = None,
    param: Annotated[
        list[str] | None, typer.Option("--param", "-p", help="name=value for $name in the statement.")
    ] = None,
    schema: Annotated[
        bool, typer.Option("--schema", help="List tables, views and columns with their meaning.")
    ] = False,
    files: Annotated[
        bool, typer.Option("--files", help="Let the statement read files of the working folder, and no others.")
    ] = False,
    timeout: o.Timeout = None,
    store: o.StorePath = o.DEFAULT_STORE,
    wait: o.Wait = 10.0,
    format_name: o.Format = None,
    as_json: o.Json = False,
    output: o.Output = None,
) -> None:
    """Ask the store anything, in SQL, read-only: csv, json and parquet are written row by row, however many.

    Example: auditor sql "select gram, images from ngram_frequency where n = 2 order by images desc limit 5"
    """
    from auditor import reports
    from auditor.reports import streamed
    from auditor.studies.upkeep import sql as study

    chosen = reports.chosen_format("json" if as_json else format_name, output)
    with o.opened(store, wait=wait, files=Path.cwd() if files else None) as opened:
        if schema:
            result = study.schema(opened)
        else:
            text, given = study.statement(query, file), study.parameters(param or [])
            if chosen in streamed.FORMATS:
                o.deliver_rows("sql", partial(study.stream, opened, text, given, timeout), chosen, output)
                return
            result = study.query(opened, text, given, timeout, rows=study.SHOWN)
    o.deliver(result, format_name, as_json, output)
