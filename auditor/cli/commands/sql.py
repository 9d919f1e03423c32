"""`auditor sql`: run one SQL statement, or open a prompt."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from auditor.cli import options as o
from auditor.cli.file_arguments import refuse_files_of
from auditor.cli.reader import DEFAULT_STORE


def command(
    query: Annotated[
        str | None,
        typer.Argument(
            metavar="STATEMENT",
            help="One statement; -: from standard input; default: open a prompt. With --schema: a table, or all.",
        ),
    ] = None,
    file: Annotated[Path | None, typer.Option("--file", "-f", help="Read the statement from a file.")] = None,
    param: Annotated[
        list[str] | None,
        typer.Option(
            "--param", "-p", help="name=value for $name in the statement. Values are text: cast with $name::int."
        ),
    ] = None,
    schema: Annotated[
        bool, typer.Option("--schema", help="List tables, views and functions with their meaning.")
    ] = False,
    limit: Annotated[
        int | None,
        typer.Option("--limit", min=1, help="Return only the first rows, and report whether there are more."),
    ] = None,
    files: Annotated[bool, typer.Option("--files", help="Let the statement read files in the working folder.")] = False,
    timeout: o.Timeout = None,
    store: o.StorePath = DEFAULT_STORE,
    wait: o.Wait = 10.0,
    memory: o.Memory = None,
    format_name: o.Format = None,
    as_json: o.Json = False,
    output: o.Output = None,
) -> None:
    """Run a read-only SQL query.

    A statement reads tables, views and functions such as `captions('flickr8k@v1:test')`. `--schema` lists them,
    `--schema NAME` shows the columns of one, and `--schema all` of each. docs/cookbook.md answers common questions.
    csv, json and parquet are written row by row, for any number of rows.

    Without a statement, a terminal opens a prompt. End each statement there with a semicolon; `.help` lists the
    commands. With prompt_toolkit (`pip install 'auditor[shell]'`) you can edit lines and recall earlier ones. Tab
    completes tables, columns and datasets. The store is locked only while a statement runs.

    How to read it: the columns are those of the statement. Ids are printed as they are. Other numbers have thousands
    separators in a table, but not in csv and json.

    Limits: a query is one statement that only reads. It reads the store, and with `--files` the files in the working
    folder. A query ends with exit code 5 if it takes longer than `--timeout` or more memory than `--memory`. So does a
    table of more than 100,000 rows. The prompt shows at most 1,000 rows per statement.

    Example: auditor sql "select gram, images from ngram_frequency('flickr8k') where n = 2 order by images desc limit 5"
    """
    del memory  # the callback of the option has set it
    from auditor import reports
    from auditor.cli.commands.shell import prompt
    from auditor.reports.rows import FORMATS
    from auditor.studies.upkeep import sql as study

    if query is None and file is None and not schema and sys.stdin is not None and sys.stdin.isatty():
        prompt(store, wait, timeout)
        return
    chosen = reports.chosen_format("json" if as_json else format_name, output)
    text = None if schema else study.statement(query, file, sys.stdin.buffer.read)
    given = study.parameters(param or [])
    if text is not None and files:
        refuse_files_of(text, [str(value) for value in given.values()], output)
    with o.opened(store, wait=wait, files=Path.cwd() if files else None) as opened:
        if text is None:
            result = study.schema(opened, query)
        else:
            if chosen in FORMATS:
                cuts: list[bool] = []
                rows = partial(study.stream, opened, text, given, timeout, limit)
                o.deliver_rows("sql", lambda take: cuts.append(rows(take)), chosen, output)
                if any(cuts):
                    o.narrate(study.cut(limit))
                return
            result = study.query(opened, text, given, timeout, rows=study.SHOWN, limit=limit)
    o.deliver(result, format_name, as_json, output)
