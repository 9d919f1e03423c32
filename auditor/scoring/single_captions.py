"""Images with a single caption, which has no reference: how many there are, and which commands work without one."""

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

#: The kind of finding on images whose single caption has no reference.
SINGLE_CAPTION = "one-caption-images"

#: Why single captions have no score.
NEEDS_TWO = "needs two captions per image; this dataset has one"


def lacking(store: Store, selection: Selection) -> str | None:
    """Return why no caption of a selection has a reference if each is held out; null if one has."""
    fewest = selection.draw.fewest if selection.draw else 2
    captions = images(store, selection)["captions"]
    if (captions >= fewest).any():
        return None
    if fewest == 2:
        return NEEDS_TWO.replace("two", "two different") if selection.distinct else NEEDS_TWO
    return f"needs {fewest:,} captions per image; this dataset has {captions.max()!r} at most"


def refusal(selection: Selection, why: str, instead: str | None = None) -> MetricError:
    """Return the error of a command that needs references; it ends with commands that need none."""
    name = selection.label
    others = (
        f"run `auditor diversity {name} -s sameness` (similarity of captions of different images), `auditor bounds "
        f"{name}` (scores of substitutes) or `auditor findings {name}` (problems)"
    )
    return MetricError(f"{name}: {why}; {instead or others}")


def against_what(
    store: Store, selection: Selection, against: References, metrics: Sequence[MetricRequest]
) -> References:
    """Return the references of substitutes: the single caption of an image, if no image has two."""
    if against.drawn is not None or sees_images(metrics) or not lacking(store, against.of(selection)):
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
    """Leave out the selections in which no caption has a reference, with a finding for each; some metrics need none.

    Raises `MetricError` if fewer than `least` are left. It names what to run `instead`.
    """
    needing = () if sees_images(metrics) else selections
    reasons = {selection: why for selection in needing if (why := lacking(store, against.of(selection)))}
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
    """Report how many images have a single caption; `so` is the consequence."""
    described = images(store, selection)
    single = described.filter(pl.col("captions") < 2).height
    subject = counted(single, "image has", "images have")
    sentence = f"{selection.label}: {subject} a single caption{so}"
    return [_finding(selection, sentence, single, described.height)] if single else []


def sees_images(metrics: Sequence[MetricRequest]) -> bool:
    """Return whether all metrics read the image instead of references."""
    return all(metric.metric.sees_images for metric in metrics)


def _finding(selection: Selection, sentence: str, single: int, described: int) -> Finding:
    return Finding(SINGLE_CAPTION, sentence, about(selection), {"images": single}, described, "notice")
