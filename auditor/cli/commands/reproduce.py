"""`auditor reproduce`: published figures beside ours."""

from __future__ import annotations

from typing import Annotated

import typer

from auditor.cli import options as o


def command(
    papers: Annotated[
        list[str] | None, typer.Argument(metavar="PAPER…", help="elliott2014, wang2016, …; see --all for every one.")
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Every paper whose figures are here.")] = False,
    seed: o.Seed = 1,
    store: o.StorePath = o.DEFAULT_STORE,
    wait: o.Wait = 10.0,
    format_name: o.Format = None,
    as_json: o.Json = False,
    output: o.Output = None,
) -> None:
    """Compare published figures with ours: within their bands, outside, or not answerable and why. Exit 1 for outside.

    Example: auditor reproduce wang2016 -o wang2016.csv
    """
    from auditor.errors import UsageError
    from auditor.published import papers as known
    from auditor.studies.reproduce import reproduce

    if bool(papers) == every:
        raise UsageError(f"name papers, or all of them with --all; known are {', '.join(known())}")
    with o.opened(store, wait=wait) as opened, o.progressing() as progress:
        result, holds = reproduce(opened, papers, seed, progress)
    o.deliver(result, format_name, as_json, output)
    if not holds:
        raise typer.Exit(o.FINDING)
