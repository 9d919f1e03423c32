"""`auditor duplicates`: captions that stand more than once, word for word or nearly."""

from __future__ import annotations

from typing import Annotated

import typer

from auditor.cli import options as o


def command(
    refs: o.Refs,
    near: Annotated[
        float,
        typer.Option("--near", help="Share of the words of two captions that must be in both, above 0.5; 0.7: 5 of 7."),
    ] = 0.7,
    profile: o.TextProfile = "auto",
    split: o.Split = None,
    examples: Annotated[int, typer.Option("--examples", min=0, help="Examples of each kind to show.")] = 3,
    pairs: Annotated[
        bool, typer.Option("--pairs", help="Rows are captions, each beside the one most like it, in place of counts.")
    ] = False,
    store: o.StorePath = o.DEFAULT_STORE,
    wait: o.Wait = 10.0,
    format_name: o.Format = None,
    as_json: o.Json = False,
    output: o.Output = None,
) -> None:
    """Captions that stand again, exactly or nearly: within images, across them, splits, datasets and versions.

    Example: auditor duplicates flickr8k flickr30k
    """
    from auditor import config
    from auditor.studies.duplicates import duplicates

    declared = config.sources()
    with o.opened(store, wait=wait) as opened, o.progressing() as progress:
        result = duplicates(opened, refs, near, profile, split, examples, declared, progress, pairs=pairs)
    o.deliver(result, format_name, as_json, output)
