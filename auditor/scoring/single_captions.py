"""What the number of captions per image allows: references for each caption, and parallel lists of captions.

A single caption has no reference: how many images have one, and which commands work without. Parallel lists are the
n-th captions of all images, each measured like the output of a system (van Miltenburg et al. 2018, section 2: each
score of the human captions is computed once for each reference).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import polars as pl

from auditor.called import call
from auditor.errors import MetricError, UsageError
from auditor.model import Selection
from auditor.result import Finding, about, counted
from auditor.scoring.registry import MetricRequest, References
from auditor.store.captions import Captions
from auditor.store.workspace import Workspace

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
    others = (
        f"run `{call('diversity', name, statistics=['sameness'])}` (similarity of captions of different images), "
        f"`{call('bounds', name)}` (scores of substitutes) or `{call('findings', name)}` (problems)"
    )
    return MetricError(f"{name}: {why}; {instead or others}")


def against_what(captions: Captions, against: References, metrics: Sequence[MetricRequest]) -> References:
    """Return the references of substitutes: the single caption of an image, if no image has two."""
    if against.drawn is not None or sees_images(metrics) or not lacking(against.select(captions)):
        return against
    return replace(against, rule="all")


def referenced(
    every: Sequence[Captions],
    against: References,
    metrics: Sequence[MetricRequest],
    least: int = 1,
    instead: str | None = None,
) -> tuple[tuple[Captions, ...], list[Finding]]:
    """Leave out the datasets without any reference, with a finding for each; some metrics need none.

    Raises `MetricError` if fewer than `least` are left. It names what to run `instead`.
    """
    needing = () if sees_images(metrics) else every
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


def sees_images(metrics: Sequence[MetricRequest]) -> bool:
    """Return whether all metrics read the image instead of references."""
    return all(metric.metric.sees_images for metric in metrics)


def _finding(selection: Selection, sentence: str, single: int, described: int) -> Finding:
    return Finding(SINGLE_CAPTION, sentence, about(selection), {"images": single}, described, "notice")


LISTS = ("mean", "all")

#: The share of images that must have a caption in a list; and the share of captions that are no longer (no shorter)
#: than the one before them if captions are sorted: 0.89 in Flickr30k, which is sorted, at most 0.69 in other datasets.
_FULL = 0.9

_SORTED = 0.8


@dataclass(frozen=True)
class Lists:
    """How many lists are requested (0: all captions in one), how many there are, and notes for the reader."""

    asked: int
    number: int
    notes: tuple[str, ...] = ()


def parallel_lists(workspace: Workspace, selection: Selection, lists: str, *, full: bool) -> Lists:
    """Return which lists of relation `reference` to measure.

    A list counts if 90% of the images have a caption in it. With `full`, all must, as the paper cuts its lists to the
    smallest number of captions. Raises `UsageError` for `lists` other than `mean` and `all`.
    """
    if lists not in LISTS:
        raise UsageError(f"--lists {lists}: unknown value; use {' or '.join(LISTS)}")
    if lists == "all" or selection.version.kind in ("corpus", "wordlist"):
        return Lists(0, 1)
    return lists_of(workspace.rows("parallel_list"), selection.label, full=full)


def lists_of(parallel: pl.DataFrame, label: str, *, full: bool = False) -> Lists:
    """Return which of the `parallel` lists to measure; `label` names the captions in the notes."""
    if parallel.is_empty():
        return Lists(0, 1)
    captions = parallel["captions"].to_list()
    least = captions[0] * (1.0 if full else _FULL)
    number = sum(held >= least for held in captions)
    notes = []
    if number < len(captions):
        left_out, images = sum(captions[number:]), "every image has" if full else "90% of the images have"
        notes.append(
            f"{label}: measured {number} of {len(captions)} parallel lists, in which {images} a caption;"
            f" {left_out:,} captions left out; --lists all includes them"
        )
    if number > 2:
        later = parallel.filter(parallel["list_no"] > 1)
        pairs, falling, rising = (sum(later[column].to_list()) for column in ("captions", "no_longer", "no_shorter"))
        if max(falling, rising) >= _SORTED * pairs:
            notes.append(
                f"{label}: captions are sorted by length within each image, so a parallel list does not"
                " correspond to an annotator, and its asl and sdsl are not an annotator's;"
                " use --lists all to measure the captions together"
            )
    return Lists(number, number, tuple(notes))
