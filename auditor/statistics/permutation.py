"""Permutation tests, which swap two systems on images, and Cliff's delta."""

from __future__ import annotations

from auditor.arrays import NDArray, np
from auditor.statistics.resampling import Floats


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
