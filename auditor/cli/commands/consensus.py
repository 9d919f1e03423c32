"""`auditor consensus`: metric against human choices between two captions."""

from __future__ import annotations

from typing import Annotated

import typer

from auditor.cli import options as o

Names = Annotated[list[str], typer.Argument(metavar="NAME…", help="Dataset of pairs or triplets that people compared.")]

Versus = Annotated[
    str | None, typer.Option("--versus", help="Another source of votes on the same pairs, to compare the two.")
]

Most = Annotated[
    int | None,
    typer.Option("--most", min=1, help="References of each image; default: 48, or as many as every image has."),
]

At = Annotated[
    list[int] | None, typer.Option("--at", min=1, help="Accuracy at so many references too; repeat for more.")
]

Curve = Annotated[bool, typer.Option("--curve", help="Accuracy at every number of references from 1 on.")]

Draws = Annotated[int, typer.Option("--draws", min=1, help="Draw references so often, by the seed and those after it.")]

Ties = Annotated[
    str | None,
    typer.Option(
        "--ties", help="What a pair counts that a metric ties: half, wrong or right; default: half, as published wrong."
    ),
]

Published = Annotated[bool, typer.Option("--as-published", help="The metrics as Vedantam et al. 2015 define them.")]


def command(
    names: Names,
    against: o.Against = None,
    metric: o.Metrics = None,
    as_published: Published = False,
    most: Most = None,
    curve: Curve = False,
    at: At = None,
    draws: Draws = 1,
    ties: Ties = None,
    without_own_references: o.WithoutOwn = False,
    versus: Versus = None,
    profile: o.TextProfile = "auto",
    split: o.Split = None,
    seed: o.Seed = 1,
    resamples: o.Resamples = 1000,
    store: o.StorePath = o.DEFAULT_STORE,
    wait: o.Wait = 10.0,
    format_name: o.Format = None,
    as_json: o.Json = False,
    output: o.Output = None,
) -> None:
    """How often each metric picks, of two captions of an image, the one that people pick.

    By kind of pair and number of references, beside how well people predict people and the wins of systems. Example:
    auditor consensus pascal50s-triplets --versus pascal50s-pairs
    """
    from auditor.studies.consensus import Settings, consensus

    credit = ties or ("wrong" if as_published else "half")
    settings = Settings(most, tuple(at or ()), curve, draws, seed, credit, resamples, profile, split,
                        without_own_references=without_own_references)  # fmt: skip
    with o.opened(store, wait=wait) as opened, o.progressing() as progress:
        result = consensus(opened, names, metric, against, versus, settings, as_published, progress)
    o.deliver(result, format_name, as_json, output)
