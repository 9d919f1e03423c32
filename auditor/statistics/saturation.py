"""The saturation point of a curve over numbers of references, and the differences that a set of images can detect."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

#: A mean rises with references if it changes by this share of itself; it is saturated at this share of the change.
RISING, RISEN = 0.05, 0.95

#: Normal quantiles of a two-sided test at 5% and of a power of 80%.
_Z_TEST, _Z_POWER = 1.959963984540054, 0.8416212335729143


def rises(curve: Sequence[float]) -> bool:
    """Return whether a curve's ends differ by at least a twentieth of the larger of them."""
    return abs(curve[-1] - curve[0]) >= RISING * max(abs(curve[0]), abs(curve[-1])) > 0


def knee(curve: Sequence[float]) -> int | None:
    """Return the point, counted from 1, that is farthest above the chord from the first to the last point.

    Both axes are scaled to 0 … 1, so that a falling curve is read as a rising one. Of equally far points the first
    counts (Kneedle, Satopää et al. 2011, without smoothing). Null for a curve that does not rise, has fewer than three
    points, or is never above its chord.
    """
    if len(curve) < 3 or not rises(curve):
        return None
    along = np.linspace(0, 1, len(curve))
    above = ((np.array(curve) - curve[0]) / (curve[-1] - curve[0]) - along).round(12)
    farthest = int(np.argmax(above))
    return farthest + 1 if above[farthest] > 0 else None


def saturation_point(curve: Sequence[float]) -> int | None:
    """Return the first point, counted from 1, from which on at least 95% of the whole rise is reached.

    Null for a curve that does not rise.
    """
    if not rises(curve):
        return None
    return lasting([(value - curve[0]) / (curve[-1] - curve[0]) for value in curve], RISEN)


def lasting(values: Sequence[float], level: float) -> int | None:
    """Return the first point, counted from 1, from which on no value is below a level. Null if the last one is."""
    below = [number for number, value in enumerate(values, 1) if not value >= level - 1e-12]
    first = below[-1] + 1 if below else 1
    return first if first <= len(values) else None


def detectable(differences: NDArray[np.float64], images: int | None = None) -> float | None:
    """Return the difference between the means of two systems that a test finds four times in five.

    `differences` are those of two equally good candidates, by image. With their sd s and n images, a paired two-sided
    test at 5% has a power of 80% at (z_.975 + z_.8) s / sqrt(n). `images` is n for another set. Null for fewer than two
    images.
    """
    if len(differences) < 2:
        return None
    sd = float(np.std(differences, ddof=1))
    return (_Z_TEST + _Z_POWER) * sd / math.sqrt(images or len(differences))
