"""Every confidence interval: from a value, its standard error, and the range of values that it can have.

Estimates are skewed near an end of their range, and not on another scale: the logit between two ends, the logarithm
above or below one, the values themselves without an end (of a coefficient from -1 to 1 the logit is twice Fisher's z).
So no interval leaves the range. `benchmarks/levels.md` has the coverage, and why there is none for a few images.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from auditor.arrays import NDArray, np
from auditor.ranges import SLACK, Ends
from auditor.statistics.significance import students_quantile

#: Fewest images for an interval or a test.
FEWEST = 8

#: The range of a share, and of a number that is 0 or more.
SHARE, POSITIVE, ANY = (0.0, 1.0), (0.0, math.inf), (-math.inf, math.inf)

#: A logarithm whose power a double still holds.
_FAR = 700.0

#: No interval without an upper or a lower limit has ends that differ by a larger factor; its logarithm.
_WIDEST = math.log(1e6)

#: Why a value has no interval.
WITHOUT = "too few images differ, or one differs too much"


@dataclass(frozen=True)
class Scale:
    """The scale of a value with this lowest and highest value. A value at an end has no place on it: NaN."""

    lowest: float
    highest: float

    def of(self, value: float) -> float:
        """Return the place of a value. By `math`: NumPy's logarithm differs in the last digit between processors."""
        above, below = value - self.lowest, self.highest - value
        if not (above > 0 and below > 0):
            return math.nan
        if math.isinf(above) and math.isinf(below):
            return value
        return (0.0 if math.isinf(above) else math.log(above)) - (0.0 if math.isinf(below) else math.log(below))

    def of_each(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the places of values on a scale with an end, as `of` does."""
        above, below = values - self.lowest, self.highest - values
        inside = (above > 0) & (below > 0)
        places = np.where(inside, 0.0, math.nan)
        for end, sign, side in ((self.lowest, 1, above), (self.highest, -1, below)):
            if not math.isinf(end):
                places[inside] += sign * np.fromiter(map(math.log, side[inside].tolist()), np.float64)
        return places

    def back(self, place: float) -> float:
        """Return the value at a place."""
        power = math.exp(min(max(-place if math.isinf(self.lowest) else place, -_FAR), _FAR))
        if math.isinf(self.lowest):
            return place if math.isinf(self.highest) else self.highest - power
        return self.lowest + (power if math.isinf(self.highest) else (self.highest - self.lowest) * power / (1 + power))

    def slope(self, value: float) -> float:
        """Return how much a place changes with its value."""
        above, below = value - self.lowest, self.highest - value
        return 1.0 if math.isinf(above) and math.isinf(below) else 1 / above + 1 / below


def interval(
    value: float, error: float, confidence: float, freedom: float, ends: Ends, quantiles: Ends | None = None
) -> Ends | None:
    """Compute an interval within `ends`; `error` is on their scale.

    `quantiles` are those of the distance of an estimate from the truth in standard errors; without them, Student's with
    `freedom` degrees. None if the value is at an end, or has no error, and for ends too far apart.
    """
    scale = Scale(*ends)
    place = scale.of(value)
    low, high = quantiles or (-(reach := students_quantile(freedom, confidence)), reach)
    width, has_one_end = error * (high - low), math.isinf(ends[0]) != math.isinf(ends[1])
    if not (error > 0 and math.isfinite(place) and math.isfinite(width)) or (has_one_end and width > _WIDEST):
        return None
    return scale.back(place - high * error), scale.back(place - low * error)


def around(value: float, error: float | None, images: int, confidence: float, ends: Ends = ANY) -> Ends | None:
    """Compute the interval of a value on `images`; `error` is its own, not on the scale.

    That of a share is Wilson's, for the number of independent items with this error. None for fewer than `FEWEST`
    images, and if all images are equal without a range on both sides.
    """
    if error is None or images < FEWEST or not math.isfinite(error):
        return None
    if not error > SLACK * abs(value):
        return all_equal(value, images, confidence, ends) if all(map(math.isfinite, ends)) else None
    if ends == SHARE and 0 < value < 1:
        return wilson(value, value * (1 - value) / (error * error), students_quantile(images - 1, confidence))
    on_scale = error * Scale(*ends).slope(value) if ends[0] < value < ends[1] else math.nan
    return interval(value, on_scale, confidence, images - 1, ends)


def all_equal(value: float, images: float, confidence: float, ends: Ends) -> Ends:
    """Compute the interval of a mean if all images have this value, in a range with ends on both sides.

    Of all distributions with a given mean, as many images are most often equal if the others are at an end of the
    range. The interval has each mean for which that is not rarer than half of the rest. If 0 of n images have
    something, it is 0 to 1 - (α/2)^(1/n).
    """
    lowest, highest = ends
    likely = ((1 - confidence) / 2) ** (1 / images)
    return lowest + (value - lowest) * likely, highest - (highest - value) * likely


def wilson(value: float, independent: float, quantile: float) -> Ends:
    """Return the shares that the test of a share against a known one does not reject (Wilson 1927)."""
    square = quantile * quantile / independent
    center = (value + square / 2) / (1 + square)
    spread = value * (1 - value) / independent + square / (4 * independent)
    reach = quantile / (1 + square) * math.sqrt(spread)
    return max(0.0, center - reach), min(1.0, center + reach)


def low_and_high(found: Sequence[Ends | None]) -> list[pl.Series]:
    """Return intervals as columns low and high."""
    return [
        pl.Series(name, [ends and ends[side] for ends in found], pl.Float64)
        for side, name in enumerate(("low", "high"))
    ]
