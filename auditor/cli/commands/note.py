"""`auditor note`: what to remember of a version."""

from __future__ import annotations

from typing import Annotated

import typer

from auditor.cli import options as o


def command(
    ref: Annotated[str, typer.Argument(metavar="REF", help="Version: flickr8k, flickr8k@v2, flickr8k@camera-ready.")],
    text: Annotated[str, typer.Argument(metavar="TEXT", help='What to remember; "" forgets the note.')],
    store: o.StorePath = o.DEFAULT_STORE,
    wait: o.Wait = 10.0,
    format_name: o.Format = None,
    as_json: o.Json = False,
    output: o.Output = None,
) -> None:
    """Replace the note of a version, which `auditor log` shows.

    Example: auditor note flickr8k@v2 "without the five twins"
    """
    from auditor.studies.versions import note

    with o.opened(store, write=store.exists(), wait=wait) as opened:  # a note is no reason to make a store
        result = note(opened, ref, text)
    o.deliver(result, format_name, as_json, output)
