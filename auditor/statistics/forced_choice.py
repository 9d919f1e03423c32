"""How often the right one of two is chosen, where items share images: shares, and differences of two scorers.

An item is marked 1 for the right one, 0 for the wrong one, one half for a tie. Items of one image are not independent:
the variance of a mean of marks is that of sums over images (Rao & Scott 1992).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri, stdtr  # type: ignore[import-untyped]

from auditor.statistics.significance import held

Floats = NDArray[np.float64]

#: What chance alone reaches, of one right caption and one wrong one.
CHANCE = 0.5


@dataclass(frozen=True)
class Share:
    """A share of `n` items: `value` with the ends of its interval; `p` that chance is as far from what it reaches.

    `independent` is how many independent items would tell as much.
    """

    n: int
    value: float
    low: float
    high: float
    p: float
    independent: float


@dataclass(frozen=True)
class Difference:
    """How much larger the share of one scorer is than that of another on the same items; `p` is two-sided."""

    value: float
    p: float


def share(marks: Floats, images: NDArray[np.int64], confidence: float = 0.95, chance: float = CHANCE) -> Share:
    """Compute the mean of the marks of items; `images` say of which image each item is, `chance` what chance reaches.

    The interval is Wilson's, for as many independent items as have that variance. Raises `ValueError` for no items.
    """
    n = len(marks)
    if not n:
        raise ValueError("no items, no share")
    value = float(marks.mean())
    independent = _independent(marks, images, value)
    z = float(ndtri(0.5 + confidence / 2))
    low, high = _wilson(value, independent, z)
    p = 2 * float(ndtr(-abs(value - chance) / math.sqrt(chance * (1 - chance)) * math.sqrt(independent)))
    return Share(n, value, low, high, min(held(p), 1.0), independent)


def difference(marks: Floats, others: Floats, images: NDArray[np.int64]) -> Difference:
    """Compare two scorers on the same items: a paired t test over images.

    Where every image says the same, p is that of the sign test. Raises `ValueError` for no items.
    """
    if not len(marks):
        raise ValueError("no items, no difference")
    apart = marks - others
    value = float(apart.mean())
    variance, groups = _variance(apart, images)
    if value == 0:
        return Difference(0.0, 1.0)
    if variance == 0:
        return Difference(value, held(2.0 ** (1 - groups)))
    return Difference(value, held(2 * float(stdtr(groups - 1, -abs(value) / math.sqrt(variance)))))


def _independent(marks: Floats, images: NDArray[np.int64], value: float) -> float:
    """Say how many independent items have a share of the same variance, no more than there are."""
    variance, groups = _variance(marks, images)
    spread = value * (1 - value)
    if spread == 0 or variance == 0:
        return float(groups)
    return min(spread / variance, float(len(marks)))


def _variance(values: Floats, images: NDArray[np.int64]) -> tuple[float, int]:
    """Give the variance of the mean of values that are alike within images, and the number of images."""
    _, place = np.unique(images, return_inverse=True)
    sums = np.bincount(place, weights=values - values.mean())
    groups = len(sums)
    return float((sums**2).sum()) / len(values) ** 2 * groups / max(groups - 1, 1), groups


def _wilson(value: float, n: float, z: float) -> tuple[float, float]:
    """Wilson 1927: the shares that would not be refused by the test of a share against a known one."""
    square = z * z / n
    centre = (value + square / 2) / (1 + square)
    reach = z / (1 + square) * math.sqrt(value * (1 - value) / n + square / (4 * n))
    return max(0.0, centre - reach), min(1.0, centre + reach)
