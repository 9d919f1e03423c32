"""Bootstrap-t intervals and differences: each resample is divided by its own standard error.

The contribution of an image is its jackknife pseudo-value: for a mean over images, its score. In resamples, means of
pseudo-values vary around the value as the value varies around the truth, in units of standard errors (Efron &
Tibshirani 1993, section 12.5). For few images with skewed scores, percentile intervals are too narrow and these are not
(`benchmarks/levels.md`). Sums are of whole numbers, so that threads change no bit.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from auditor.arrays import np
from auditor.model import Progress, silent
from auditor.statistics.resampling import (
    Floats,
    jackknife_error,
    percentile_interval,
    resampled_totals,
    whole_numbers,
)
from auditor.statistics.significance import students_quantile

#: The name of the interval in signatures.
INTERVAL = "bootstrap-t"

#: A variance below this share of the mean square is a rounding error.
_NOTHING = 1e-12

#: A logarithm whose power a double still holds.
_FAR = 700.0


@dataclass(frozen=True)
class Measured:
    """A value, its values `without` each image in turn, and whether all numbers behind it are 0 or more.

    Such a value is resampled as a logarithm, which makes means and ratios of skewed scores less skewed. `twice` is the
    variance that is counted twice, since two images contribute to the same score (Cameron, Gelbach & Miller 2011).
    """

    value: float
    without: Floats = field(repr=False)
    is_positive: bool
    twice: float = 0.0

    @property
    def error(self) -> float | None:
        """Compute the standard error; None for a single image, or if a value without an image is missing."""
        error = jackknife_error(self.without)
        return error and error * self._once(error)

    def _once(self, error: float) -> float:
        """Compute the part of an error without variance that is counted twice; at least half of the variance stays."""
        return math.sqrt(max(1 - self.twice / (error * error), 0.5)) if error else 1.0

    def jackknifed(self) -> Estimate:
        """Return the pseudo-values of images, without resamples."""
        is_log = bool(self.is_positive and self.value > 0 and (self.without > 0).all())
        without, error = self.without, jackknife_error(self.without)
        if is_log:  # NumPy's logarithm differs in the last digit between processors
            without = np.fromiter(map(math.log, without), np.float64, len(without))
        images, none = len(without), np.empty(0)
        if error is None:
            return Estimate(self.value, is_log, self._least, math.nan, np.full(images, math.nan), none, none)
        apart = self._once(error) * (images - 1) * (math.fsum(without) / images - without)
        error = math.sqrt(math.fsum(apart * apart) / images / (images - 1))
        return Estimate(self.value, is_log, self._least, error, apart, none, none)

    @property
    def _least(self) -> float:
        return 0.0 if self.is_positive else -math.inf


@dataclass(frozen=True)
class Estimate:
    """A value with its standard error. `apart` has the difference of each image's pseudo-value from it.

    `moved` has the difference of each resample's mean, and `errors` the standard errors there. With `is_log` these
    three and `error` are of the value's logarithm. They are NaN if a value without an image is missing. No end of an
    interval is below `least`.
    """

    value: float
    is_log: bool
    least: float
    error: float
    apart: Floats = field(repr=False)
    moved: Floats = field(repr=False)
    errors: Floats = field(repr=False)

    @property
    def pseudo(self) -> Floats:
        """Return the pseudo-values of images; their mean is the value."""
        return self.value + self.scale * self.apart

    @property
    def scale(self) -> float:
        """Return the unit of `apart`, `moved` and `errors`, near the value."""
        return self.value if self.is_log else 1.0

    def interval(self, confidence: float) -> tuple[float, float] | None:
        """Return the ends of the interval; None if one is not finite, as for a few images with many ties.

        None too if one or a few images decide the value, so that many resamples have almost no standard error: the
        interval reaches further than Student's of two images, and beyond the pseudo-value of any image.
        """
        reach = _reach(self.error, self.moved, self.errors, confidence)
        if reach is None:
            return None
        low, high = (self.value * math.exp(min(end, _FAR)) if self.is_log else self.value + end for end in reach)
        is_outside = low < self.pseudo.min() or high > self.pseudo.max()
        if is_outside and max(-reach[0], reach[1]) > students_quantile(1, confidence) * self.error:
            return None
        return max(low, self.least), high

    def is_above(self, other: Estimate, confidence: float) -> bool:
        """Return whether the interval of the difference from an independent value is above 0."""
        if len(self.moved) != len(other.moved):
            return False
        if self.is_log and other.is_log:
            lead, ours, theirs = math.log(self.value / other.value), 1.0, 1.0
        else:  # a value of 0 has no logarithm
            lead, ours, theirs = self.value - other.value, self.scale, other.scale
        reach = _reach(
            math.hypot(ours * self.error, theirs * other.error),
            ours * self.moved - theirs * other.moved,
            np.hypot(ours * self.errors, theirs * other.errors),
            confidence,
        )
        return reach is not None and lead + reach[0] > 0


def estimates(
    measured: Sequence[Measured],
    resamples: int,
    key: Sequence[object],
    progress: Progress = silent,
    what: str = "resampling",
) -> list[Estimate]:
    """Resample the images of values that were measured on the same images; `key` seeds the resamples."""
    jackknifed = [value.jackknifed() for value in measured]
    columns = np.stack([estimate.apart for estimate in jackknifed], axis=1)
    moved, errors = drawn_means(columns, resamples, key, progress, what)
    return [replace(estimate, moved=moved[:, n], errors=errors[:, n]) for n, estimate in enumerate(jackknifed)]


def drawn_means(
    columns: Floats, resamples: int, key: Sequence[object], progress: Progress = silent, what: str = "resampling"
) -> tuple[Floats, Floats]:
    """Compute means of sampled images (images × columns) and their standard errors, resamples × columns each."""
    images = len(columns)
    added, units = with_squares(columns)
    totals = resampled_totals(added, resamples, key, progress, what)
    return mean_and_error(totals * units, images)


def with_squares(columns: Floats) -> tuple[Floats, Floats]:
    """Return columns followed by their squares, as whole numbers, and the unit of each."""
    parts, units = zip(*(whole_numbers(part) for part in (columns, columns * columns)), strict=True)
    return np.hstack(parts), np.hstack(units)


def mean_and_error(totals: Floats, images: int) -> tuple[Floats, Floats]:
    """Compute the means over `images` and their standard errors, from totals of columns and of their squares."""
    mean, mean_square = np.hsplit(totals / images, 2)
    spread = mean_square - mean * mean
    error: Floats = np.sqrt(np.where(spread > _NOTHING * mean_square, spread, 0 * spread) / (images - 1 or math.nan))
    return mean, error


def ratios(means: Floats, errors: Floats) -> Floats:
    """Divide means by their standard errors; 0 / 0 is 0."""
    with np.errstate(invalid="ignore", divide="ignore"):
        divided: Floats = np.where(means == 0, 0.0, means / errors)
    return divided


def _reach(error: float, moved: Floats, errors: Floats, confidence: float) -> tuple[float, float] | None:
    """Return the distances from a value to the ends of its interval."""
    ends = percentile_interval(ratios(moved, errors), confidence)
    return ends and (-ends[1] * error, -ends[0] * error)
