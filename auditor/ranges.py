"""The lowest and the highest value that a metric or a statistic can have: declared by its card, in words, checked."""

from __future__ import annotations

import math
from collections.abc import Mapping

import polars as pl

from auditor.errors import MetricError

#: What rounding can add to a value at an end of its range.
SLACK = 1e-9

#: The lowest and the highest value.
Ends = tuple[float, float]


def in_words(ends: Ends) -> str:
    """Describe a range, such as `0 to 1` or `0 or more`."""
    lowest, highest = ends
    if math.isinf(lowest):
        return "any number" if math.isinf(highest) else f"{highest:g} or less"
    return f"{lowest:g} or more" if math.isinf(highest) else f"{lowest:g} to {highest:g}"


def scores_within(scores: pl.Series, ends: Ends, counts: pl.DataFrame, *, is_ours: bool) -> pl.Series:
    """Return scores unchanged. Raises `MetricError` for one outside of the range, which names its caption.

    For a metric of this package, a score outside is a bug: a `RuntimeError`.
    """
    outside = _outside(scores, ends).fill_null(value=False)
    if outside.any():
        image, slot, score = counts.select("image", "slot", scores).filter(outside).sort("image", "slot").row(0)
        message = f"{scores.name}: image {image}, slot {slot}: {score} is outside of its range, {in_words(ends)}"
        raise RuntimeError(message) if is_ours else MetricError(message)
    return scores


def statistics_within(rows: pl.DataFrame, known: Mapping[str, Ends]) -> pl.DataFrame:
    """Return rows unchanged. Raises `RuntimeError` for a `value` outside of the range of its `statistic`."""
    for statistic, ends in known.items():
        within(statistic, rows.filter(statistic=statistic)["value"], ends)
    return rows


def within(name: str, values: pl.Series, ends: Ends) -> None:
    """Raise `RuntimeError` for a value of ours that is outside of its range: it is a bug."""
    wrong = values.filter(_outside(values, ends))
    if len(wrong):
        raise RuntimeError(f"{name}: {wrong[0]} is outside of its range, {in_words(ends)}")


def _outside(values: pl.Series, ends: Ends) -> pl.Series:
    """Return for each value whether it is outside, as NaN is; null for a missing one."""
    return ~values.is_between(ends[0] - SLACK, ends[1] + SLACK)
