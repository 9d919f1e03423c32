"""The share of words that are followed by a cut, which decides which captions are listed as truncated.

It is unknown. It is estimated by expectation maximization, from the sum of the captions' probabilities of being cut.
"""

from __future__ import annotations

import polars as pl

#: A caption is listed if a cut is at least this many times as likely as a regular end with the same word.
_LIKELY = 1 / 3

_ROUNDS = 30


def cut_ends(open_ends: pl.DataFrame) -> pl.DataFrame:
    """Return the ends of captions that a cut probably made, from the rows of `truncated_end`."""
    counted = open_ends.group_by("chance").agg(pl.col("words").first(), pl.col("captions").sum()).sort("chance")
    share = 0.001
    for _ in range(_ROUNDS if counted.height else 0):
        share = float((counted["captions"] * share / (share + counted["chance"])).sum()) / counted["words"][0]
    likely = open_ends.filter("is_told", pl.col("chance") * _LIKELY <= share)
    return likely.select("before", "word", "size", "is_at_limit", "why")
