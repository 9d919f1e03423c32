"""How often the right one of two is chosen: shares of items, where items share images.

A tie is half right. Items of one image are not independent: the variance of the share is that of the means of images
(Rao & Scott 1992), and the interval is Wilson's, for as many independent items as have that variance.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri  # type: ignore[import-untyped]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Share:
    """A share of `n` items: `value` with the ends of its interval; `p` that chance alone is as far from one half.

    `independent` is how many independent items would tell as much.
    """

    n: int
    value: float
    low: float
    high: float
    p: float
    independent: float


def share(credits: Floats, images: NDArray[np.int64], confidence: float = 0.95) -> Share:
    """Give the share of items that are right. `credits` are 1, .5 (a tie) or 0, `images` say of which image each is.

    Raises `ValueError` for no items.
    """
    n = len(credits)
    if not n:
        raise ValueError("no items, no share")
    value = float(credits.mean())
    independent = _independent(credits - value, images, value)
    z = float(ndtri(0.5 + confidence / 2))
    low, high = _wilson(value, independent, z)
    p = 2 * float(ndtr(-abs(value - 0.5) * 2 * math.sqrt(independent)))
    return Share(n, value, low, high, min(p, 1.0), independent)


def _independent(residuals: Floats, images: NDArray[np.int64], value: float) -> float:
    """Say how many independent items have a share of the same variance, no more than there are."""
    _, place = np.unique(images, return_inverse=True)
    sums = np.bincount(place, weights=residuals)
    groups = len(sums)
    variance = float((sums**2).sum()) / len(residuals) ** 2 * groups / max(groups - 1, 1)
    spread = value * (1 - value)
    if spread == 0 or variance == 0:
        return float(groups)
    return min(spread / variance, float(len(residuals)))


def _wilson(value: float, n: float, z: float) -> tuple[float, float]:
    """Wilson 1927: the shares that would not be refused by the test of a share against a known one."""
    square = z * z / n
    centre = (value + square / 2) / (1 + square)
    reach = z / (1 + square) * math.sqrt(value * (1 - value) / n + square / (4 * n))
    return max(0.0, centre - reach), min(1.0, centre + reach)
