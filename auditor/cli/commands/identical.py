"""`auditor identical`: captions of one image that say the same."""

from __future__ import annotations

from typing import Annotated

import typer

from auditor.cli import options as o


def command(
    refs: o.Refs,
    profile: o.TextProfile = "auto",
    split: o.Split = None,
    as_text: Annotated[
        bool, typer.Option("--as-text", help="Compare letter for letter: case, punctuation and blanks count.")
    ] = False,
    store: o.StorePath = o.DEFAULT_STORE,
    wait: o.Wait = 10.0,
    format_name: o.Format = None,
    as_json: o.Json = False,
    output: o.Output = None,
) -> None:
    """Pairs of identical captions of one image, and the images whose captions are all identical.

    Example: auditor identical flickr8k coco-val -o pairs.csv
    """
    from auditor.studies.identical import identical

    with o.opened(store, wait=wait) as opened, o.progressing() as progress:
        result = identical(opened, refs, profile, split, progress, as_text=as_text)
    o.deliver(result, format_name, as_json, output)
