"""`auditor correlate`: metric against metric."""

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
    seed: o.Seed = 1,
    statistic: Annotated[
        list[str] | None, typer.Option("--statistic", help="kendall-b, spearman or pearson; default: all three.")
    ] = None,
    store: o.StorePath = o.DEFAULT_STORE,
    wait: o.Wait = 10.0,
    format_name: o.Format = None,
    as_json: o.Json = False,
    output: o.Output = None,
) -> None:
    """Metric against metric, per image and per caption: Kendall's tau-b, Spearman's rho, Pearson's r.

    Example: auditor correlate flickr8k:test -m cider -m rouge-l --statistic kendall-b
    """
    from auditor.studies.correlate import correlate

    with o.opened(store, wait=wait) as opened, o.progressing() as progress:
        result = correlate(opened, refs, metric, profile, split, seed, references, statistic, progress)
    o.deliver(result, format_name, as_json, output)
