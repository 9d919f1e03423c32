"""`auditor check`: the gates that datasets.toml declares."""

from __future__ import annotations

from typing import Annotated

import typer

from auditor.cli import options as o


def command(
    refs: Annotated[
        list[str] | None,
        typer.Argument(metavar="REF…", help="What to check; default: every dataset that has gates."),
    ] = None,
    strict: Annotated[bool, typer.Option("--strict", help="What cannot be answered counts as failed.")] = False,
    timeout: o.GateTimeout = 300.0,
    store: o.StorePath = o.DEFAULT_STORE,
    wait: o.Wait = 10.0,
    format_name: o.VerdictFormat = None,
    as_json: o.Json = False,
    output: o.Output = None,
) -> None:
    """Check datasets against the gates of datasets.toml, tables check and NAME.check; exit with 1 where one fails.

    --format junit makes a test report, --format github annotates datasets.toml. Example: auditor check flickr8k
    """
    from auditor import config
    from auditor.studies.check import check, understood

    gates, declared = config.gates(), config.sources()
    understood(gates)  # a mistake in the file comes before one about the store
    with o.opened(store, wait=wait) as opened, o.progressing() as progress:
        result, failed = check(opened, refs or (), gates, declared, progress, strict=strict, timeout=timeout)
    o.deliver(result, format_name, as_json, output)
    if failed:
        raise typer.Exit(o.FINDING)
