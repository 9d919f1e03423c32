"""`auditor outliers`: captions that may be of another image, and images that people describe differently."""

from __future__ import annotations

from typing import Annotated

import typer

from auditor.cli import options as o


def command(
    refs: o.Refs,
    metric: Annotated[
        str, typer.Option("--metric", "-m", help="Metric of likeness, 0 to 1, with parameters: cider:stem=true.")
    ] = "cider",
    level: Annotated[
        str,
        typer.Option("--level", help="caption: those least like the others; image: all, with their consensus caption."),
    ] = "caption",
    share: Annotated[
        float, typer.Option("--share", help="Share of the captions, the least like the others, that are looked into.")
    ] = 0.1,
    profile: o.TextProfile = "auto",
    split: o.Split = None,
    store: o.StorePath = o.DEFAULT_STORE,
    wait: o.Wait = 10.0,
    format_name: o.Format = None,
    as_json: o.Json = False,
    output: o.Output = None,
) -> None:
    """Captions that seem swapped, of another image, or alone among those of theirs; images that are hard to describe.

    Examples: auditor outliers flickr8k -o outliers.csv · auditor outliers flickr8k --level image -o consensus.csv
    """
    from auditor.studies.outliers import outliers

    with o.opened(store, wait=wait) as opened, o.progressing() as progress:
        result = outliers(opened, refs, metric, profile, split, level, share, progress)
    o.deliver(result, format_name, as_json, output)
