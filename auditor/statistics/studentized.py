"""Bootstrap-t intervals: each resample is divided by its own standard error.

The contribution of an image is its jackknife pseudo-value: for a mean over images, its score. In resamples, means of
pseudo-values vary around the value as the value varies around the truth, in units of standard errors (Efron &
Tibshirani 1993, section 12.5). For few images with skewed scores, percentile intervals are too narrow and these are not
(`benchmarks/levels.md`). Sums are of whole numbers, so that threads change no bit.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from auditor.arrays import np
from auditor.model import Progress, silent
from auditor.ranges import Ends
from auditor.statistics.intervals import ANY, FEWEST, Scale, all_equal, interval
from auditor.statistics.resampling import (
    Floats,
    jackknife_error,
    percentile_interval,
    resampled_totals,
    whole_numbers,
)

#: The name of the interval in signatures.
INTERVAL = "bootstrap-t"

#: A variance below this share of the mean square is a rounding error.
_NOTHING = 1e-12

#: Fewest images that differ from the most frequent value.
_DIFFERING = 2

#: The same for a test of values that may have either sign: no scale makes them less skewed. Images, those that differ.
_SIGNED, _SIGNED_DIFFERING = 30, 10

#: The share of images that must differ from the most frequent value. With more ties resamples vary too little.
_UNTIED = 0.75


@dataclass(frozen=True)
class Measured:
    """A value, its values `without` each image in turn, and the ends of its range: it is resampled on their scale.

    `twice` is the variance that is counted twice, since two images contribute to the same score (Cameron, Gelbach &
    Miller 2011).
    """

    value: float
    without: Floats = field(repr=False)
    ends: Ends = ANY
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
        images, none, error = len(self.without), np.empty(0), jackknife_error(self.without)
        if error is None:
            return Estimate(self.value, self.ends, math.nan, math.nan, np.full(images, math.nan), none, none)
        scale = Scale(*self.ends)
        place, places = scale.of(self.value), self.without
        if self.ends != ANY:
            places = scale.of_each(places)
        if not (math.isfinite(place) and np.isfinite(places).all()):
            place, places = math.nan, self.without
        apart = self._once(error) * (images - 1) * (math.fsum(places) / images - places)
        error = math.sqrt(math.fsum(apart * apart) / images / (images - 1))
        return Estimate(self.value, self.ends, place, error, apart, none, none)


@dataclass(frozen=True)
class Estimate:
    """A value with its `place` on the scale of its `ends`, and the standard error there.

    `apart` has the difference of each image's pseudo-value from the place, `moved` that of each resample's mean, and
    `errors` the standard errors there. The place is NaN if the value, or the value without an image, is missing or at
    an end of the range: then only one image differs from the others, or none.
    """

    value: float
    ends: Ends
    place: float
    error: float
    apart: Floats = field(repr=False)
    moved: Floats = field(repr=False)
    errors: Floats = field(repr=False)

    @functools.cached_property
    def differing(self) -> int:
        """The number of images whose pseudo-value is not the most frequent one."""
        return len(self.apart) - int(np.unique(self.apart, return_counts=True)[1].max(initial=0))

    @property
    def is_tested(self) -> bool:
        """Whether there are enough images for tests of its difference from others."""
        images, differing = (_SIGNED, _SIGNED_DIFFERING) if self.ends[0] < 0 else (FEWEST, _DIFFERING)
        is_known = len(self.moved) > 0 and math.isfinite(self.place)
        return is_known and len(self.apart) >= images and self.differing >= differing

    def interval(self, confidence: float) -> Ends | None:
        """Return the ends of the interval; None for a few images, and if none or one of them differs from the others.

        If many images have the same value, Student's quantile has as many degrees of freedom as images differ.
        """
        images, drawn = len(self.apart), None
        if not len(self.moved) or images < FEWEST or not math.isfinite(self.error):
            return None
        if not self.differing:
            return all_equal(self.value, images, confidence, self.ends) if np.isfinite(self.ends).all() else None
        if not math.isfinite(self.place) or self.differing < _DIFFERING:
            return None
        if self.differing >= _UNTIED * images:
            drawn = percentile_interval(ratios(self.moved, self.errors), confidence)
        return interval(self.value, self.error, confidence, min(self.differing, images - 1), self.ends, drawn)


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
