"""`auditor bounds`: upper and lower bounds by leave-one-out."""

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
    """Upper bound (each caption against the others of its image) and lower bound (a caption of another image).

    Example: auditor bounds flickr8k:test -m cider -m rouge-1
    """
    from auditor.studies.bounds import bounds

    with o.opened(store, wait=wait) as opened, o.progressing() as progress:
        result = bounds(opened, refs, metric, profile, split, seed, references, progress)
    o.deliver(result, format_name, as_json, output)
