"""Sums over images that are drawn with replacement, without a column of how often each was drawn."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from auditor.compiled import compiled


@compiled
def add_drawn(words: NDArray[np.uint64], columns: NDArray[np.float64], totals: NDArray[np.float64]) -> None:
    """Add to `totals` the row of `columns` (images × columns) that each random word draws.

    The upper 32 bits of a word draw, as those of `resampling.drawn_images` do.
    """
    images = np.uint64(len(columns))
    half = np.uint64(32)
    for word in words:
        place = np.int64(((word >> half) * images) >> half)
        for column in range(columns.shape[1]):
            totals[column] += columns[place, column]
