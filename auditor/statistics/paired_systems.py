"""Intervals of the scores of whole outputs, and tests of their differences, by resampling images.

An output has one score, from sums over its images. Intervals sample whole images (`studentized`). The test swaps two
outputs on random images (approximate randomization: Noreen 1989; Riezler & Maxwell 2005). As in `resampling`, random
numbers are raw words of Philox, and sums are of whole numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import polars as pl

from auditor.arrays import frame_of, np
from auditor.model import Progress, silent
from auditor.ranges import Ends
from auditor.statistics.permutation import two_sided_p
from auditor.statistics.resampling import AT_A_TIME, Floats, stream_of
from auditor.statistics.studentized import Measured, estimates

#: Fewest images for a test that swaps two outputs. If one spreads more and is skewed, outputs of equal true scores are
#: called different too often on fewer (`benchmarks/levels.md`).
SWAPPED = 50

#: The score of each row of sums.
Score = Callable[[pl.DataFrame], pl.Series]

Bounds = tuple[float | None, float | None]


class Measure(NamedTuple):
    """The sums of each system, a row per candidate (image, and columns of whole numbers), their score and its ends."""

    outputs: Mapping[str, pl.DataFrame]
    score: Score
    ends: Ends


@dataclass(frozen=True)
class Resampling:
    """The number of resamples for intervals and tests, their confidence and seed; 0 turns them off."""

    times: int = 1000
    confidence: float = 0.95
    seed: int = 1

    def caption(self, first: str) -> str | None:
        """Return the caption of a table with differences from `first`."""
        if not self.times:
            return None
        return (
            f"low and high: {100 * self.confidence:g}% confidence interval ({self.times:,} resamples of images); "
            f"difference from {first}; p: permutation test, as many random swaps on images ({SWAPPED} or more)"
        )


SCHEMA = {
    "candidate": pl.String,
    "n": pl.Int64,
    **dict.fromkeys(("value", "low", "high"), pl.Float64),
    "against": pl.String,
    **dict.fromkeys(("difference", "p"), pl.Float64),
}


def beside_first(
    measures: Sequence[Measure],
    resampling: Resampling,
    key: Sequence[object],
    contents: Mapping[str, Sequence[object]],
    progress: Progress = silent,
) -> list[pl.DataFrame]:
    """Score outputs by each measure, with intervals, and compare each with the first.

    `contents` identify the systems under any name, and seed their tests. Columns: candidate, n (candidates), value,
    low, high, against, difference, p; null without resamples, or if a resample has no score.
    """
    drawn = {name: _intervals(name, measures, resampling, key, progress) for name in measures[0].outputs}
    keys = {name: (*key, *contents[name]) for name in drawn}
    return [
        _beside_first(measure, [ends[at] for ends in drawn.values()], resampling.times, keys)
        for at, measure in enumerate(measures)
    ]


def _beside_first(
    measure: Measure, ends: Sequence[Bounds], times: int, keys: Mapping[str, tuple[object, ...]]
) -> pl.DataFrame:
    first, score = next(iter(measure.outputs)), measure.score
    rows = []
    for (name, sums), (low, high) in zip(measure.outputs.items(), ends, strict=True):
        value = score_of(sums, score)
        row: dict[str, object] = {"candidate": name, "n": sums.height, "value": value, "low": low, "high": high}
        if name != first:
            row |= {"against": first, "difference": value - score_of(measure.outputs[first], score)}
            row["p"] = p_of_difference(sums, measure.outputs[first], score, times, keys[name])
        rows.append(row)
    return pl.DataFrame(rows, schema=SCHEMA)


def _intervals(
    name: str, measures: Sequence[Measure], resampling: Resampling, key: Sequence[object], progress: Progress
) -> list[Bounds]:
    """Compute the intervals of an output's scores from the same resamples; null if a score needs one of the images."""
    ends: list[Bounds] = [(None, None)] * len(measures)
    values = [measured(measure.outputs[name], measure.score, measure.ends) for measure in measures if resampling.times]
    for images in {len(value.without) for value in values}:
        chosen = [at for at, value in enumerate(values) if len(value.without) == images]
        drawn = estimates([values[at] for at in chosen], resampling.times, key, progress)
        for at, estimate in zip(chosen, drawn, strict=True):
            ends[at] = estimate.interval(resampling.confidence) or (None, None)
    return ends


def score_of(sums: pl.DataFrame, score: Score) -> float:
    """Score all rows together. `sums` has column image and columns of whole numbers."""
    return float(score(sums.drop("image").sum()).item())


def measured(sums: pl.DataFrame, score: Score, ends: Ends) -> Measured:
    """Return the score of all rows together, and without each image."""
    columns = sums.group_by("image").sum().sort("image").drop("image")
    counted = columns.to_numpy()
    without = _scores(counted.sum(axis=0) - counted, columns.columns, score)
    return Measured(score_of(sums, score), without, ends)


def p_of_difference(
    ours: pl.DataFrame, theirs: pl.DataFrame, score: Score, deals: int, key: Sequence[object]
) -> float | None:
    """Return how often outputs swapped on random images differ as much, two-sided.

    Null without deals, and for fewer images than `SWAPPED`. Equal outputs have a p of 1 on any number of images.
    """
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
    if len(images) < SWAPPED:
        return 1.0 if deals and observed == 0 else None
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
    return score(frame_of(totals, names)).to_numpy()
