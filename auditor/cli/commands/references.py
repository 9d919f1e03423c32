"""`auditor references`: how many references are enough."""

from __future__ import annotations

from typing import Annotated

import typer

from auditor.cli import options as o


def command(
    refs: o.Refs,
    most: Annotated[
        int | None,
        typer.Option(
            "--most",
            min=1,
            help="Highest number of references; default: as many as nine images in ten have.",
        ),
    ] = None,
    draws: Annotated[int, typer.Option("--draws", min=1, help="Orders of references, one for each seed.")] = 3,
    metric: o.Metrics = None,
    profile: o.TextProfile = "auto",
    split: o.Split = None,
    seed: o.Seed = 1,
    store: o.StorePath = o.DEFAULT_STORE,
    wait: o.Wait = 10.0,
    format_name: o.Format = None,
    as_json: o.Json = False,
    output: o.Output = None,
) -> None:
    """How many references are enough: mean, stability and detectable difference with one of them, two, ….

    Each caption is scored against the first ones of the others of its image. Example: auditor references pascal50s -m
    cider -m meteor --most 40
    """
    from auditor.studies.references import enough_references

    with o.opened(store, wait=wait) as opened, o.progressing() as progress:
        result = enough_references(opened, refs, most, draws, metric, profile, split, seed, progress)
    o.deliver(result, format_name, as_json, output)
