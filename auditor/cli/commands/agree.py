"""`auditor agree`: metrics against people's ratings."""

from __future__ import annotations

from typing import Annotated

import typer

from auditor.cli import options as o


def command(
    refs: Annotated[
        list[str], typer.Argument(metavar="NAME…", help="Datasets of ratings: flickr8k-expert, or your own.")
    ],
    against: o.Against = None,
    metric: o.Metrics = None,
    profile: o.TextProfile = "auto",
    split: o.Split = None,
    as_published: Annotated[
        bool,
        typer.Option(
            "--as-published", help="Table 1 of Elliott & Keller 2014 as their programs computed it, beside sound ones."
        ),
    ] = False,
    protocol: Annotated[
        list[str] | None,
        typer.Option("--protocol", help="pooled, mean, judges or judge-1; repeat for more; default: all there are."),
    ] = None,
    statistic: Annotated[
        list[str] | None,
        typer.Option("--statistic", help="spearman, kendall-b, kendall-c or pearson; default: all four."),
    ] = None,
    threshold: Annotated[
        float | None,
        typer.Option("--threshold", help="Mean rating that is good, for kappa; default: mid-scale.", callback=o.finite),
    ] = None,
    cut: Annotated[
        float | None,
        typer.Option(
            "--cut", help="Score that is good, for kappa of one -m; default: the best there is.", callback=o.finite
        ),
    ] = None,
    scale: Annotated[
        tuple[float, float] | None,
        typer.Option("--scale", help="Lowest and highest rating there may be; others are left out, and named."),
    ] = None,
    disagreements: Annotated[
        int, typer.Option("--disagreements", min=0, help="Captions shown that people and metric see otherwise.")
    ] = 5,
    resamples: o.Resamples = 1000,
    confidence: o.Confidence = 0.95,
    seed: o.Seed = 1,
    store: o.StorePath = o.DEFAULT_STORE,
    wait: o.Wait = 10.0,
    format_name: o.Format = None,
    as_json: o.Json = False,
    output: o.Output = None,
) -> None:
    """Metrics against people's ratings: correlations with intervals, tests, and how far people agree themselves.

    Your own ratings are a table with a row for each: in datasets.toml kind = "judgements", format = "judgements", and
    options = { image_col = "photo", caption_col = "text", judge_col = "who", score_col = "stars" }; related names the
    dataset of their references, or --against does.

    Example: auditor agree flickr8k-expert -m cider -m meteor
    """
    from auditor.errors import UsageError
    from auditor.studies.agree import Question, Resampling, agree
    from auditor.studies.agree.published import as_published as published

    if as_published and (metric or protocol or statistic):
        raise UsageError(
            "--as-published has its own metrics, texts and statistic: leave -m, --protocol, --statistic out"
        )
    with o.opened(store, wait=wait) as opened, o.progressing() as progress:
        resampling = Resampling(resamples, confidence, seed)
        if as_published:
            result = published(opened, refs, against, split, resampling, progress)
        else:
            question = Question(protocol, statistic, threshold, cut, scale, disagreements, resampling)
            result = agree(opened, refs, metric, against, profile, split, question, progress)
    o.deliver(result, format_name, as_json, output)
