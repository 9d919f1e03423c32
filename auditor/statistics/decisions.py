"""Which of several values differ: one decision for each pair, from the bootstrap-t resamples behind their intervals.

The difference of a pair is divided by its standard error, in the data and in each resample. The p of a pair counts the
resamples whose difference from the truth is as large. The adjusted p counts those in which the largest difference of
all pairs that are not further apart is as large (step-down maxT: Romano & Wolf 2005; adjusted p: Romano & Wolf 2016):
the probability of a false difference among all pairs is at most 1 - confidence. The data count as a resample, so that
no p is 0 (Phipson & Smyth 2010), and its least value does not grow with the number of pairs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

from auditor.arrays import np
from auditor.statistics.intervals import Scale
from auditor.statistics.resampling import Floats
from auditor.statistics.significance import students_quantile
from auditor.statistics.studentized import Estimate, ratios

#: The share of cases in which a visible difference is found.
_POWER = 0.8

#: Differences are equal up to this share of themselves.
_ROUNDING = 1e-9


class Decision(NamedTuple):
    """The p of one pair, alone and adjusted for all pairs.

    `visible` is the difference that new data of the same sizes would show in 80 of 100 cases, from the standard error
    alone.
    """

    p: float
    adjusted: float
    visible: float

    def is_sure(self, confidence: float) -> bool:
        """Return whether the values differ significantly."""
        return self.adjusted < round(1 - confidence, 12)


class Spread(NamedTuple):
    """The standard error of a difference, in the data and in each resample."""

    error: float
    errors: Floats


Pair = tuple[int, int]


def decisions(
    estimates: Sequence[Estimate], paired: Mapping[Pair, Spread] | None = None, confidence: float = 0.95
) -> dict[Pair, Decision]:
    """Decide about each pair of estimates that are tested.

    Estimates on different images are independent, so their resamples can be paired in any order. Those of `paired` are
    on the same images, in the same resamples: it has the spread of their difference.
    """
    tested = [at for at, estimate in enumerate(estimates) if estimate.is_tested]
    pairs = [*combinations(tested, 2)]
    if not pairs:
        return {}
    observed, shown, power = np.empty((3, len(pairs)))
    drawn = np.empty((len(estimates[tested[0]].moved), len(pairs)))
    for column, pair in enumerate(pairs):
        a, b = (estimates[at] for at in pair)
        independent = Spread(float(np.hypot(a.error, b.error)), np.hypot(a.errors, b.errors))
        error, errors = (paired or {}).get(pair, independent)
        freedom = min(len(a.apart), len(b.apart)) - 1
        own, other = (side.error / Scale(*side.ends).slope(side.value) for side in (a, b))
        shown[column] = np.hypot(own, other) * ratios(np.array(error), np.array(independent.error))
        power[column] = students_quantile(freedom, 2 * _POWER - 1)
        observed[column] = np.abs(ratios(np.array(a.place - b.place), np.array(error)))
        drawn[:, column] = np.abs(ratios(a.moved - b.moved, errors))
    order = np.argsort(-observed, kind="stable")
    observed, drawn = observed[order] * (1 - _ROUNDING), drawn[:, order]
    largest = np.maximum.accumulate(drawn[:, ::-1], axis=1)[:, ::-1]
    visible = (np.quantile(drawn.max(axis=1), confidence) + power) * shown
    ps, adjusted = ((1 + (some >= observed).sum(axis=0)) / (1 + len(drawn)) for some in (drawn, largest))
    adjusted = np.maximum.accumulate(adjusted)
    found = {
        pairs[at]: Decision(float(p), float(q), float(visible[at]))
        for at, p, q in zip(order, ps, adjusted, strict=True)
    }
    return {pair: found[pair] for pair in pairs}
