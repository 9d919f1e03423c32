"""Datasets on an equal footing: of each equally many images, of each image equally many captions, drawn by the seed.

Or each text once per image, where some repeat others; or both.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from auditor.errors import UsageError
from auditor.model import Selection
from auditor.result import Finding, counted
from auditor.scoring.registry import References
from auditor.scoring.repeats import DISTINCT, RAW
from auditor.store.connection import Store
from auditor.store.versions import images as images_of
from auditor.studies.compare.indices import Index, Rank

EQUALIZED = "equalized"

#: The share of a dataset's images that must have the common number of captions: a few images with one caption left
#: would else decide for all datasets.
_MOST = 0.9


@dataclass(frozen=True)
class Sampling:
    """Which captions of the datasets are compared: `raw`, `equalized`, `distinct` or these both.

    `note` says what was drawn.
    """

    name: str
    against: References
    note: str | None = None


def samplings_of(
    store: Store,
    selections: Sequence[Selection],
    references: int | None,
    images: int | None,
    seed: int,
    *,
    equalize: bool,
    distinct: str | None = None,
) -> tuple[Sampling, ...]:
    """Return the samplings to compare on: raw, or raw and another (equalized, distinct by a tokenizer, or both).

    Where nothing is equalized, `references` are drawn where there are more; beside an equalized variant, raw means
    every caption. Raises `UsageError` for `images` without `equalize`, and where datasets cannot be brought to equal
    numbers.
    """
    if not equalize:
        if images is not None:
            raise UsageError("--images is for --equalize: it says how many images of each dataset are drawn")
        raw = Sampling(RAW, References("loo", references, seed))
        return (raw, Sampling(DISTINCT, replace(raw.against, distinct=distinct))) if distinct else (raw,)
    workspace = [replace(selection, distinct=distinct) for selection in selections]
    equal = _equal(store, workspace, references, images, seed)
    if distinct:
        equal = replace(equal, name=f"{EQUALIZED}-{DISTINCT}", against=replace(equal.against, distinct=distinct))
    return Sampling(RAW, References("loo")), equal


def _equal(
    store: Store, selections: Sequence[Selection], references: int | None, images: int | None, seed: int
) -> Sampling:
    """Find the numbers that every dataset has: captions of nine images in ten, then images with as many captions."""
    captions_of = {selection.label: images_of(store, selection)["captions"] for selection in selections}
    if references is None:
        common = {
            label: int(counts.quantile(1 - _MOST, interpolation="lower") or 0) for label, counts in captions_of.items()
        }
        captions = min(common.values())
        if captions < 2:
            few = ", ".join(label for label, number in common.items() if number < 2)
            raise UsageError(
                f"--equalize: {few}: more than one image in ten has one caption only, which has no reference; "
                "say with --references how many references to draw, from images that have them"
            )
    else:
        captions = references + 1
    enough = {label: int((counts >= captions).sum()) for label, counts in captions_of.items()}
    fewest = min(enough.values())
    if (images is not None and images > fewest) or fewest == 0:
        label = min(enough, key=lambda label: enough[label])
        asked = "" if images is None else f", fewer than --images {images:,}"
        advice = "ask for fewer --references" if fewest == 0 else "ask for fewer"
        raise UsageError(
            f"--equalize: {label} has {fewest:,} images with {captions:,} captions or more{asked}; {advice}"
        )
    number = images or fewest
    note = (
        f"equalized: {counted(number, 'image', 'images')} of each dataset, {captions:,} captions of each image "
        f"({counted(captions - 1, 'reference', 'references')}), drawn by seed {seed} among images that have as many; "
        "inter and brown draw from whole datasets"
    )
    return Sampling(EQUALIZED, References("loo", captions - 1, seed, number), note)


def changed_orders(
    raw: Mapping[tuple[str, str], Sequence[tuple[Index, Rank]]],
    changed_to: Mapping[tuple[str, str], Sequence[tuple[Index, Rank]]],
    statistics: Sequence[str],
    variant: str,
) -> list[Finding]:
    """Say of each statistic by which metrics datasets stand in another order than the raw one on another sampling."""
    said = []
    for statistic in statistics:
        metrics = [metric for name, metric in raw if name == statistic and raw[name, metric]]
        before, after = (
            {metric: {one.label: rank.rank for one, rank in on[statistic, metric]} for metric in metrics}
            for on in (raw, changed_to)
        )
        changed = [metric for metric in metrics if before[metric] != after[metric]]
        if metrics:
            which = f"{len(changed)} of {len(metrics)} metrics" + (f": {', '.join(changed)}" if changed else "")
            said.append(
                Finding(
                    "order-changed-by-repeats" if variant == DISTINCT else "order-changed-by-equalizing",
                    f"{variant}, the order by {statistic} is another on {which}",
                    {"statistic": statistic},
                    {"metrics": ", ".join(changed), "changed": len(changed)},
                    len(metrics),
                    "warning" if changed else "info",
                )
            )
    return said
