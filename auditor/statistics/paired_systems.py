"""How far is the score of a whole output by chance, and is one system better than another? By resampling its images.

An output has one score, of sums over its images: intervals draw whole images (`studentized`), the test lets two outputs
change places on images by the toss of a coin (approximate randomization: Noreen 1989; Riezler & Maxwell 2005). As in
`resampling`, draws are raw words of Philox and sums are of whole numbers.
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
    """How many resamples are behind intervals and tests, with what confidence, by which seed; none of 0."""

    times: int
    confidence: float
    seed: int

    def said(self, first: str) -> str | None:
        """Say it, beside a table whose differences are from `first`."""
        if not self.times:
            return None
        return (
            f"low and high: {100 * self.confidence:g} % interval by {self.times:,} resamples of images; "
            f"difference from {first}, p by as many randomizations that let both change places on images"
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
    """Score outputs, each with an interval, and each but the first beside the first.

    `outputs` has for each system its sums, a row a candidate: image, and columns of whole numbers. Columns: candidate,
    n (candidates), value, low, high, against, difference, p; null where there are no resamples, or one has no score.
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
    """Compute the interval of the score; null without resamples, or where the score needs one of the images."""
    if not resampling.times:
        return None
    columns = sums.group_by("image").sum().sort("image").drop("image")
    counted = columns.to_numpy()
    without = _scores(counted.sum(axis=0) - counted, columns.columns, score)
    measured = Measured(score_of(sums, score), without, bool((counted >= 0).all()))
    return estimates([measured], resampling.times, key, progress)[0].interval(resampling.confidence)


def p_of_difference(
    ours: pl.DataFrame, theirs: pl.DataFrame, score: Score, deals: int, key: Sequence[object]
) -> float | None:
    """Return how often outputs that change places on images at random differ as much, two-sided; null of no deals."""
    names = ours.drop("image").columns
    images = pl.concat([ours.select("image"), theirs.select("image")]).unique().sort("image")
    one, other = (
        images.join(sums.group_by("image").sum(), on="image", how="left", maintain_order="left")
        .select(names)
        .fill_null(0.0)
        .to_numpy()
        for sums in (ours, theirs)
    )
    observed = score_of(ours, score) - score_of(theirs, score)
    apart, stream = other - one, stream_of(key)
    dealt = np.empty(deals)
    block = max(AT_A_TIME // max(len(apart), 1), 1)
    for start in range(0, deals, block):
        some = min(block, deals - start)
        tossed = (stream.random_raw(some * len(apart)) >> np.uint64(63)).astype(np.float64)
        moved = tossed.reshape(some, len(apart)) @ apart
        dealt[start : start + some] = _scores(one.sum(axis=0) + moved, names, score) - _scores(
            other.sum(axis=0) - moved, names, score
        )
    return two_sided_p(observed, dealt)


def _scores(totals: Floats, names: Sequence[str], score: Score) -> Floats:
    return score(pl.DataFrame(totals, schema=list(names))).to_numpy()
