"""Which images a resample draws, one word of the stream after another."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np
from numpy.random import Philox
from numpy.typing import NDArray


def drawn_images(images: int, resamples: int, key: Sequence[object]) -> NDArray[np.int64]:
    """Positions of the drawn images, resamples × images: the upper half of each word, times `images`, over 2^32."""
    stream = Philox(key=int.from_bytes(hashlib.sha256("\n".join(map(str, key)).encode()).digest()[:16], "little"))
    return np.array(
        [[(int(word) >> 32) * images >> 32 for word in stream.random_raw(images)] for _ in range(resamples)]
    )
