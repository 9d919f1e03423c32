"""A ratio of totals over images, with an interval that treats images, not words, as the random sample.

The words of one image are not independent: what varies is the image. The interval is that of the linearized ratio
(Cochran 1977, Sampling Techniques, section 6.3), by Student's t: the variance of part - ratio * whole over images.
"""

from __future__ import annotations

import polars as pl

#: The name of the interval in signatures.
INTERVAL = "linearized-t-95"


def ratio(totals: pl.DataFrame) -> pl.DataFrame:
    """Divide totals, and compute the interval.

    `totals` has columns class, images, part, whole, part_square, whole_square, product (the last three: sums over
    images of squares and products). The result has class, value, low, high, n (whole), images; no row for a whole of 0.
    Low and high are null for fewer than two images; low is at least 0. `high` has no limit: some ratios are not shares.
    """
    value = pl.col("part") / pl.col("whole")
    spread = pl.col("part_square") - 2 * value * pl.col("product") + value * value * pl.col("whole_square")
    unbiased = spread.clip(lower_bound=0) * pl.col("images") / (pl.col("images") - 1)
    reach = students_reach(totals["images"]) * unbiased.sqrt() / pl.col("whole")
    return (
        totals.with_columns(reach=reach)
        .filter(pl.col("whole") > 0)
        .select(
            "class",
            value=value,
            low=(value - pl.col("reach")).clip(lower_bound=0),
            high=value + pl.col("reach"),
            n=pl.col("whole"),
            images=pl.col("images"),
        )
    )


def students_reach(images: pl.Series) -> pl.Series:
    """Return how many standard errors a 95% interval of each number of images reaches, by Student's t; null for one."""
    from auditor.statistics.significance import students_quantile  # noqa: PLC0415  # scipy is slow to import

    reaches = [students_quantile(number - 1) if number > 1 else None for number in images]
    return pl.Series("reach", reaches, pl.Float64)
