"""`auditor compare`: datasets side by side."""

from __future__ import annotations

from typing import Annotated

import typer

from auditor.cli import options as o


def command(
    refs: o.Refs,
    metric: o.Metrics = None,
    profile: o.TextProfile = "auto",
    split: o.Split = None,
    references: o.References = None,
    others: o.Others = None,
    corpus: o.Corpus = None,
    seed: o.Seed = 1,
    resamples: o.Resamples = 1000,
    confidence: o.Confidence = 0.95,
    pairs: Annotated[
        bool,
        typer.Option(
            "--pairs", help="Test each pair of datasets: permutation of images, Holm's correction, Cliff's delta."
        ),
    ] = False,
    equalise: Annotated[
        bool,
        typer.Option(
            "--equalise", help="Beside raw numbers, those of equally many images and captions of each dataset."
        ),
    ] = False,
    images: Annotated[
        int | None,
        typer.Option(
            "--images", min=1, help="Images of each dataset that --equalise draws; default: the most there are."
        ),
    ] = None,
    store: o.StorePath = o.DEFAULT_STORE,
    wait: o.Wait = 10.0,
    format_name: o.Format = None,
    as_json: o.Json = False,
    output: o.Output = None,
) -> None:
    """Homogeneity (intra / upper) and specificity (intra - inter) of several datasets, with intervals, ranked.

    Beside them the bounds that they are made of. Example: auditor compare flickr8k abstract50s coco-val2017
    """
    from auditor.studies.compare import compare

    with o.opened(store, wait=wait) as opened, o.progressing() as progress:
        result = compare(
            opened,
            refs,
            metric,
            profile,
            split,
            seed,
            references,
            others or (),
            corpus,
            resamples,
            confidence,
            progress,
            pairs=pairs,
            equalise=equalise,
            images=images,
        )
    o.deliver(result, format_name, as_json, output)
