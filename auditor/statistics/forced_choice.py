"""Accuracy of forced choices when items share images: shares, and differences of two scorers.

The mark of an item is 1 for the right text, 0 for the wrong one, one half for a tie. Items of one image are not
independent: the variance of a mean of marks is that of sums over images (Rao & Scott 1992).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from auditor.arrays import NDArray, np, scipy
from auditor.ranges import Ends
from auditor.statistics.intervals import FEWEST, SHARE, all_equal, wilson
from auditor.statistics.resampling import resampled_totals, whole_numbers
from auditor.statistics.significance import held, students_p, students_quantile
from auditor.statistics.studentized import mean_and_error, ratios

Floats = NDArray["np.float64"]

#: The accuracy expected by chance, with one right and one wrong caption.
CHANCE = 0.5

#: Resamples of images behind the test against the best of several.
RESAMPLES = 1000

#: Fewest images for a test against the best of several: on fewer, equal scorers are called different too often.
LEADING = 30

#: Images of very unequal numbers of items count as so many of equal ones; at least this share of them is needed.
_EVEN = 1 / 3

#: Leads with a smaller difference are equal.
_ROUNDING = 1e-9


@dataclass(frozen=True)
class Share:
    """A share of `n` items: `value` with the ends of its interval; `p` of a share as far from that expected by chance.

    `independent` is the equivalent number of independent items. Without enough images all three of these are null.
    """

    n: int
    value: float
    low: float | None
    high: float | None
    p: float | None
    independent: float


@dataclass(frozen=True)
class Difference:
    """The share of a scorer minus that of another on the same items; `p` is two-sided."""

    value: float
    p: float | None


def share(marks: Floats, images: NDArray[np.int64], confidence: float = 0.95, chance: float = CHANCE) -> Share:
    """Compute the mean of the marks of items. `images` has the image of each; `chance` is the share expected by chance.

    The interval is Wilson's, for the number of independent items with that variance; p is that of the same test, by
    Student's t. Raises `ValueError` without items.
    """
    n = len(marks)
    if not n:
        raise ValueError("a share needs at least one item")
    value = float(marks.mean())
    variance, groups, equal = _variance(marks, images)
    independent, freedom = _independent(value, variance, equal, n)
    if not _are_enough(groups, equal):
        return Share(n, value, None, None, None, independent)
    low, high = _ends(value, independent, freedom, equal, confidence)
    if value in (0, 1):
        p = 2 * (chance if value else 1 - chance) ** equal
    else:
        p = students_p((value - chance) / math.sqrt(chance * (1 - chance)) * math.sqrt(independent), freedom)
    return Share(n, value, low, high, min(held(p), 1.0), independent)


def difference(marks: Floats, others: Floats, images: NDArray[np.int64]) -> Difference:
    """Compare two scorers on the same items: a paired t test over images.

    If every image has the same difference, p is that of the sign test; it is null without enough images. Raises
    `ValueError` without items.
    """
    if not len(marks):
        raise ValueError("a difference needs at least one item")
    apart = marks - others
    value = float(apart.mean())
    variance, groups, equal = _variance(apart, images)
    if value == 0:
        return Difference(0.0, 1.0)
    if not _are_enough(groups, equal):
        return Difference(value, None)
    if variance == 0:
        return Difference(value, held(2.0 ** (1 - groups)))
    return Difference(value, students_p(value / math.sqrt(variance), equal - 1))


def resampled_interval(value: float, values: Floats, images: int, n: int, confidence: float) -> Ends | None:
    """Compute the interval of a share of `n` items, as `share` does, from the shares of resamples of their images."""
    if images < FEWEST:
        return None
    variance = float(np.var(values, ddof=1)) * images / (images - 1)
    return _ends(value, *_independent(value, variance, images, n), images, confidence)


def against_best(
    scorers: Sequence[tuple[Floats, Floats]], images: NDArray[np.int64], key: Sequence[object]
) -> list[Difference | None]:
    """Compare each scorer with the best of several others on the same items; `key` seeds the resamples.

    A scorer has its marks and those of the others (items × others), NaN for a missing mark. The best of the others is
    chosen on the same items, so all of them are tested. One p is how often the largest lead of another, in standard
    errors, is as large in resamples of images without a leader (White 2000). The other is the probability that the
    scorer leads each of them by as much (Student's t). The result is twice the smaller one. `value` is the scorer's
    lead over the other with the largest lead. Null if no other has an item in common; for fewer than `LEADING` images p
    is null.
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
        p = min(1.0, 2 * max(min(behind, ahead), 0.5 ** len(apart))) if len(apart) >= LEADING else None
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


def _are_enough(groups: int, equal: float) -> bool:
    """Return whether a variance over images is known well enough for an interval and a test."""
    return equal >= max(FEWEST, _EVEN * groups)


def _independent(value: float, variance: float, equal: float, n: int) -> tuple[float, float]:
    """Return how many independent items have a share of the same variance, at most `n`, and the degrees of freedom.

    These are of images, or of items if those of an image are not similar.
    """
    spread = value * (1 - value)
    independent = equal if spread == 0 or variance == 0 else min(spread / variance, float(n))
    return independent, (equal if independent < n else n) - 1


def _variance(values: Floats, images: NDArray[np.int64]) -> tuple[float, int, float]:
    """Return the variance of the mean of values that depend on their image, by the jackknife, and numbers of images.

    These are the number of images, and how many with equally many values would count as much.
    """
    _, image_of = np.unique(images, return_inverse=True)
    sums, items = np.bincount(image_of, weights=values - values.mean()), np.bincount(image_of)
    groups, n = len(sums), len(values)
    without = sums / (1 - items / n) if groups > 1 else sums
    return float((without**2).sum()) / n**2 * (groups - 1) / groups, groups, n * n / float((items**2).sum())


def _ends(value: float, independent: float, freedom: float, equal: float, confidence: float) -> Ends:
    """Return Wilson's interval, by Student's t; if all items are equal, as of that many equal images."""
    if value in (0, 1):
        return all_equal(value, equal, confidence, SHARE)
    return wilson(value, independent, students_quantile(freedom, confidence))
