"""What models learn from: captions as bags of words, and the vectors of their images."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from numpy.typing import NDArray

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix  # type: ignore[import-untyped]


@dataclass(frozen=True)
class Material:
    """Captions of images that have a vector.

    `captions` has columns image, slot, fold; `bags` a row each, `rows` says of which row of `vectors` it is, and so of
    `images` and `folds`; `words` are those known, by `sql/vectors/known_word.sql`.
    """

    captions: pl.DataFrame
    bags: csr_matrix
    rows: NDArray[np.int64]
    images: pl.Series
    vectors: NDArray[np.float32]
    folds: NDArray[np.int64]
    words: pl.DataFrame
