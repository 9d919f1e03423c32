"""How far a correlation would differ, had other images been rated: a bootstrap over images, not over ratings.

Ratings of one caption, and captions of one image, are not independent, so whole images are drawn (Davison & Hinkley
1997, section 3.8); the interval is that of percentiles.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from auditor.statistics.resampling import drawn_times, percentile_interval
from auditor.statistics.summary import exact

Floats = NDArray[np.float64]

_UNIT = 10.0**12


class Interval(NamedTuple):
    """Between what the middle share of the resamples lies."""

    low: float
    high: float


#: A coefficient in each resample, by metric and statistic.
Resamples = Mapping[tuple[str, str], Floats]


def resampled(
    scores: pl.DataFrame,
    people: str,
    metrics: Sequence[str],
    statistics: Sequence[str],
    times: int,
    key: Sequence[object],
) -> Resamples:
    """Correlate column `people` with each metric in so many resamples of the images; `key` makes the draw.

    `scores` has column image, `people` and the metrics. The same images are drawn for all metrics, so that these stay
    paired. Gives nothing for a single image, or for more rows than can be counted exactly.
    """
    from auditor.statistics.kernels import resampled_correlation as kernel  # noqa: PLC0415

    images = scores["image"].n_unique()
    if not times or images < 2 or scores.height > kernel.MOST_ROWS:
        return {}
    drawn = drawn_times(images, times, key)
    image = (scores["image"].rank("dense").cast(pl.Int64) - 1).to_numpy()
    judged = kernel.ranked(scores[people].to_numpy())
    found: dict[tuple[str, str], Floats] = {}
    for metric in metrics:
        if {"spearman", "kendall-b", "kendall-c"}.intersection(statistics):
            column = kernel.ranked(scores[metric].to_numpy())
        if "spearman" in statistics:
            found[metric, "spearman"] = kernel.spearman(column, judged, image, drawn)
        if {"kendall-b", "kendall-c"}.intersection(statistics):
            found[metric, "kendall-b"], found[metric, "kendall-c"] = kernel.kendall(column, judged, image, drawn)
        if "pearson" in statistics:
            found[metric, "pearson"] = kernel.pearson(_sums(scores, people, metric), drawn)
    return {named: values for named, values in found.items() if named[1] in statistics}


def interval(values: Floats | None, confidence: float) -> Interval | None:
    """Cut equally much off both ends; null where there are no resamples, or one of them has no coefficient."""
    ends = None if values is None else percentile_interval(values, confidence)
    return ends and Interval(*ends)


def _sums(scores: pl.DataFrame, people: str, metric: str) -> Floats:
    """Add up a pair of columns by image, exactly: n, Σa, Σb, Σa², Σb², Σab; images are sorted."""
    a, b = exact(pl.col(people)), exact(pl.col(metric))
    return (
        scores.lazy()
        .group_by("image")
        .agg(
            n=pl.len().cast(pl.Float64),
            a=a.sum().cast(pl.Float64) / _UNIT,
            b=b.sum().cast(pl.Float64) / _UNIT,
            aa=(a * a).sum().cast(pl.Float64) / _UNIT**2,
            bb=(b * b).sum().cast(pl.Float64) / _UNIT**2,
            ab=(a * b).sum().cast(pl.Float64) / _UNIT**2,
        )
        .sort("image")
        .drop("image")
        .collect()
        .to_numpy()
    )
