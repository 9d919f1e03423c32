"""`auditor diff`: what changed."""

from __future__ import annotations

from typing import Annotated

import typer

from auditor.cli import options as o


def command(
    a: Annotated[str, typer.Argument(metavar="REF", help="Before: flickr8k@v1.")],
    b: Annotated[str, typer.Argument(metavar="REF", help="After: flickr8k@v2.")],
    store: o.StorePath = o.DEFAULT_STORE,
    wait: o.Wait = 10.0,
    format_name: o.Format = None,
    as_json: o.Json = False,
    output: o.Output = None,
) -> None:
    """Count the images and captions added, removed, edited and moved from one version to another.

    Example: auditor diff flickr8k@v1 flickr8k@v2
    """
    from auditor.studies.history import diff

    with o.opened(store, wait=wait) as opened:
        result = diff(opened, a, b)
    o.deliver(result, format_name, as_json, output)
