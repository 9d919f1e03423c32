"""`auditor sql`: any other question."""

from __future__ import annotations

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
    store: o.StorePath = o.DEFAULT_STORE,
    wait: o.Wait = 10.0,
    format_name: o.Format = None,
    as_json: o.Json = False,
    output: o.Output = None,
) -> None:
    """Ask the store anything, in SQL, read-only.

    Example: auditor sql "select gram, images from ngram_frequency where n = 2 order by images desc limit 5"
    """
    from auditor.studies import query as study

    with o.opened(store, wait=wait) as opened:
        if schema:
            result = study.schema(opened)
        else:
            result = study.query(opened, study.statement(query, file), study.parameters(param or []))
    o.deliver(result, format_name, as_json, output)
