"""The share of words that are followed by a cut, which decides which captions are listed as truncated.

It is unknown. It is estimated by expectation maximization, from the sum of the captions' probabilities of being cut.
"""

from __future__ import annotations

import polars as pl

#: A caption is listed if a cut is at least this many times as likely as a regular end with the same word.
_LIKELY = 1 / 3

_ROUNDS = 30


def cut_share(open_ended: pl.DataFrame) -> float:
    """Estimate the share of words that are followed by a cut, from the rows of `truncated`.

    A row counts `repeated` times, if it has such a column.
    """
    repeated = pl.col("repeated") if "repeated" in open_ended.columns else pl.lit(1, pl.UInt32)
    counted = open_ended.group_by("chance").agg(words=pl.col("words").first(), repeated=repeated.sum()).sort("chance")
    cut = 0.001
    for _ in range(_ROUNDS if counted.height else 0):
        cut = float((counted["repeated"] * cut / (cut + counted["chance"])).sum()) / counted["words"][0]
    return cut


def cut_ones(open_ended: pl.DataFrame, cut: float) -> pl.DataFrame:
    """Return the captions that are listed at a share of cuts."""
    return open_ended.filter(pl.col("chance") * _LIKELY <= cut).select("image", "slot", "why")
