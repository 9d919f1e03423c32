"""How far would the standard deviation of caption lengths differ, had other images been described?"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from auditor.statistics.resampling import Floats
from auditor.statistics.studentized import Measured, estimates

RESAMPLES = 1000

CONFIDENCE = 0.95

_SUMS = ("captions", "tokens", "squares")


def sdsl_interval(lengths: pl.DataFrame, key: Sequence[object]) -> tuple[float, float] | None:
    """Compute the 95 % interval by 1,000 resamples of the images, the deviation of each averaged over parallel lists.

    `lengths` are the rows of `sql/diversity/image_length.sql`; `key` makes the draw. None for one image, and where a
    list has captions of one image only.
    """
    images, lists = lengths["image_no"].n_unique(), lengths["list_no"].n_unique()
    sums = np.zeros((images, lists, len(_SUMS)))
    place, number = (lengths[name].rank("dense").to_numpy() - 1 for name in ("image_no", "list_no"))
    sums[place, number] = lengths.select(_SUMS).to_numpy()
    whole = sums.sum(axis=0)
    measured = Measured(float(_deviations(whole)), _deviations(whole - sums), is_positive=True)
    return estimates([measured], RESAMPLES, key)[0].interval(CONFIDENCE)


def _deviations(sums: Floats) -> Floats:
    """Compute the mean over lists of the standard deviation of lengths from their sums (… × lists × sums)."""
    captions, tokens, squares = np.moveaxis(sums, -1, 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        deviations: Floats = np.sqrt(captions * squares - tokens * tokens) / captions
    means: Floats = deviations.mean(axis=-1)
    return means
