"""How scores lie: a density estimate with Epanechnikov's kernel, as Elliott & Keller's repository draws them."""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray

_POINTS = 101

#: Half the kernel's width, in sds, is this times n^(-1/5): Silverman 1986, section 3.4.2, has 1.06 for a normal kernel
#: of sd 1, of which he takes .9, and Epanechnikov's has the optimum at 2.34 where values are normal.
_WIDTH = 2.34 * 0.9 / 1.06


def density(values: pl.Series, low: float, high: float, width: float) -> pl.DataFrame:
    """Estimate the density of values at 101 points from `low` to `high`, by a kernel that reaches so far each way.

    Columns: x, density.
    """
    ordered = np.sort(values.to_numpy())
    points = np.linspace(low, high, _POINTS)
    return pl.DataFrame({"x": points, "density": [_at(ordered, point, width) for point in points]})


def reach(values: pl.Series) -> float:
    """Give half the width of the kernel by Silverman's rule of thumb; 0 for values that are all the same.

    The spread is the lesser of the sd and the interquartile range / 1.34.
    """
    ordered = np.sort(values.to_numpy())
    if len(ordered) < 2:
        return 0.0
    sd = float(ordered.std(ddof=1))
    low, high = np.quantile(ordered, [0.25, 0.75])
    spread = min(sd, (high - low) / 1.34) or sd
    return float(_WIDTH * spread * len(ordered) ** -0.2)


def _at(ordered: NDArray[np.float64], point: float, width: float) -> float:
    first, last = np.searchsorted(ordered, [point - width, point + width])
    distance = (ordered[first:last] - point) / width
    return float((0.75 * (1 - distance * distance)).sum() / (len(ordered) * width))
