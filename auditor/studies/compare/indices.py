"""The indices of Wang & Gaizauskas 2016 for one dataset: bounds, their ratio and difference, with intervals.

Also the ranks of several datasets, and which of their differences are significant.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

import polars as pl

from auditor.arrays import np
from auditor.model import Progress, Selection
from auditor.statistics.resampling import GIVER, UNIT, Floats, ImageSums, image_sums, left_out_means
from auditor.statistics.studentized import Estimate, Measured, estimates
from auditor.statistics.summary import exact

#: The name of the mean of each candidate's scores.
BOUNDS: Mapping[str, str] = {"human": "upper", "intra": "intra", "inter": "inter", "brown": "brown"}

#: Statistics that are computed from the bounds.
INDICES = ("homogeneity", "specificity")

#: Statistics that change with `intra`.
_OF_INTRA = ("intra", "specificity")

#: Every statistic, in the order in which results show them.
STATISTICS = (*BOUNDS.values(), *INDICES)


@dataclass(frozen=True)
class Index:
    """One statistic of one dataset by one metric."""

    label: str
    metric: str
    statistic: str
    value: float
    interval: tuple[float, float] | None
    se: float | None
    higher_is_first: bool
    estimate: Estimate = field(repr=False)


@dataclass(frozen=True)
class Indices:
    """Every index of one dataset. `captions` is their mean number per image."""

    indices: tuple[Index, ...]
    captions: float
    notes: tuple[str, ...]
    sums: ImageSums = field(repr=False)


def estimated_indices(
    selection: Selection,
    scores: pl.DataFrame,
    errors: Collection[str],
    seed: int,
    resamples: int,
    confidence: float,
    progress: Progress,
) -> Indices:
    """Compute the indices of scores from `score_candidates`. `errors` are the metrics that count errors."""
    label, sums = selection.label, image_sums(scores)
    key = (seed, *selection.content)
    left_out = left_out_means(sums)
    measured: dict[tuple[str, str], Measured] = {}
    undefined, twice = [], _twice(scores)
    for metric in dict.fromkeys(metric for _, metric in sums.columns):
        of_metric = [index for index, (_, name) in enumerate(sums.columns) if name == metric]
        names = [BOUNDS[sums.columns[index][0]] for index in of_metric]
        is_positive = bool((sums.sums[:, of_metric] >= 0).all())
        values, without = (
            derived(dict(zip(names, means[..., of_metric].T, strict=True)), is_error=metric in errors)
            for means in (sums.means, left_out)
        )
        for statistic in filter(values.__contains__, STATISTICS):
            if np.isfinite(values[statistic]):
                value, sign_is_known = float(values[statistic]), is_positive and statistic != "specificity"
                slope = value / float(values["intra"] or 1) if statistic == "homogeneity" else statistic in _OF_INTRA
                measured[metric, statistic] = Measured(
                    value, without[statistic], sign_is_known, twice.get(metric, 0.0) * slope**2
                )
            else:
                undefined.append(metric)
    times = resamples if sums.images > 1 else 0
    estimated = estimates(list(measured.values()), times, key, progress, f"{label}: resampling images")
    indices = [
        Index(
            label,
            metric,
            statistic,
            estimate.value,
            estimate.interval(confidence),
            measured[metric, statistic].error,
            statistic not in BOUNDS.values() or metric not in errors,
            estimate,
        )
        for (metric, statistic), estimate in zip(measured, estimated, strict=True)
    ]
    open_ended: dict[str, list[str]] = {}
    for index in indices:
        if times and index.interval is None:
            open_ended.setdefault(index.metric, []).append(index.statistic)
    notes = []
    if undefined:
        notes.append(f"{label}: no homogeneity by {', '.join(undefined)}: the divisor is 0")
    if open_ended:
        which = "; ".join(f"{', '.join(statistics)} by {metric}" for metric, statistics in open_ended.items())
        notes.append(f"{label}: no interval for {which}: too few images differ")
    if resamples and sums.images == 1:
        notes.append(f"{label}: no intervals, because there is only one image")
    human = sums.counts[:, 0]
    return Indices(tuple(indices), float(human.sum() / np.count_nonzero(human)), tuple(notes), sums)


def _twice(scores: pl.DataFrame) -> dict[str, float]:
    """Compute by metric the part of the variance of intra that both images of a score contribute.

    That is the variance of the mean if scores were independent, computed from whole numbers, like sums.
    """
    if GIVER not in scores.columns:
        return {}
    given = scores.filter(pl.col(GIVER).is_not_null()).select(exact(pl.exclude("candidate", "image", "slot", GIVER)))
    n = max(given.height, 1)
    sums, squares = given.sum().row(0, named=True), given.select(pl.all() ** 2).sum().row(0, named=True)
    return {metric: float(n * int(squares[metric]) - int(sums[metric]) ** 2) / n**3 / UNIT**2 for metric in sums}


def derived(bounds: Mapping[str, Floats], *, is_error: bool) -> dict[str, Floats]:
    """Derive the indices that the bounds of one metric allow, elementwise. A division by 0 gives NaN."""
    derived = dict(bounds)
    if "intra" in bounds:
        share, whole = (bounds["upper"], bounds["intra"]) if is_error else (bounds["intra"], bounds["upper"])
        with np.errstate(invalid="ignore", divide="ignore"):
            derived["homogeneity"] = np.where(whole > 0, share / whole, np.nan)
        if "inter" in bounds:
            own, others = bounds["intra"], bounds["inter"]
            derived["specificity"] = others - own if is_error else own - others
    return derived


@dataclass(frozen=True)
class Rank:
    """A rank, 1 for the first; equal values share the best. Within sampling error it is from `best` to `worst`.

    Both are null if a dataset has no interval.
    """

    rank: int
    best: int | None
    worst: int | None


def ranks(datasets: Sequence[Index], confidence: float) -> list[Rank]:
    """Rank one statistic of several datasets by one metric.

    Each pair is compared by the interval of its difference. Datasets are resampled separately, so their resamples can
    be paired in any order. Two versions of one dataset count as unrelated, which is conservative.
    """
    ahead = [{other.label for other in datasets if _surely_ahead(index, other, confidence)} for index in datasets]
    made = []
    for index, behind in zip(datasets, ahead, strict=True):
        known = index.interval is not None
        made.append(
            Rank(
                1 + sum(_goes_before(other, index) for other in datasets),
                1 + sum(index.label in others for others in ahead) if known else None,
                len(datasets) - len(behind) if known else None,
            )
        )
    return made


def _goes_before(index: Index, other: Index) -> bool:
    return index.value > other.value if index.higher_is_first else index.value < other.value


def _surely_ahead(index: Index, other: Index, confidence: float) -> bool:
    first, second = (index, other) if index.higher_is_first else (other, index)
    return index is not other and first.estimate.is_above(second.estimate, confidence)
