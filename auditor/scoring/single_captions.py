"""Images with a single caption, which has no reference: how many there are, and which commands work without one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import polars as pl

from auditor.errors import MetricError
from auditor.model import Selection
from auditor.result import Finding, about, counted
from auditor.scoring.registry import MetricRequest, References
from auditor.store.captions import Captions

#: The kind of finding on images whose single caption has no reference.
SINGLE_CAPTION = "one-caption-images"

#: Why single captions have no score.
NEEDS_TWO = "needs two captions per image; this dataset has one"


def lacking(captions: Captions) -> str | None:
    """Return why no caption has a reference if each is held out; null if one has."""
    selection = captions.selection
    fewest = selection.draw.fewest if selection.draw else 2
    numbers = captions.images()["captions"]
    if (numbers >= fewest).any():
        return None
    if fewest == 2:
        return NEEDS_TWO.replace("two", "two different") if selection.distinct else NEEDS_TWO
    return f"needs {fewest:,} captions per image; this dataset has {numbers.max()!r} at most"


def refusal(selection: Selection, why: str, instead: str | None = None) -> MetricError:
    """Return the error of a command that needs references; it ends with commands that need none."""
    name = selection.label
    others = f"run `auditor findings {name}`, or `auditor bounds {name}`, which scores substitutes against it"
    return MetricError(f"{name}: {why}; {instead or others}")


def against_what(captions: Captions, against: References, metrics: Sequence[MetricRequest]) -> References:
    """Return the references of substitutes: the single caption of an image, if no image has two."""
    if against.drawn is not None or _see_images(metrics) or not lacking(against.select(captions)):
        return against
    return replace(against, rule="all")


def referenced(
    every: Sequence[Captions],
    against: References,
    metrics: Sequence[MetricRequest],
    least: int = 1,
    instead: str | None = None,
) -> tuple[tuple[Captions, ...], list[Finding]]:
    """Leave out the captions of which none has a reference, with a finding for each; some metrics need none.

    Raises `MetricError` if fewer than `least` are left. It names what to run `instead`.
    """
    needing = () if _see_images(metrics) else every
    reasons = {captions: why for captions in needing if (why := lacking(against.select(captions)))}
    if reasons and len(every) - len(reasons) < least:
        first, why = next(iter(reasons.items()))
        raise refusal(first.selection, why, instead)
    return tuple(captions for captions in every if captions not in reasons), [
        _finding(captions.selection, f"{captions.label}: {why}", single, single)
        for captions, why in reasons.items()
        for single in [captions.images().height]
    ]


def without_references(captions: Captions, so: str = ", which has no reference and gets no score") -> list[Finding]:
    """Report how many images have a single caption; `so` is the consequence."""
    described, selection = captions.images(), captions.selection
    single = described.filter(pl.col("captions") < 2).height
    subject = counted(single, "image has", "images have")
    sentence = f"{selection.label}: {subject} a single caption{so}"
    return [_finding(selection, sentence, single, described.height)] if single else []


def _see_images(metrics: Sequence[MetricRequest]) -> bool:
    return all(metric.metric.sees_images for metric in metrics)


def _finding(selection: Selection, sentence: str, single: int, described: int) -> Finding:
    return Finding(SINGLE_CAPTION, sentence, about(selection), {"images": single}, described, "notice")
