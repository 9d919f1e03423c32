"""`auditor tag`: a name for a version."""

from __future__ import annotations

from typing import Annotated

import typer

from auditor.cli import options as o


def command(
    ref: Annotated[str, typer.Argument(metavar="REF", help="Version to name: flickr8k, flickr8k@v2.")],
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name to give it: camera-ready.")],
    delete: Annotated[bool, typer.Option("--delete", help="Forget the name; the version stays.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Take the name from another version.")] = False,
    store: o.StorePath = o.DEFAULT_STORE,
    wait: o.Wait = 10.0,
    format_name: o.Format = None,
    as_json: o.Json = False,
    output: o.Output = None,
) -> None:
    """Give a version a name that every REF understands; `auditor log` lists names.

    Example: auditor tag flickr8k@v2 camera-ready, then auditor bounds flickr8k@camera-ready
    """
    from auditor.studies.versions import tag

    with o.opened(store, write=store.exists(), wait=wait) as opened:  # naming is no reason to make a store
        result = tag(opened, ref, name, delete=delete, force=force)
    o.deliver(result, format_name, as_json, output)
