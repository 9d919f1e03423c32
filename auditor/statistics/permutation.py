"""Permutation tests of the difference of two datasets, over images.

Whole images change sides, since captions of one image are not independent (Good 2005, section 3.2). A difference is
divided by its standard error in the same deal. If one side spreads more than the other, plain differences have far too
high or too low an error rate (Janssen 1997; Chung & Romano 2013; `benchmarks/levels.md`). If both sides describe the
same images, the two scores of an image are swapped or not (the paired test). As in `resampling`, random numbers are raw
words of Philox, and sums are of whole numbers: p does not depend on machine, threads or release of numpy.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from auditor.arrays import NDArray, np
from auditor.statistics.resampling import AT_A_TIME, Floats, stream_of, whole_numbers
from auditor.statistics.studentized import mean_and_error, ratios, with_squares

#: The names of the tests.
PAIRED, UNPAIRED = "paired", "unpaired-studentized"

#: Differences are equal up to this share of themselves.
_ROUNDING = 1e-9


def permutation_ps(a: Floats, b: Floats, deals: int, key: Sequence[object], *, paired: bool) -> list[float | None]:
    """Compute for each column the share of deals with as large a difference; the data count as a deal.

    `a` and `b` are pseudo-values (images × columns): a side's value is their mean. With `paired` they have the same
    images in the same order. None for a column without a number, for a side of one image, and without deals.
    """
    with np.errstate(invalid="ignore"):
        observed, apart = (_changed if paired else _dealt)(a, b, deals, stream_of(key))
        beyond = (apart >= observed * (1 - _ROUNDING)).sum(axis=0)
    known = ~np.isnan(observed) & bool(deals)
    return [(1 + int(n)) / (1 + deals) if is_known else None for n, is_known in zip(beyond, known, strict=True)]


def _changed(a: Floats, b: Floats, deals: int, stream: np.random.Philox) -> tuple[Floats, Floats]:
    """Swap images at random. Their spread does not change, so differences are not divided by it."""
    apart, _ = whole_numbers(a - b)
    whole = apart.sum(axis=0)

    def swap(row: Floats) -> None:
        row[:] = stream.random_raw(len(a)) >> np.uint64(63)

    stay = _added(apart, deals, swap)
    return np.abs(whole), np.abs(2 * stay - whole)


def _dealt(a: Floats, b: Floats, deals: int, stream: np.random.Philox) -> tuple[Floats, Floats]:
    """Deal images to two sides of the same sizes, and compare the means in units of their standard errors."""
    pooled = np.vstack([a, b])
    pooled -= pooled.sum(axis=0) / len(pooled)
    columns, units = with_squares(pooled)

    def deal(row: Floats) -> None:
        words = stream.random_raw(len(pooled))
        lowest = words <= np.partition(words, len(a) - 1)[len(a) - 1]
        if np.count_nonzero(lowest) > len(a):  # two words of 64 bits are equal
            lowest[:] = False
            lowest[np.argpartition(words, len(a) - 1)[: len(a)]] = True
        row[:] = lowest

    ours = np.vstack([columns[: len(a)].sum(axis=0), _added(columns, deals, deal)])
    (mean, error), (other, other_error) = (
        mean_and_error(side * units, n) for side, n in ((ours, len(a)), (columns.sum(axis=0) - ours, len(b)))
    )
    apart = np.abs(ratios(mean - other, np.hypot(error, other_error)))
    return apart[0], apart[1:]


def _added(columns: Floats, deals: int, fill: Callable[[Floats], None]) -> Floats:
    """Add up the columns (images × columns) of the images in each row, which `fill` writes."""
    totals = np.empty((deals, columns.shape[1]))
    rows = np.empty((max(min(AT_A_TIME // len(columns), deals), 1), len(columns)))
    for start in range(0, deals, len(rows)):
        taken = rows[: deals - start]
        for row in taken:
            fill(row)
        totals[start : start + len(taken)] = taken @ columns
    return totals


def two_sided_p(observed: float, dealt: Floats) -> float | None:
    """Return the share of deals with as large a difference; the data count as a deal.

    None if a deal has no value, and without deals.
    """
    if not len(dealt) or not np.isfinite(dealt).all():
        return None
    return float((1 + np.count_nonzero(np.abs(dealt) >= abs(observed) - 1e-12)) / (1 + len(dealt)))


def cliffs_delta(a: Floats, b: Floats) -> float:
    """Return the share of pairs with the larger a minus that with the larger b (Cliff 1993), counted exactly."""
    ordered = np.sort(b)
    below: NDArray[np.int64] = np.searchsorted(ordered, a, side="left")
    above = len(b) - np.searchsorted(ordered, a, side="right")
    return float((int(below.sum()) - int(above.sum())) / (len(a) * len(b)))
