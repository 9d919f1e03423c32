"""The indices of Wang & Gaizauskas 2016 for one dataset: bounds, their ratio and difference, with intervals.

Also the ranks of several datasets, and which of their differences are significant.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import polars as pl

from auditor.arrays import np
from auditor.model import Progress, Selection
from auditor.result import counted
from auditor.scoring.registry import MetricRequest
from auditor.statistics.decisions import Decision, Pair
from auditor.statistics.intervals import ANY, FEWEST, POSITIVE, WITHOUT
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
    """Every index of one dataset, and its images, sorted. `captions` is their mean number per image."""

    selection: Selection
    indices: tuple[Index, ...]
    captions: float
    notes: tuple[str, ...]
    sums: ImageSums = field(repr=False)
    images: tuple[str, ...] = field(repr=False)


def drawing_key(seed: int, images: Sequence[str]) -> tuple[int, str]:
    """Return the key of the resamples of these images."""
    return seed, hashlib.sha256("\0".join(images).encode()).hexdigest()


def estimated_indices(
    selection: Selection,
    scores: pl.DataFrame,
    requested: Sequence[MetricRequest],
    seed: int,
    resamples: int,
    confidence: float,
    progress: Progress,
) -> Indices:
    """Compute the indices of scores of `requested` metrics from `score_candidates`.

    Datasets with the same images have the same resamples, so that they stay paired.
    """
    label, sums = selection.label, image_sums(scores)
    images = tuple(scores["image"].unique().sort())
    measured = _measured(sums, _twice(scores), {metric.label: metric for metric in requested})
    finite = {key: value for key, value in measured.items() if np.isfinite(value.value)}
    key = drawing_key(seed, images)
    estimated = estimates(list(finite.values()), resamples, key, progress, f"{label}: resampling images")
    errors = [metric.label for metric in requested if metric.metric.lower_is_better]
    indices = []
    for (metric, statistic), estimate in zip(finite, estimated, strict=True):
        ends, error = estimate.interval(confidence), finite[metric, statistic].error
        higher_is_first = statistic in INDICES or metric not in errors
        indices.append(Index(label, metric, statistic, estimate.value, ends, error, higher_is_first, estimate))
    notes = []
    if undefined := [metric for metric, statistic in measured if (metric, statistic) not in finite]:
        notes.append(f"{label}: no homogeneity by {', '.join(undefined)}: the divisor is 0")
    if resamples:
        notes += _without_intervals(label, indices, sums.images)
    human = sums.counts[:, 0]
    captions = float(human.sum() / np.count_nonzero(human))
    return Indices(selection, tuple(indices), captions, tuple(notes), sums, images)


def _measured(
    sums: ImageSums, twice: Mapping[str, float], requests: Mapping[str, MetricRequest]
) -> dict[tuple[str, str], Measured]:
    """Return each statistic by metric, and those without each image; `twice` is the part of the variance of intra."""
    measured: dict[tuple[str, str], Measured] = {}
    left_out = left_out_means(sums)
    for metric in dict.fromkeys(metric for _, metric in sums.columns):
        of_metric = [index for index, (_, name) in enumerate(sums.columns) if name == metric]
        names = [BOUNDS[sums.columns[index][0]] for index in of_metric]
        card = requests[metric].metric
        ends = card.ends(requests[metric].settings)
        if ends == ANY and (sums.sums[:, of_metric] >= 0).all():  # a metric of a user, without a declared range
            ends = POSITIVE
        span = ends[1] - ends[0]
        ranges = {"homogeneity": POSITIVE if ends[0] >= 0 else ANY, "specificity": (-span, span)}
        values, without = (
            derived(dict(zip(names, means[..., of_metric].T, strict=True)), is_error=card.lower_is_better)
            for means in (sums.means, left_out)
        )
        for statistic in filter(values.__contains__, STATISTICS):
            value = float(values[statistic])
            slope = value / float(values["intra"] or 1) if statistic == "homogeneity" else statistic in _OF_INTRA
            error = twice.get(metric, 0.0) * slope**2
            measured[metric, statistic] = Measured(value, without[statistic], ranges.get(statistic, ends), error)
    return measured


def _without_intervals(label: str, indices: Sequence[Index], images: int) -> list[str]:
    """Report the statistics without an interval."""
    if images < FEWEST:
        few = f"{counted(images, 'image', 'images')}, fewer than {FEWEST}"
        return [f"{label}: no intervals and no tests, because it has {few}"]
    lacking: dict[str, list[str]] = {}
    for index in indices:
        if index.interval is None:
            lacking.setdefault(index.metric, []).append(index.statistic)
    which = "; ".join(f"{', '.join(statistics)} by {metric}" for metric, statistics in lacking.items())
    return [f"{label}: no interval for {which}: {WITHOUT}"] if lacking else []


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

    `best` is 1 more than the number of datasets that are significantly ahead, `worst` as many as are not significantly
    behind. Both are null if a dataset has too few images for a test. So is `rank`, if others have enough.
    """

    rank: int | None
    best: int | None
    worst: int | None


def ranks(datasets: Mapping[int, Index], decided: Mapping[Pair, Decision], confidence: float) -> list[Rank]:
    """Rank one statistic of several datasets, by number, by the decisions about each pair."""
    sure = [pair for pair, one in decided.items() if one.is_sure(confidence)]
    tested = {at: index for at, index in datasets.items() if index.estimate.is_tested}
    made = []
    for at, index in datasets.items():
        before = {number for number, other in (tested or datasets).items() if _goes_before(other, index)}
        apart = {other for pair in sure if at in pair for other in pair if other != at}
        ahead = len(apart & before)
        is_known = at in tested and len(datasets) > 1
        worst = len(datasets) - len(apart) + ahead
        place = 1 + len(before) if at in tested or not tested else None
        made.append(Rank(place, *((1 + ahead, worst) if is_known else (None, None))))
    return made


def _goes_before(index: Index, other: Index) -> bool:
    return index.value > other.value if index.higher_is_first else index.value < other.value
