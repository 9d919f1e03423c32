"""Intervals and tests of correlations with ratings, by a bootstrap over images, not over ratings.

Ratings of one caption, and captions of one image, are not independent, so whole images are sampled (Davison & Hinkley
1997, section 3.8). Intervals and tests are Student's, with the standard error of the resamples: of Fisher's z for one
correlation, of the difference for two. They are accurate from ten images on, and p can be as low as Holm's correction
of many pairs needs (`benchmarks/levels.md`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import polars as pl

from auditor.arrays import NDArray, np
from auditor.statistics.intervals import ANY, FEWEST
from auditor.statistics.intervals import interval as interval_of
from auditor.statistics.resampling import drawn_times
from auditor.statistics.significance import students_p
from auditor.statistics.summary import exact

Floats = NDArray["np.float64"]

_COEFFICIENT = (-1.0, 1.0)


class Interval(NamedTuple):
    """The ends of an interval over images."""

    low: float
    high: float


class Difference(NamedTuple):
    """The ends of the interval of a difference, and its two-tailed p."""

    low: float
    high: float
    p: float


#: A coefficient in each resample, by metric and statistic.
Resamples = Mapping[tuple[str, str], Floats]


def resampled(
    scores: pl.DataFrame,
    rating: str,
    metrics: Sequence[str],
    statistics: Sequence[str],
    times: int,
    key: Sequence[object],
) -> Resamples:
    """Correlate column `rating` with each metric in `times` resamples of the images; `key` seeds them.

    `scores` has columns image, `rating` and the metrics. All metrics use the same images, so that they stay paired. The
    result is empty for a single image, or for more rows than can be counted exactly.
    """
    from auditor.statistics.kernels import resampled_correlation as kernel  # noqa: PLC0415

    images = scores["image"].n_unique()
    if not times or images < 2 or scores.height > kernel.MOST_ROWS:
        return {}
    drawn = drawn_times(images, times, key)
    image = (scores["image"].rank("dense").cast(pl.Int64) - 1).to_numpy()
    judged = kernel.ranked(scores[rating].to_numpy())
    coefficients: dict[tuple[str, str], Floats] = {}
    for metric in metrics:
        if {"spearman", "kendall-b", "kendall-c"}.intersection(statistics):
            column = kernel.ranked(scores[metric].to_numpy())
        if "spearman" in statistics:
            coefficients[metric, "spearman"] = kernel.spearman(column, judged, image, drawn)
        if {"kendall-b", "kendall-c"}.intersection(statistics):
            taus = kernel.kendall(column, judged, image, drawn)
            coefficients[metric, "kendall-b"], coefficients[metric, "kendall-c"] = taus
        if "pearson" in statistics:
            coefficients[metric, "pearson"] = kernel.pearson(_sums(scores, rating, metric), drawn)
    return {named: values for named, values in coefficients.items() if named[1] in statistics}


def interval(value: float | None, values: Floats | None, images: int, confidence: float) -> Interval | None:
    """Compute the interval of a coefficient from its values in resamples of `images` images.

    Null for fewer than eight images, or if a resample has no coefficient or a perfect one.
    """
    if value is None or values is None or images < FEWEST:
        return None
    with np.errstate(invalid="ignore", divide="ignore"):
        error = 2 * _error(np.arctanh(values), images)
    ends = interval_of(value, error, confidence, images - 1, _COEFFICIENT)
    return ends and Interval(*ends)


def difference(value: float, apart: Floats | None, images: int, confidence: float) -> Difference | None:
    """Test whether two coefficients differ, by their differences in the resamples; null as in `interval`."""
    error = math.nan if apart is None or images < FEWEST else _error(apart, images)
    if not math.isfinite(error):
        return None
    low, high = interval_of(value, error, confidence, images - 1, ANY) or (value, value)
    t = value / error if error else math.copysign(math.inf, value) if value else 0.0
    return Difference(low, high, students_p(t, images - 1))


def _error(values: Floats, images: int) -> float:
    """Compute the standard error as the jackknife would: resamples spread slightly less."""
    return float(np.std(values, ddof=1)) * math.sqrt(images / (images - 1))


def _sums(scores: pl.DataFrame, rating: str, metric: str) -> Floats:
    """Add up a pair of columns by image, exactly: n, Σa, Σb, Σa², Σb², Σab; images are sorted."""
    a, b = exact(pl.col(rating)), exact(pl.col(metric))
    counted = (
        scores.sort("image")
        .select("image", a=a, b=b)
        .with_columns(aa=pl.col("a") * pl.col("a"), bb=pl.col("b") * pl.col("b"), ab=pl.col("a") * pl.col("b"))
        .group_by("image", maintain_order=True)
        .agg(pl.len().alias("n"), pl.exclude("image").sum())
        .drop("image")
    )
    # Divided as whole numbers: how polars casts a wide integer to a double depends on threads.
    units = (1, 10**12, 10**12, 10**24, 10**24, 10**24)
    return np.array([[total / unit for total, unit in zip(row, units, strict=True)] for row in counted.iter_rows()])
