"""A ratio of totals over images, with an interval that takes images as drawn, not words.

The words of one image are no independent draws: what varies is the image. The interval is that of the linearised ratio
(Cochran 1977, Sampling Techniques, section 6.3): the variance of part - ratio * whole over images.
"""

from __future__ import annotations

import polars as pl

#: The normal quantile of a two-sided interval of 95 %.
NORMAL = 1.959963984540054

#: What the interval is called in signatures.
INTERVAL = "linearised-95"


def ratio(totals: pl.DataFrame) -> pl.DataFrame:
    """Divide totals, and give the interval.

    `totals` has columns class, images, part, whole, part_square, whole_square, product (the last three: sums over
    images of squares and products). Gives class, value, low, high, n (whole), images; no row where the whole is 0. Low
    and high are null for fewer than two images; low is never below 0. `high` is not cut: not every ratio is a share.
    """
    value = pl.col("part") / pl.col("whole")
    spread = pl.col("part_square") - 2 * value * pl.col("product") + value * value * pl.col("whole_square")
    unbiased = spread.clip(lower_bound=0) * pl.col("images") / (pl.col("images") - 1)
    error = pl.when(pl.col("images") > 1).then(unbiased.sqrt() / pl.col("whole"))
    return totals.filter(pl.col("whole") > 0).select(
        "class",
        value=value,
        low=(value - NORMAL * error).clip(lower_bound=0),
        high=value + NORMAL * error,
        n=pl.col("whole"),
        images=pl.col("images"),
    )
