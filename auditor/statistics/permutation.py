"""Could two datasets differ as much had their images been dealt out at random? Permutation tests over images.

Whole images change sides, since captions of one image are not independent (Good 2005, section 3.2). A difference is
divided by its standard error in the same deal: where one side spreads more than the other, bare differences err far
more often, or far less, than the level says (Janssen 1997; Chung & Romano 2013; `benchmarks/levels.md`). Where both
sides describe the same images, each image's two scores change places or not (the paired test). As in `resampling`,
draws are raw words of Philox and sums are of whole numbers: no machine, thread or release of numpy changes a p.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.random import Philox
from numpy.typing import NDArray

from auditor.statistics.resampling import AT_A_TIME, Floats, stream_of, whole_numbers
from auditor.statistics.studentized import mean_and_error, ratios, with_squares

#: What the tests are called.
PAIRED, UNPAIRED = "paired", "unpaired-studentized"

#: Differences are equal that are so to this share of themselves.
_ROUNDING = 1e-9


def permutation_ps(a: Floats, b: Floats, deals: int, key: Sequence[object], *, paired: bool) -> list[float | None]:
    """Compute for each column the share of deals that differ as much either way, the data being one of them.

    `a` and `b` are pseudo-values (images × columns): a side's value is their mean. `paired` says that they have the
    same images in the same order. None for a column without a number, for a side of one image, and without deals.
    """
    with np.errstate(invalid="ignore"):
        observed, apart = (_changed if paired else _dealt)(a, b, deals, stream_of(key))
        beyond = (apart >= observed * (1 - _ROUNDING)).sum(axis=0)
    known = ~np.isnan(observed) & bool(deals)
    return [(1 + int(n)) / (1 + deals) if is_known else None for n, is_known in zip(beyond, known, strict=True)]


def _changed(a: Floats, b: Floats, deals: int, stream: Philox) -> tuple[Floats, Floats]:
    """Let images change places by the toss of a coin. Their spread stays, so that it need not divide."""
    apart, _ = whole_numbers(a - b)
    whole = apart.sum(axis=0)
    stay = _added(apart, deals, lambda: stream.random_raw(len(a)) >> np.uint64(63))
    return np.abs(whole), np.abs(2 * stay - whole)


def _dealt(a: Floats, b: Floats, deals: int, stream: Philox) -> tuple[Floats, Floats]:
    """Deal images out to two sides of the same sizes, and compare the means in units of their standard errors."""
    pooled = np.vstack([a, b])
    pooled -= pooled.sum(axis=0) / len(pooled)
    columns, units = with_squares(pooled)

    def deal() -> Floats:
        row = np.zeros(len(pooled))
        row[np.argpartition(stream.random_raw(len(pooled)), len(a) - 1)[: len(a)]] = 1
        return row

    ours = np.vstack([columns[: len(a)].sum(axis=0), _added(columns, deals, deal)])
    (mean, error), (other, other_error) = (
        mean_and_error(side * units, n) for side, n in ((ours, len(a)), (columns.sum(axis=0) - ours, len(b)))
    )
    apart = np.abs(ratios(mean - other, np.hypot(error, other_error)))
    return apart[0], apart[1:]


def _added(columns: Floats, deals: int, row: Callable[[], NDArray[np.generic]]) -> Floats:
    """Add up the columns (images × columns) of the images that each row takes."""
    totals = np.empty((deals, columns.shape[1]))
    block = max(AT_A_TIME // len(columns), 1)
    for start in range(0, deals, block):
        taken = np.array([row() for _ in range(min(block, deals - start))], np.float64)
        totals[start : start + len(taken)] = taken @ columns
    return totals


def two_sided_p(observed: float, dealt: Floats) -> float | None:
    """Return the share of deals that differ as much either way, the data themselves being one of them.

    None where a deal has no value, or there are none.
    """
    if not len(dealt) or not np.isfinite(dealt).all():
        return None
    return float((1 + np.count_nonzero(np.abs(dealt) >= abs(observed) - 1e-12)) / (1 + len(dealt)))


def cliffs_delta(a: Floats, b: Floats) -> float:
    """Return the share of pairs in which a is larger less the share in which b is (Cliff 1993), counted exactly."""
    ordered = np.sort(b)
    below: NDArray[np.int64] = np.searchsorted(ordered, a, side="left")
    above = len(b) - np.searchsorted(ordered, a, side="right")
    return float((int(below.sum()) - int(above.sum())) / (len(a) * len(b)))
