"""How far would the standard deviation of caption lengths differ, had other images been described?"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from auditor.statistics.resampling import Floats, percentile_interval, stream_of

RESAMPLES = 1000

CONFIDENCE = 0.95

_SUMS = ("captions", "tokens", "squares")


def sdsl_interval(lengths: pl.DataFrame, key: Sequence[object]) -> tuple[float, float] | None:
    """Give the middle 95 % of 1,000 resamples of the images, the deviation of each averaged over the parallel lists.

    `lengths` are the rows of `sql/diversity/image_length.sql`; `key` makes the draw. None for one image, and where a
    resample leaves a list without a caption.
    """
    images, lists = lengths["image_no"].n_unique(), lengths["list_no"].n_unique()
    if images < 2:
        return None
    sums = np.zeros((images, lists, len(_SUMS)))
    place, number = (lengths[name].rank("dense").to_numpy() - 1 for name in ("image_no", "list_no"))
    sums[place, number] = lengths.select(_SUMS).to_numpy()
    totals = _drawn_totals(sums.reshape(images, -1), key).reshape(RESAMPLES, lists, len(_SUMS))
    captions, tokens, squares = np.moveaxis(totals, -1, 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        deviations = np.sqrt(captions * squares - tokens * tokens) / captions
    return percentile_interval(deviations.mean(axis=1), CONFIDENCE)


def _drawn_totals(columns: Floats, key: Sequence[object]) -> Floats:
    """Give what `resampling.resampled_totals` gives: for few columns each draw is added as it is made."""
    from auditor.statistics.kernels import drawn_sums  # noqa: PLC0415  numba

    stream, totals = stream_of(key), np.zeros((RESAMPLES, columns.shape[1]))
    for row in totals:
        drawn_sums.add_drawn(stream.random_raw(len(columns)), columns, row)
    return totals
