"""`auditor compare`: datasets side by side."""

from __future__ import annotations

from auditor.cli import options as o


def command(
    refs: o.Refs,
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
    """Upper bound, lower bound and homogeneity (their ratio) of several datasets, ranked.

    Example: auditor compare flickr8k abstract50s coco-val2017
    """
    from auditor.studies.comparison import compare

    with o.opened(store, wait=wait) as opened, o.progressing() as progress:
        result = compare(opened, refs, metric, profile, split, seed, references, progress)
    o.deliver(result, format_name, as_json, output)
