"""Datasets that describe the same images are compared on those that all of them describe."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain

from auditor.errors import UsageError
from auditor.parameters import EMPTY
from auditor.statistics.common_items import Coverage
from auditor.store.captions import Captions
from auditor.store.matching import match
from auditor.store.versions import related


def on_shared(every: Sequence[Captions], missing: str) -> tuple[list[Captions], list[str]]:
    """Select the shared images of datasets that describe the same ones, and return the sentences that say so.

    Raises `UsageError` for empty captions, which have nothing in common with each other.
    """
    groups, lead, selected = list[list[Captions]](), list[str](), dict[str, Captions]()
    for captions in every[1:]:
        if _are_related(captions, every[0]):
            match(captions.store, captions.selection, every[0].selection, required=False)
    images = {captions.label: {*captions.images()["image"]} for captions in every}
    for captions in every:
        near = [group for group in groups if any(_same(captions, other, images) for other in group)]
        groups = [group for group in groups if group not in near] + [[*chain(*near), captions]]
    for group in groups:
        of = {captions.label: images[captions.label] for captions in group}
        coverage = Coverage(set[str]().union(*of.values()), of, missing, together=True)
        if missing == EMPTY and coverage.has_gaps:
            raise UsageError(f"--missing {EMPTY}: compare needs what captions say; use common or error")
        lead += coverage.lead()
        for captions in group:
            some = replace(captions.selection, images=coverage.pair(captions.label))
            selected[captions.label] = captions.like(some)
    return [selected[captions.label] for captions in every], lead


def _same(captions: Captions, other: Captions, images: dict[str, set[str]]) -> bool:
    """Return whether datasets describe the same images: by declaration, or as equal captions of an image show.

    Equal names alone may be numbers of rows.
    """
    own, theirs = images[captions.label], images[other.label]
    if 2 * len(own & theirs) < min(len(own), len(theirs)):
        return False
    if _are_related(captions, other):
        return True
    keys = ["image", "text"]
    return captions.texts().select(keys).join(other.texts().select(keys), on=keys, how="semi").height > 0


def _are_related(captions: Captions, other: Captions) -> bool:
    versions = [one.selection.version for one in (captions, other)]
    is_known = versions[1].dataset in related(captions.store, versions[0].dataset)
    return is_known or "candidates" in {version.kind for version in versions}
