"""Two-tailed p of correlations: the probability of one at least as far from 0 without any relation.

Each repeats the operations of scipy (`kendalltau`, `spearmanr`, `pearsonr`), from a coefficient or its counts instead
of the data. A p too small for a double is `SMALLEST_P`, an upper bound, and never 0.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from typing import NamedTuple

from auditor.arrays import NDArray, np, scipy

#: The smallest p that is reported: smaller doubles lose digits, or are 0.
SMALLEST_P = sys.float_info.min


class Ties(NamedTuple):
    """Sums over the groups of t equal rows: t (t - 1) / 2, t (t - 1) (t - 2), t (t - 1) (2 t + 5)."""

    pairs: int
    cubic: int
    spread: int


def ties(group_sizes: NDArray[np.int64]) -> Ties:
    """Compute the terms of groups of equal rows in the variance of Kendall's S, as exact integers."""
    sizes, groups = (column.tolist() for column in np.unique(group_sizes, return_counts=True))
    counted = list(zip(sizes, groups, strict=True))
    return Ties(
        sum(groups * (t * (t - 1) // 2) for t, groups in counted),
        sum(groups * (t * (t - 1) * (t - 2)) for t, groups in counted),
        sum(groups * (t * (t - 1) * (2 * t + 5)) for t, groups in counted),
    )


def kendall(surplus: int, rows: int, a: Ties, b: Ties) -> float:
    """Return p for S, concordant minus discordant pairs, as normal with the variance of ties (Kendall 1970)."""
    m = rows * (rows - 1.0)
    variance = (
        (m * (2 * rows + 5) - a.spread - b.spread) / 18
        + (2 * a.pairs * b.pairs) / m
        + a.cubic * b.cubic / (9 * m * (rows - 2))
    )
    return held(2 * scipy.special.ndtr(-abs(surplus / math.sqrt(variance))))


def kendall_exactly(rows: int, concordant: int) -> float:
    """Count permutations as far from even: for rankings without ties that are short, or all but one pair in order.

    The operations are those of scipy (Kendall 1970), whose `stats` takes more than a second to import.
    """
    total = rows * (rows - 1) // 2
    fewest = min(concordant, total - concordant)
    if rows <= 2 or 2 * fewest == total:
        return 1.0
    if fewest <= 1:
        return held(2.0 / math.factorial(rows - fewest) if rows - fewest < 171 else 0.0)
    ways = np.zeros(fewest + 1)
    ways[:2] = 1.0
    for row in range(3, rows + 1):
        ways = np.cumsum(ways)
        if row <= fewest:
            ways[row:] -= ways[: fewest + 1 - row]
    return held(min(1.0, 2.0 * float(np.sum(ways)) / math.factorial(rows)))


def spearman(rho: float, rows: int) -> float:
    """Return p by Student's t with n - 2 degrees of freedom."""
    rest = (rho + 1.0) * (1.0 - rho)
    t = abs(rho) * math.sqrt((rows - 2) / rest) if rest > 0 else math.inf
    return held(2 * scipy.special.stdtr(rows - 2, -t))


def pearson(r: float, rows: int) -> float:
    """Return p by the beta distribution of r between independent normal scores."""
    shape = rows / 2 - 1
    return held(2 * scipy.special.betaincc(shape, shape, (abs(r) + 1) / 2))


def students_quantile(freedom: float, confidence: float = 0.95) -> float:
    """Return the half-width of a two-sided interval by Student's t, in standard errors."""
    return float(scipy.special.stdtrit(freedom, 0.5 + confidence / 2))


def students_p(t: float, freedom: float) -> float:
    """Return the two-tailed p of Student's t."""
    return held(2 * scipy.special.stdtr(freedom, -abs(t)))


def of_shares(first: int, of_first: int, second: int, of_second: int) -> float:
    """Return the two-tailed p of two shares: a test of two proportions with the correction of Yates (1934)."""
    apart, both = abs(first / of_first - second / of_second), (first + second) / (of_first + of_second)
    sizes = 1 / of_first + 1 / of_second
    error = math.sqrt(both * (1 - both) * sizes)
    return held(2 * scipy.special.ndtr(-max(apart - sizes / 2, 0.0) / error)) if error else 1.0


def held(p: float) -> float:
    """Return p, or the smallest p that is reported."""
    return max(float(p), SMALLEST_P)


def holm(ps: Sequence[float]) -> list[float]:
    """Correct p values for several tests (Holm 1979): the error rate of all is that of a single test."""
    corrected, highest = [1.0] * len(ps), 0.0
    for rank, test in enumerate(sorted(range(len(ps)), key=lambda test: ps[test])):
        highest = max(highest, min(1.0, (len(ps) - rank) * ps[test]))
        corrected[test] = highest
    return corrected
