"""`auditor perplexity`: how well a language model of one dataset predicts another."""

from __future__ import annotations

from typing import Annotated

import typer

from auditor.cli import options as o

Order = Annotated[int, typer.Option("--order", min=1, max=5, help="Length of the model's n-grams.")]

Captions = Annotated[
    int | None,
    typer.Option(
        "--captions", min=0, help="Captions that each model is trained on; 0: all; default: as the smallest half has."
    ),
]

Draws = Annotated[int, typer.Option("--draws", min=1, help="Repeat with so many seeds, from --seed on.")]


def command(
    refs: o.Refs,
    order: Order = 3,
    captions: Captions = None,
    draws: Draws = 1,
    profile: o.TextProfile = "auto",
    split: o.Split = None,
    seed: o.Seed = 1,
    store: o.StorePath = o.DEFAULT_STORE,
    wait: o.Wait = 10.0,
    format_name: o.Format = None,
    as_json: o.Json = False,
    output: o.Output = None,
) -> None:
    """Perplexity of each dataset under a language model of each: trained on half of the images, tested on the others.

    Example: auditor perplexity flickr8k coco-val2017 abstract-scenes
    """
    from auditor.studies.perplexity import perplexity

    with o.opened(store, wait=wait) as opened, o.progressing() as progress:
        result = perplexity(opened, refs, profile, split, order, captions, draws, seed, progress)
    o.deliver(result, format_name, as_json, output)
