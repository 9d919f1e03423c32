"""Intervals of the scores of whole outputs, and tests of their differences, by resampling images.

An output has one score, from sums over its images. Intervals sample whole images (`studentized`). The test swaps two
outputs on random images (approximate randomization: Noreen 1989; Riezler & Maxwell 2005). As in `resampling`, random
numbers are raw words of Philox, and sums are of whole numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from auditor.model import Progress, silent
from auditor.statistics.permutation import two_sided_p
from auditor.statistics.resampling import AT_A_TIME, Floats, stream_of
from auditor.statistics.studentized import Measured, estimates

#: The score of each row of sums.
Score = Callable[[pl.DataFrame], pl.Series]


@dataclass(frozen=True)
class Resampling:
    """The number of resamples for intervals and tests, their confidence and seed; 0 turns them off."""

    times: int
    confidence: float
    seed: int

    def caption(self, first: str) -> str | None:
        """Return the caption of a table with differences from `first`."""
        if not self.times:
            return None
        return (
            f"low and high: {100 * self.confidence:g}% confidence interval ({self.times:,} resamples of images); "
            f"difference from {first}, p from as many randomizations that swap both on images"
        )


_SCHEMA = {
    "candidate": pl.String,
    "n": pl.Int64,
    **dict.fromkeys(("value", "low", "high"), pl.Float64),
    "against": pl.String,
    **dict.fromkeys(("difference", "p"), pl.Float64),
}


def beside_first(
    outputs: Mapping[str, pl.DataFrame],
    score: Score,
    resampling: Resampling,
    key: Sequence[object],
    progress: Progress = silent,
) -> pl.DataFrame:
    """Score outputs with intervals, and compare each with the first.

    `outputs` has the sums of each system, a row per candidate: image, and columns of whole numbers. Columns: candidate,
    n (candidates), value, low, high, against, difference, p; null without resamples, or if a resample has no score.
    """
    first = next(iter(outputs))
    rows = []
    for name, sums in outputs.items():
        low, high = interval(sums, score, resampling, key, progress) or (None, None)
        value = score_of(sums, score)
        row: dict[str, object] = {"candidate": name, "n": sums.height, "value": value, "low": low, "high": high}
        if name != first:
            row |= {"against": first, "difference": value - score_of(outputs[first], score)}
            row["p"] = p_of_difference(sums, outputs[first], score, resampling.times, (*key, name))
        rows.append(row)
    return pl.DataFrame(rows, schema=_SCHEMA)


def score_of(sums: pl.DataFrame, score: Score) -> float:
    """Score all rows together. `sums` has column image and columns of whole numbers."""
    return float(score(sums.drop("image").sum()).item())


def interval(
    sums: pl.DataFrame, score: Score, resampling: Resampling, key: Sequence[object], progress: Progress = silent
) -> tuple[float, float] | None:
    """Compute the interval of the score; null without resamples, or if the score needs one of the images."""
    if not resampling.times:
        return None
    return estimates([measured(sums, score)], resampling.times, key, progress)[0].interval(resampling.confidence)


def measured(sums: pl.DataFrame, score: Score) -> Measured:
    """Return the score of all rows together, and without each image."""
    columns = sums.group_by("image").sum().sort("image").drop("image")
    counted = columns.to_numpy()
    without = _scores(counted.sum(axis=0) - counted, columns.columns, score)
    return Measured(score_of(sums, score), without, bool((counted >= 0).all()))


def p_of_difference(
    ours: pl.DataFrame, theirs: pl.DataFrame, score: Score, deals: int, key: Sequence[object]
) -> float | None:
    """Return how often outputs swapped on random images differ as much, two-sided; null without deals."""
    names = ours.drop("image").columns
    images = pl.concat([ours.select("image"), theirs.select("image")]).unique().sort("image")
    own, other = (
        images.join(sums.group_by("image").sum(), on="image", how="left", maintain_order="left")
        .select(names)
        .fill_null(0.0)
        .to_numpy()
        for sums in (ours, theirs)
    )
    observed = score_of(ours, score) - score_of(theirs, score)
    apart, stream = other - own, stream_of(key)
    dealt = np.empty(deals)
    block = max(AT_A_TIME // max(len(apart), 1), 1)
    for start in range(0, deals, block):
        size = min(block, deals - start)
        tossed = (stream.random_raw(size * len(apart)) >> np.uint64(63)).astype(np.float64)
        moved = tossed.reshape(size, len(apart)) @ apart
        dealt[start : start + size] = _scores(own.sum(axis=0) + moved, names, score) - _scores(
            other.sum(axis=0) - moved, names, score
        )
    return two_sided_p(observed, dealt)


def _scores(totals: Floats, names: Sequence[str], score: Score) -> Floats:
    return score(pl.DataFrame(totals, schema=list(names))).to_numpy()
