"""`auditor log`: the versions of a dataset."""

from __future__ import annotations

from typing import Annotated

import typer

from auditor.cli import options as o


def command(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Dataset.")],
    store: o.StorePath = o.DEFAULT_STORE,
    wait: o.Wait = 10.0,
    format_name: o.Format = None,
    as_json: o.Json = False,
    output: o.Output = None,
) -> None:
    """List every version of a dataset, the newest first."""
    from auditor.studies.versions import log

    with o.opened(store, wait=wait) as opened:
        result = log(opened, name)
    o.deliver(result, format_name, as_json, output)
