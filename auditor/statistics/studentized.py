"""Intervals and differences of what scores of images make, each draw divided by its own standard error.

What an image adds is its pseudo-value by the jackknife: for a mean over images, its own score. Drawn again, means of
pseudo-values lie around the value as the value around the truth, in units of standard errors (bootstrap-t: Efron &
Tibshirani 1993, section 12.5). Of few images with skewed scores percentiles cover too seldom, these do not
(`benchmarks/levels.md`). Sums are of whole numbers, so that threads change no bit.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from auditor.model import Progress, silent
from auditor.statistics.resampling import (
    Floats,
    jackknife_error,
    percentile_interval,
    resampled_totals,
    whole_numbers,
)

#: What the interval is called in signatures.
INTERVAL = "bootstrap-t"

#: A variance below this share of the mean square is a rounding error.
_NOTHING = 1e-12


@dataclass(frozen=True)
class Measured:
    """A value, what it is `without` each image in turn, and whether it is made of numbers of which none is below 0.

    Such a value is resampled as a logarithm: means and ratios of skewed scores are less skewed so. `twice` is the
    variance that is counted twice, since two images have a part in the same score (Cameron, Gelbach & Miller 2011).
    """

    value: float
    without: Floats = field(repr=False)
    is_positive: bool
    twice: float = 0.0

    @property
    def error(self) -> float | None:
        """Compute the standard error; none of one image, and where the value lacks one without some image."""
        error = jackknife_error(self.without)
        return error and error * self._once(error)

    def _once(self, error: float) -> float:
        """Compute which part of an error is left where nothing is counted twice: half of the variance, or more."""
        return math.sqrt(max(1 - self.twice / (error * error), 0.5)) if error else 1.0

    def jackknifed(self) -> Estimate:
        """Return the pseudo-values of images, without resamples."""
        is_log = bool(self.is_positive and self.value > 0 and (self.without > 0).all())
        without, error = np.log(self.without) if is_log else self.without, jackknife_error(self.without)
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
    """A value with its standard error; `apart` says how far the pseudo-value of each image is from it.

    `moved` says so of the mean of each resample, `errors` are the standard errors there. These three and `error` are of
    the value's logarithm where `is_log`, and not numbers where it lacks one without some image. No end of an interval
    is below `least`.
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
        """Return the pseudo-values of images, whose mean is the value."""
        return self.value + self.scale * self.apart

    @property
    def scale(self) -> float:
        """Return what one of the units of `apart`, `moved` and `errors` is, near the value."""
        return self.value if self.is_log else 1.0

    def interval(self, confidence: float) -> tuple[float, float] | None:
        """Return the ends of the interval; none where one is not finite, as of a few images most of which tie."""
        reach = _reach(self.error, self.moved, self.errors, confidence)
        if reach is None or not self.is_log:
            return reach and (max(self.value + reach[0], self.least), self.value + reach[1])
        return self.value * math.exp(reach[0]), self.value * math.exp(reach[1])

    def is_above(self, other: Estimate, confidence: float) -> bool:
        """Return whether the interval of the difference from an unrelated value lies above 0."""
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
    """Resample the images of values that were measured on the same ones; `key` makes the draw."""
    found = [one.jackknifed() for one in measured]
    moved, errors = drawn_means(np.stack([one.apart for one in found], axis=1), resamples, key, progress, what)
    return [replace(one, moved=moved[:, n], errors=errors[:, n]) for n, one in enumerate(found)]


def drawn_means(
    columns: Floats, resamples: int, key: Sequence[object], progress: Progress = silent, what: str = "resampling"
) -> tuple[Floats, Floats]:
    """Compute means of drawn images (images × columns) and their standard errors, resamples × columns each."""
    images = len(columns)
    added, units = with_squares(columns)
    totals = resampled_totals(added, resamples, key, progress, what)
    return mean_and_error(totals * units, images)


def with_squares(columns: Floats) -> tuple[Floats, Floats]:
    """Return columns and their squares, side by side, as whole numbers, and the unit of each."""
    parts, units = zip(*(whole_numbers(part) for part in (columns, columns * columns)), strict=True)
    return np.hstack(parts), np.hstack(units)


def mean_and_error(totals: Floats, images: int) -> tuple[Floats, Floats]:
    """Compute the means of so many images and their standard errors, by totals of columns and of their squares."""
    mean, mean_square = np.hsplit(totals / images, 2)
    spread = mean_square - mean * mean
    error: Floats = np.sqrt(np.where(spread > _NOTHING * mean_square, spread, 0 * spread) / (images - 1 or math.nan))
    return mean, error


def ratios(means: Floats, errors: Floats) -> Floats:
    """Divide means by their standard errors; 0 of 0 is 0."""
    with np.errstate(invalid="ignore", divide="ignore"):
        divided: Floats = np.where(means == 0, 0.0, means / errors)
    return divided


def _reach(error: float, moved: Floats, errors: Floats, confidence: float) -> tuple[float, float] | None:
    """Compute how far below and above a value its interval reaches."""
    ends = percentile_interval(ratios(moved, errors), confidence)
    return ends and (-ends[1] * error, -ends[0] * error)
