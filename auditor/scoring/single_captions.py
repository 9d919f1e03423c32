"""Images with one caption: nothing is left to score it against. How many there are, and what answers instead."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import polars as pl

from auditor.errors import MetricError
from auditor.model import Selection
from auditor.result import Finding, about, counted
from auditor.scoring.registry import MetricRequest, References
from auditor.store.connection import Store
from auditor.store.versions import images

#: The kind of finding on images whose one caption has no reference.
SINGLE_CAPTION = "one-caption-images"

#: Why captions that are alone have no score.
NEEDS_TWO = "needs two captions per image; this dataset has one"


def lacking(store: Store, selection: Selection) -> str | None:
    """Return why no caption of a selection has a reference, where each is held out; null where one has."""
    fewest = selection.draw.fewest if selection.draw else 2
    captions = images(store, selection)["captions"]
    if (captions >= fewest).any():
        return None
    if fewest == 2:
        return NEEDS_TWO.replace("two", "two different") if selection.distinct else NEEDS_TWO
    return f"needs {fewest:,} captions per image; this dataset has {captions.max()!r} at most"


def refusal(selection: Selection, why: str, instead: str | None = None) -> MetricError:
    """Return the error of a question that needs references; it ends with the questions that need none."""
    name = selection.label
    others = f"`auditor findings {name}` needs one, `auditor bounds {name}` scores substitutes against it"
    return MetricError(f"{name}: {why}; {instead or others}")


def against_what(
    store: Store, selection: Selection, against: References, metrics: Sequence[MetricRequest]
) -> References:
    """Return against what substitutes are scored: the one caption of an image, where no image has two."""
    if against.drawn is not None or _see_images(metrics) or not lacking(store, against.of(selection)):
        return against
    return replace(against, rule="all")


def referenced(
    store: Store,
    selections: Sequence[Selection],
    against: References,
    metrics: Sequence[MetricRequest],
    least: int = 1,
    instead: str | None = None,
) -> tuple[tuple[Selection, ...], list[Finding]]:
    """Leave out the selections in which no caption has a reference, with a finding on each; some metrics need none.

    Raises `MetricError`, which says what can be asked `instead`, where fewer than `least` are left.
    """
    asked = () if _see_images(metrics) else selections
    reasons = {one: why for one in asked if (why := lacking(store, against.of(one)))}
    if reasons and len(selections) - len(reasons) < least:
        raise refusal(*next(iter(reasons.items())), instead)
    return tuple(selection for selection in selections if selection not in reasons), [
        _finding(name, f"{name.label}: {why}", single, single)
        for name, why in reasons.items()
        for single in [images(store, name).height]
    ]


def without_references(
    store: Store, selection: Selection, so: str = ", which has no reference and gets no score"
) -> list[Finding]:
    """Return how many images have one caption; `so` says what follows."""
    described = images(store, selection)
    single = described.filter(pl.col("captions") < 2).height
    subject = counted(single, "image has", "images have")
    said = f"{selection.label}: {subject} one caption only{so}"
    return [_finding(selection, said, single, described.height)] if single else []


def _see_images(metrics: Sequence[MetricRequest]) -> bool:
    return all(metric.metric.sees_images for metric in metrics)


def _finding(selection: Selection, said: str, single: int, described: int) -> Finding:
    return Finding(SINGLE_CAPTION, said, about(selection), {"images": single}, described, "notice")
