"""Could two datasets differ as much had their images been dealt out at random? Permutation tests over images.

Whole images change sides, since captions of one image are not independent (Good 2005, section 3.2). Where both sides
describe the same images, each image's two scores change places or not (the paired test). As in `resampling`, draws are
raw words of Philox and sums are of integers: no machine, thread or release of numpy changes a p.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from auditor.statistics.resampling import AT_A_TIME, Floats, ImageSums, stream_of


def dealt_means(
    a: ImageSums, b: ImageSums, deals: int, key: Sequence[object], *, paired: bool
) -> tuple[Floats, Floats]:
    """Deal the images of both sides out anew, `deals` times. Gives the means of either side, deals × columns.

    `a` and `b` have the same columns; `paired` says that they have the same images in the same order.
    """
    pooled = ImageSums(a.columns, np.vstack([a.sums, b.sums]), np.vstack([a.counts, b.counts]), a.candidate_of)
    digits, images = pooled.digits, pooled.images
    whole, stream = digits.sum(axis=0), stream_of(key)
    first, second = (np.empty((deals, len(a.columns))) for _ in "ab")
    block = max(AT_A_TIME // images, 1)
    for start in range(0, deals, block):
        taken = np.zeros((min(block, deals - start), images))
        for row in taken:
            if paired:
                stays = stream.random_raw(a.images) >> np.uint64(63)
                row[: a.images], row[a.images :] = stays, 1 - stays
            else:
                row[np.argpartition(stream.random_raw(images), a.images - 1)[: a.images]] = 1
        totals = taken @ digits
        first[start : start + block] = pooled.ratios(totals)
        second[start : start + block] = pooled.ratios(whole - totals)
    return first, second


def two_sided_p(observed: float, dealt: Floats) -> float | None:
    """Give the share of deals that differ as much either way, the data themselves being one of them.

    None where a deal has no value, or there are none.
    """
    if not len(dealt) or not np.isfinite(dealt).all():
        return None
    return float((1 + np.count_nonzero(np.abs(dealt) >= abs(observed) - 1e-12)) / (1 + len(dealt)))


def cliffs_delta(a: Floats, b: Floats) -> float:
    """Give the share of pairs in which a is larger less the share in which b is (Cliff 1993), counted exactly."""
    ordered = np.sort(b)
    below: NDArray[np.int64] = np.searchsorted(ordered, a, side="left")
    above = len(b) - np.searchsorted(ordered, a, side="right")
    return float((int(below.sum()) - int(above.sum())) / (len(a) * len(b)))
