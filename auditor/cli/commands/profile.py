"""`auditor profile`: size, length, vocabulary, repetition."""

from __future__ import annotations

from auditor.cli import options as o


def command(
    refs: o.Refs,
    profile: o.TextProfile = "auto",
    split: o.Split = None,
    store: o.StorePath = o.DEFAULT_STORE,
    wait: o.Wait = 10.0,
    format_name: o.Format = None,
    as_json: o.Json = False,
    output: o.Output = None,
) -> None:
    """Size, length, vocabulary and repeated captions of one dataset or several, side by side.

    Example: auditor profile flickr8k coco-val2017
    """
    from auditor.studies.profile import profile as study

    with o.opened(store, wait=wait) as opened, o.progressing() as progress:
        result = study(opened, refs, profile, split, progress)
    o.deliver(result, format_name, as_json, output)
