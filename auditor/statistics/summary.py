"""Micro and macro summaries of per-caption scores (Wang & Gaizauskas 2016, section 4.1), and ratios over images.

A ratio of totals has an interval that treats images, not words, as the random sample: the words of one image are not
independent. Its error is that of the linearized ratio (Cochran 1977, Sampling Techniques, section 6.3): the variance of
part - ratio * whole over images.
"""

from __future__ import annotations

from collections.abc import Container, Sequence

import polars as pl

from auditor.statistics.intervals import POSITIVE, SHARE, around, low_and_high

#: Scores are multiples of 10^-12 (see `registry.DECIMALS`): as integers they add up exactly, in any order.
_DECIMALS = 12

_UNIT = 10.0**_DECIMALS

#: Over captions (micro), over the means of images (macro), over the sds of the captions of one image.
LEVELS = ("caption", "image", "image-sd")

_STATISTICS = ("mean", "sd", "median", "min", "max")


def summarize(scores: pl.DataFrame, levels: Sequence[str] = LEVELS) -> pl.DataFrame:
    """Summarize scores at some of the `LEVELS`.

    `scores` has a column for each metric, and column image unless the only level is caption. The result has a row per
    metric and level: metric, level, n, mean, sd (of the sample, n - 1; null for one value), median, min, max. A
    level without values has no row, as images with one caption have no sd.
    """
    made = {"image": image_means, "image-sd": image_sds}
    of_level = {level: made[level](scores) if level in made else scores for level in levels}
    rows = [
        _row(metric, level, values[metric].drop_nulls() if level == "image-sd" else values[metric])
        for metric in scores.columns
        if metric != "image"
        for level, values in of_level.items()
    ]
    schema = {"metric": pl.String, "level": pl.String, "n": pl.Int64, **dict.fromkeys(_STATISTICS, pl.Float64)}
    return pl.DataFrame(rows, schema=schema, orient="row").filter(pl.col("n") > 0)


def image_means(scores: pl.DataFrame) -> pl.DataFrame:
    """Average every column but `image` over the rows of each image, sorted by image, for any order of rows."""
    return (
        scores.lazy()
        .select("image", exact(pl.exclude("image")))
        .group_by("image")
        .agg(pl.exclude("image").sum().cast(pl.Float64) / _UNIT / pl.len())
        .sort("image")
        .collect()
    )


def image_sds(scores: pl.DataFrame) -> pl.DataFrame:
    """Return the sample sd of every column but `image` within each image, sorted by image; null for one row."""
    captions = pl.len().cast(pl.Int128)
    squares = (pl.exclude("image") ** 2).sum() * captions - pl.exclude("image").sum() ** 2
    variance = squares.cast(pl.Float64) / (captions * (captions - 1))
    return (
        scores.lazy()
        .select("image", exact(pl.exclude("image")))
        .group_by("image")
        .agg((variance.sqrt() / _UNIT).round(_DECIMALS))
        .sort("image")
        .select("image", pl.exclude("image").fill_nan(None))
        .collect()
    )


def exact(values: pl.Expr) -> pl.Expr:
    """Return scores as integers in units of 10^-12."""
    return (values * _UNIT).round().cast(pl.Int128)


def _row(metric: str, level: str, values: pl.Series) -> tuple[object, ...]:
    ordered = values.sort()
    total = ordered.to_frame("value").select(exact(pl.col("value")).sum().cast(pl.Float64) / _UNIT).item()
    mean = total / len(ordered) if len(ordered) else None
    return metric, level, len(ordered), mean, ordered.std(), ordered.median(), ordered.min(), ordered.max()


#: The name of the interval in signatures.
INTERVAL = "linearized-95"

#: The confidence of its intervals.
CONFIDENCE = 0.95


def ratio(totals: pl.DataFrame, shares: Container[str] | None = None) -> pl.DataFrame:
    """Divide totals, and compute the interval.

    `totals` has columns class, images, part, whole, part_square, whole_square, product (the last three: sums over
    images of squares and products). The result has class, value, low, high, n (whole), images; no row for a whole of 0.
    Classes in `shares` are at most 1; null means all.
    """
    value = pl.col("part") / pl.col("whole")
    spread = pl.col("part_square") - 2 * value * pl.col("product") + value * value * pl.col("whole_square")
    unbiased = spread.clip(lower_bound=0) * pl.col("images") / (pl.col("images") - 1)
    known = totals.filter(pl.col("whole") > 0).select(
        "class", value=value, error=unbiased.sqrt() / pl.col("whole"), n=pl.col("whole"), images=pl.col("images")
    )
    ends = [
        around(value, error, images, CONFIDENCE, SHARE if shares is None or name in shares else POSITIVE)
        for name, value, error, images in known.select("class", "value", "error", "images").iter_rows()
    ]
    return known.with_columns(low_and_high(ends)).select("class", "value", "low", "high", "n", "images")
