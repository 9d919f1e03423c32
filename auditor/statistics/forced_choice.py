"""Accuracy of forced choices when items share images: shares, and differences of two scorers.

The mark of an item is 1 for the right text, 0 for the wrong one, one half for a tie. Items of one image are not
independent: the variance of a mean of marks is that of sums over images (Rao & Scott 1992).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from auditor.arrays import NDArray, np, scipy
from auditor.statistics.resampling import resampled_totals, whole_numbers
from auditor.statistics.significance import held, students_quantile
from auditor.statistics.studentized import mean_and_error, ratios

Floats = NDArray["np.float64"]

#: The accuracy expected by chance, with one right and one wrong caption.
CHANCE = 0.5

#: Resamples of images behind the test against the best of several.
RESAMPLES = 1000

#: Leads with a smaller difference are equal.
_ROUNDING = 1e-9


@dataclass(frozen=True)
class Share:
    """A share of `n` items: `value` with the ends of its interval; `p` of a share as far from that expected by chance.

    `independent` is the equivalent number of independent items.
    """

    n: int
    value: float
    low: float
    high: float
    p: float
    independent: float


@dataclass(frozen=True)
class Difference:
    """The share of a scorer minus that of another on the same items; `p` is two-sided."""

    value: float
    p: float


def share(marks: Floats, images: NDArray[np.int64], confidence: float = 0.95, chance: float = CHANCE) -> Share:
    """Compute the mean of the marks of items. `images` has the image of each; `chance` is the share expected by chance.

    The interval is Wilson's, for the number of independent items with that variance. Raises `ValueError` without items.
    """
    n = len(marks)
    if not n:
        raise ValueError("a share needs at least one item")
    value = float(marks.mean())
    variance, groups = _variance(marks, images)
    independent = _independent(value, variance, groups, n)
    low, high = _wilson(value, independent, groups, n, confidence)
    p = 2 * float(scipy.special.ndtr(-abs(value - chance) / math.sqrt(chance * (1 - chance)) * math.sqrt(independent)))
    return Share(n, value, low, high, min(held(p), 1.0), independent)


def difference(marks: Floats, others: Floats, images: NDArray[np.int64]) -> Difference:
    """Compare two scorers on the same items: a paired t test over images.

    If every image has the same difference, p is that of the sign test. Raises `ValueError` without items.
    """
    if not len(marks):
        raise ValueError("a difference needs at least one item")
    apart = marks - others
    value = float(apart.mean())
    variance, groups = _variance(apart, images)
    if value == 0:
        return Difference(0.0, 1.0)
    if variance == 0:
        return Difference(value, held(2.0 ** (1 - groups)))
    return Difference(value, held(2 * float(scipy.special.stdtr(groups - 1, -abs(value) / math.sqrt(variance)))))


def resampled_interval(value: float, values: Floats, images: int, n: int, confidence: float) -> tuple[float, float]:
    """Compute the interval of a share of `n` items, as `share` does, from the shares of resamples of their images."""
    variance = float(np.var(values, ddof=1)) * images / max(images - 1, 1)
    return _wilson(value, _independent(value, variance, images, n), images, n, confidence)


def against_best(
    scorers: Sequence[tuple[Floats, Floats]], images: NDArray[np.int64], key: Sequence[object]
) -> list[Difference | None]:
    """Compare each scorer with the best of several others on the same items; `key` seeds the resamples.

    A scorer has its marks and those of the others (items × others), NaN for a missing mark. The best of the others is
    chosen on the same items, so all of them are tested. One p is how often the largest lead of another, in standard
    errors, is as large in resamples of images without a leader (White 2000). The other is the probability that the
    scorer leads each of them by as much (Student's t). The result is twice the smaller one. `value` is the scorer's
    lead over the other with the largest lead. Null if no other has an item in common.
    """
    _, image_of = np.unique(images, return_inverse=True)
    leads = [_leads(marks, others, image_of) for marks, others in scorers]
    added, unit = whole_numbers(np.hstack([apart for _, _, apart in leads]))
    means = resampled_totals(added, RESAMPLES, key) * unit / len(added)
    # Divided by the errors of the data: resamples without the only image on which two scorers differ have no error.
    drawn = ratios(means, np.hstack([error for _, error, _ in leads]))
    differences: list[Difference | None] = []
    for value, error, apart in leads:
        own, drawn = np.hsplit(drawn, [len(value)])
        known = ~np.isnan(value)
        if not known.any():
            differences.append(None)
            continue
        lead = ratios(value, error)[known]
        behind = (1 + np.count_nonzero(own[:, known].max(axis=1) >= lead.max() - _ROUNDING)) / (1 + RESAMPLES)
        ahead = float(scipy.special.stdtr(len(apart) - 1, lead).max()) if len(apart) > 1 else 1.0
        p = min(1.0, 2 * max(min(behind, ahead), 0.5 ** len(apart)))
        differences.append(Difference(float(-value[known][lead.argmax()]), p))
    return differences


def _leads(marks: Floats, others: Floats, image_of: NDArray[np.int64]) -> tuple[Floats, Floats, Floats]:
    """Compute the leads of others, their standard errors, and the part of each image (images × others)."""
    apart = others - marks[:, None]
    known = ~np.isnan(apart)
    images = image_of.max() + 1
    sums, counts = (
        np.stack([np.bincount(image_of, weights=column, minlength=images) for column in table.T], axis=1)
        for table in (np.where(known, apart, 0), known)
    )
    with np.errstate(invalid="ignore", divide="ignore"):
        value = sums.sum(axis=0) / counts.sum(axis=0)
        influence = images * (sums - value * counts) / counts.sum(axis=0)
    _, error = mean_and_error(np.hstack([influence.sum(axis=0), (influence * influence).sum(axis=0)]), images)
    return value, error, influence


def _independent(value: float, variance: float, groups: int, n: int) -> float:
    """Return how many independent items have a share of the same variance, at most `n`."""
    spread = value * (1 - value)
    if spread == 0 or variance == 0:
        return float(groups)
    return min(spread / variance, float(n))


def _variance(values: Floats, images: NDArray[np.int64]) -> tuple[float, int]:
    """Return the variance of the mean of values that depend on their image, and the number of images."""
    _, image_of = np.unique(images, return_inverse=True)
    sums = np.bincount(image_of, weights=values - values.mean())
    groups = len(sums)
    return float((sums**2).sum()) / len(values) ** 2 * groups / max(groups - 1, 1), groups


def _wilson(value: float, independent: float, images: int, n: int, confidence: float) -> tuple[float, float]:
    """Return the shares that the test of a share against a known one does not reject (Wilson 1927).

    If `n` items share images, the similarity of items is estimated from the images, and the quantile is Student's.
    """
    is_estimated = 1 < images < n and independent < n
    z = students_quantile(images - 1, confidence) if is_estimated else float(scipy.special.ndtri(0.5 + confidence / 2))
    square = z * z / independent
    center = (value + square / 2) / (1 + square)
    reach = z / (1 + square) * math.sqrt(value * (1 - value) / independent + square / (4 * independent))
    return max(0.0, center - reach), min(1.0, center + reach)
