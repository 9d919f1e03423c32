"""Scores of all candidates as one text: sums over candidates, and the score of the sums."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

#: Fractions are added in units of 10^-12, in two columns: doubles hold both sums exactly.
_UNIT, _HALF = 10**12, 10**6


@dataclass(frozen=True)
class Together:
    """How a metric scores all candidates together.

    `sums` returns, for counts with one row per candidate, `image` and columns of whole numbers as doubles, which are
    added over candidates. `score` computes the score of each row of such sums, by the settings.
    """

    sums: Callable[[pl.DataFrame, Mapping[str, Any]], pl.DataFrame]
    score: Callable[[pl.DataFrame, Mapping[str, Any]], pl.Series]


def parts(value: pl.Expr, name: str) -> tuple[pl.Expr, pl.Expr]:
    """Split numbers into two columns of whole numbers, `NAME_high` and `NAME_low`, which `whole` joins again."""
    units = (value * _UNIT).round().cast(pl.Int64)
    high, low = units // _HALF, units % _HALF
    return high.cast(pl.Float64).alias(f"{name}_high"), low.cast(pl.Float64).alias(f"{name}_low")


def whole(name: str) -> pl.Expr:
    """Join sums of `parts`."""
    return (pl.col(f"{name}_high") * _HALF + pl.col(f"{name}_low")) / _UNIT


def mean_of(score: Callable[[pl.DataFrame, Mapping[str, Any]], pl.Series]) -> Together:
    """Return the mean score of a metric over candidates."""

    def sums(counts: pl.DataFrame, settings: Mapping[str, Any]) -> pl.DataFrame:
        scored = counts.select("image", value=score(counts, settings))
        return scored.select("image", *parts(pl.col("value"), "value"), candidates=pl.lit(1.0))

    return Together(sums, _mean)


def _mean(sums: pl.DataFrame, settings: Mapping[str, Any]) -> pl.Series:
    return sums.select(whole("value") / pl.col("candidates")).to_series()
