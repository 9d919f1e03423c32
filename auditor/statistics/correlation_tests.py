"""Is one metric closer to people than another? Tests of two correlations that share a variable, on the same rows.

Williams' t (Williams 1959; Steiger 1980, equation 7), which Steiger recommends, and Steiger's Z̄₁* (his equations 3, 10
and 14). Both take rows as independent; what they are told of ranks is an approximation (Myers & Sirois 2006).
"""

from __future__ import annotations

import math
from typing import NamedTuple

from scipy.special import ndtr, stdtr  # type: ignore[import-untyped]

from auditor.statistics.significance import held

#: Fewer rows leave Williams' t without a degree of freedom.
FEWEST = 4


class Difference(NamedTuple):
    """A test's statistic, positive where the first correlation is the greater, and its two-tailed p."""

    value: float
    p: float


def williams(r_a: float, r_b: float, r_ab: float, rows: int) -> Difference | None:
    """Test whether a and b correlate equally with the shared variable; null where a and b are the same ranking.

    `r_a`, `r_b` are correlations with the shared variable, `r_ab` is that of a and b; t has n - 3 degrees of freedom.
    """
    if rows < FEWEST:
        return None
    determinant = 1 - r_a**2 - r_b**2 - r_ab**2 + 2 * r_a * r_b * r_ab
    mean = (r_a + r_b) / 2
    spread = 2 * (rows - 1) / (rows - 3) * determinant + mean**2 * (1 - r_ab) ** 3
    if spread <= 0:
        return None
    t = (r_a - r_b) * math.sqrt((rows - 1) * (1 + r_ab) / spread)
    return Difference(t, held(2 * stdtr(rows - 3, -abs(t))))


def steiger(r_a: float, r_b: float, r_ab: float, rows: int) -> Difference | None:
    """Test the same by Fisher's z of both, whose covariance is taken at the mean of the two correlations."""
    mean = (r_a + r_b) / 2
    if rows < FEWEST or max(abs(r_a), abs(r_b)) >= 1:
        return None
    covariance = (r_ab * (1 - 2 * mean**2) - mean**2 * (1 - 2 * mean**2 - r_ab**2) / 2) / (1 - mean**2) ** 2
    if covariance >= 1:
        return None
    z = (math.atanh(r_a) - math.atanh(r_b)) * math.sqrt(rows - 3) / math.sqrt(2 - 2 * covariance)
    return Difference(z, held(2 * ndtr(-abs(z))))
