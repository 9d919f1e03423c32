"""`auditor score`: a score for every caption."""

from __future__ import annotations

from typing import Annotated

import typer

from auditor.cli import options as o

Ranked = Annotated[
    bool,
    typer.Option("--ranked", help="Rank the captions of each image by each metric, and say how long the first are."),
]

Image = Annotated[list[str] | None, typer.Option("--image", help="With --ranked: only this image; repeat for more.")]


def command(
    ref: Annotated[str, typer.Argument(metavar="REF", help="Dataset whose captions are the references.")],
    candidates: Annotated[
        str | None, typer.Option("--candidates", help="System output in the store to score; default: leave-one-out.")
    ] = None,
    metric: o.Metrics = None,
    profile: o.TextProfile = "auto",
    split: o.Split = None,
    references: o.References = None,
    without_own_references: o.WithoutOwn = False,
    ranked: Ranked = False,
    image: Image = None,
    seed: o.Seed = 1,
    store: o.StorePath = o.DEFAULT_STORE,
    wait: o.Wait = 10.0,
    format_name: o.Format = None,
    as_json: o.Json = False,
    output: o.Output = None,
) -> None:
    """Score every caption against the others of its image, or a system's output against all of them.

    With --ranked, the captions of an image in order, the one that people agree on first.
    Example: auditor score coco-val2017 --candidates vinyals2017 -m cider-d -o scores.csv
    """
    from auditor.errors import UsageError
    from auditor.studies.score import ranked_captions, score

    if ranked and candidates:
        raise UsageError("--ranked: ranks the captions of an image among themselves; leave --candidates out")
    if image and not ranked:
        raise UsageError("--image: shows the ranked captions of an image; add --ranked")
    if without_own_references and not candidates:
        raise UsageError("--without-own-references: leave-one-out holds each caption out; name --candidates")
    with o.opened(store, wait=wait) as opened, o.progressing() as progress:
        if ranked:
            result = ranked_captions(opened, ref, metric, profile, split, references, seed, image or (), progress)
        else:
            result = score(
                opened, ref, metric, candidates, profile, split, references, seed, progress,
                without_own_references=without_own_references,
            )  # fmt: skip
    o.deliver(result, format_name, as_json, output)
