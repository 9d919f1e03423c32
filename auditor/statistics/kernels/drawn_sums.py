"""Sums over the images that random words draw, without an array of how often each image was drawn in every resample."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from auditor.compiled import compiled


@compiled
def add_drawn(words: NDArray[np.uint64], columns: NDArray[np.int64], totals: NDArray[np.float64]) -> None:
    """Add up columns (columns × images) over the images that a word each draws; `totals` are resamples × columns."""
    images = columns.shape[1]
    number, half = np.uint64(images), np.uint64(32)
    times = np.empty(images, np.uint16)
    word = 0
    for resample in range(len(totals)):
        times[:] = 0
        for _ in range(images):
            times[((words[word] >> half) * number) >> half] += 1
            word += 1
        for column in range(len(columns)):
            values = columns[column]
            total = 0
            for image in range(images):  # whole numbers: a vector of them at a time
                total += np.int64(times[image]) * values[image]
            totals[resample, column] = total
