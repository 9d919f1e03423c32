"""`auditor templates`: frequent openings and templates, and slots unlike the others."""

from __future__ import annotations

from typing import Annotated

import typer

from auditor.cli import options as o


def command(
    refs: o.Refs,
    level: Annotated[
        str, typer.Option("--level", help="dataset: openings, templates, slots; caption: those made of a template.")
    ] = "dataset",
    least: Annotated[
        float, typer.Option("--least", help="Share of the captions that have to hold what is called a template.")
    ] = 0.001,
    metric: Annotated[str, typer.Option("--metric", "-m", help="Metric of each slot's score.")] = "cider",
    profile: o.TextProfile = "auto",
    split: o.Split = None,
    store: o.StorePath = o.DEFAULT_STORE,
    wait: o.Wait = 10.0,
    format_name: o.Format = None,
    as_json: o.Json = False,
    output: o.Output = None,
) -> None:
    """How formulaic captions are: frequent openings, templates with an open slot, annotators unlike the others.

    Examples: auditor templates flickr8k coco-val · auditor templates flickr8k --level caption --least 0.01 -o flood.csv
    """
    from auditor.studies.templates import templates

    with o.opened(store, wait=wait) as opened, o.progressing() as progress:
        result = templates(opened, refs, profile, split, level, least, metric, progress)
    o.deliver(result, format_name, as_json, output)
