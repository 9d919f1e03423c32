"""Agreement between raters, and of metrics with raters: alpha, kappa, and the names of coefficients.

Dancey & Reidy 2011, page 175, as Elliott & Keller 2014, section 3, quote them; Krippendorff 2011, "Computing
Krippendorff's alpha-reliability"; Cohen 1960, after thresholds as in Hodosh et al. 2013.
"""

from __future__ import annotations

from typing import NamedTuple

import polars as pl

from auditor.arrays import np

#: The highest absolute coefficient of each name. The guide prints two decimals (0 to .1, .11 to .4, …), so that a
#: coefficient is rounded to two before the lookup, and cannot fall between two bands.
_BANDS = ((0.10, "uncorrelated"), (0.40, "weak"), (0.70, "moderate"), (0.90, "strong"), (1.0, "perfect"))


class Threshold(NamedTuple):
    """Kappa of scores that are cut in two at `cut`, which belongs to the better half."""

    kappa: float
    cut: float


def strength(value: float | None) -> str | None:
    """Return the name of a coefficient: uncorrelated, weak, moderate, strong or perfect; null for null."""
    if value is None:
        return None
    size = round(abs(value), 2)
    return next(name for highest, name in _BANDS if size <= highest)


def krippendorff(pairs: pl.DataFrame, level: str) -> float | None:
    """Return Krippendorff's alpha of ratings: 1 for full agreement, 0 for the agreement expected by chance.

    `pairs` counts ordered pairs of ratings of one caption: ratings (how many the caption has), score_a, score_b, pairs.
    A caption with one rating has no pairs. `level` is `interval`, or `ordinal`, with the number of ratings between two
    ratings as their distance. Null if no caption has two ratings, or all ratings are equal.
    """
    values = np.unique(np.concatenate([pairs["score_a"].to_numpy(), pairs["score_b"].to_numpy()]))
    size = len(values)
    if size < 2:
        return None
    coincidences = np.zeros((size, size))
    for (ratings,), part in sorted(pairs.partition_by("ratings", as_dict=True).items()):
        counted = np.zeros((size, size), np.int64)
        cells = (np.searchsorted(values, part[column].to_numpy()) for column in ("score_a", "score_b"))
        np.add.at(counted, tuple(cells), part["pairs"].to_numpy().astype(np.int64))
        coincidences += counted / (ratings - 1)
    totals = coincidences.sum(axis=1)
    if level == "ordinal":
        middle = np.cumsum(totals) - totals / 2
        distance = (middle[:, None] - middle) ** 2
    else:
        distance = (values[:, None] - values) ** 2
    rated = totals.sum()
    expected = (np.outer(totals, totals) * distance).sum() / (rated - 1)
    return float(1 - (coincidences * distance).sum() / expected) if expected > 0 else None


def kappa(
    scores: pl.Series, good: pl.Series, cut: float | None = None, *, lower_is_better: bool = False
) -> Threshold | None:
    """Return Cohen's kappa of "the score is at least `cut`" and "raters call it good" (booleans).

    Without a cut, the observed score with the highest kappa is used; of equal ones the strictest. Null if the raters
    call all good, or none.
    """
    rows, liked = len(good), int(good.sum())
    if liked in (0, rows):
        return None
    turned = -scores if lower_is_better else scores
    counted = (
        pl.DataFrame({"score": turned, "good": good})
        .group_by("score")
        .agg(rows=pl.len().cast(pl.Int64), hits=pl.col("good").sum().cast(pl.Int64))
        .sort("score", descending=True)
        .with_columns(pl.col("rows", "hits").cum_sum())
    )
    if cut is not None:
        edge = -cut if lower_is_better else cut
        within = counted.filter(pl.col("score") >= edge).tail(1)
        chosen, hits = within.select("rows", "hits").row(0) if within.height else (0, 0)
        return Threshold(_kappa(rows, liked, chosen, hits), cut)
    chances = [_kappa(rows, liked, *row) for row in counted.select("rows", "hits").iter_rows()]
    best = max(range(len(chances)), key=chances.__getitem__)  # the first, and so the strictest, of equal ones
    score = float(counted["score"][best])
    return Threshold(chances[best], -score if lower_is_better else score)


def _kappa(rows: int, liked: int, chosen: int, hits: int) -> float:
    """Return kappa if raters like `liked` of the rows, a metric chooses `chosen`, and `hits` are both."""
    agreed = rows * (rows - liked - chosen + 2 * hits)
    by_chance = liked * chosen + (rows - liked) * (rows - chosen)
    return (agreed - by_chance) / (rows * rows - by_chance)
