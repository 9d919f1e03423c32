"""Means and standard deviations of all scores, from the sums of buckets: exact, and so the same on any machine."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

import polars as pl

from auditor.scoring.scale_out.plan import Plan
from auditor.scoring.scale_out.work import SUMS, Work
from auditor.store.connection import MEMORY, Store
from auditor.store.file import Share
from auditor.store.workspace import Workspace

_UNIT = 10**12

_SCHEMA = {
    "metric": pl.String,
    "level": pl.String,
    "n": pl.Int64,
    "mean": pl.Float64,
    "sd": pl.Float64,
    "min": pl.Float64,
    "max": pl.Float64,
}


def totals(parts: pl.DataFrame) -> pl.DataFrame:
    """Add up the sums of buckets. Columns in and out: those of `score_sum`."""
    with Store.open(MEMORY) as store:
        workspace = Workspace(store)
        workspace.bind_rows("score_sum", parts)
        return workspace.rows("total_score_sum")


def sums_of_scores(scores: pl.DataFrame, share: Share | None = None) -> pl.DataFrame:
    """Add up the scores of a bucket. Columns in: metric, image, value; out: those of `score_sum`."""
    with Store.open(MEMORY, share=share) as store:
        workspace = Workspace(store)
        workspace.bind_rows("score_of_bucket", scores)
        return workspace.rows("score_sum")


def sums_of(plan: Plan, work: Work) -> pl.DataFrame:
    """Add up the sums of finished work."""
    return totals(pl.concat([work.scan(SUMS, number) for number in range(len(plan.buckets))]).collect())


def summary(metrics: Sequence[str], sums: pl.DataFrame) -> pl.DataFrame:
    """Summarize scores by their sums. Columns: metric, level (caption, image), n, mean, sd, min, max.

    The sd is that of the sample, n - 1; null for one value. A level without values has no row.
    """
    rows = [row for metric in metrics for row in _levels(metric, sums.filter(metric=metric).to_dicts())]
    return pl.DataFrame(rows, schema=_SCHEMA, orient="row")


def _levels(metric: str, sums: Sequence[Mapping[str, Any]]) -> Iterator[tuple[object, ...]]:
    """Yield the rows of a metric, from its sums for each number of captions that images have."""
    if not sums:
        return
    captions = sum(row["captions"] for row in sums)
    total, squares = sum(int(row["total"]) for row in sums), sum(int(row["squares"]) for row in sums)
    least, greatest = min(int(row["least"]) for row in sums), max(int(row["greatest"]) for row in sums)
    yield metric, "caption", captions, *_moments(captions, Fraction(total), Fraction(squares)), *_ends(least, greatest)
    each = [(row["captions_each"], row) for row in sums]
    images = sum(row["images"] for row in sums)
    of_means = sum((Fraction(int(row["total"]), many) for many, row in each), Fraction(0))
    squared = sum((Fraction(int(row["image_squares"]), many**2) for many, row in each), Fraction(0))
    lowest = min(Fraction(int(row["least_image"]), many) for many, row in each)
    highest = max(Fraction(int(row["greatest_image"]), many) for many, row in each)
    yield metric, "image", images, *_moments(images, of_means, squared), *_ends(lowest, highest)


def _moments(n: int, total: Fraction, squares: Fraction) -> tuple[float, float | None]:
    """Return the mean and the sd of n values, in units of 10^-12, from their sum and the sum of their squares."""
    mean = float(total / n / _UNIT)
    if n < 2:
        return mean, None
    variance = (squares - total * total / n) / (n - 1)
    return mean, math.sqrt(float(variance)) / _UNIT


def _ends(*values: int | Fraction) -> tuple[float, ...]:
    return tuple(float(Fraction(value) / _UNIT) for value in values)
