"""`auditor score`: a score for every caption."""

from __future__ import annotations

from typing import Annotated

import typer

from auditor.cli import options as o


def command(
    ref: Annotated[str, typer.Argument(metavar="REF", help="Dataset whose captions are the references.")],
    candidates: Annotated[
        str | None, typer.Option("--candidates", help="System output in the store to score; default: leave-one-out.")
    ] = None,
    metric: o.Metrics = None,
    profile: o.TextProfile = "bare",
    split: o.Split = None,
    references: o.References = None,
    seed: o.Seed = 1,
    store: o.StorePath = o.DEFAULT_STORE,
    wait: o.Wait = 10.0,
    format_name: o.Format = None,
    as_json: o.Json = False,
    output: o.Output = None,
) -> None:
    """Score every caption against the others of its image, or a system's output against all of them.

    Example: auditor score coco-val2017 --candidates vinyals2017 -m cider-d -o scores.csv
    """
    from auditor.studies.scores import score

    with o.opened(store, wait=wait) as opened, o.progressing() as progress:
        result = score(opened, ref, metric, candidates, profile, split, references, seed, progress)
    o.deliver(result, format_name, as_json, output)
