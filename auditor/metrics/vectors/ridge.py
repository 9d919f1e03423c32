"""Ridge regression from bags of words into the space of images (Hoerl & Kennard 1970), with folds left out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve  # type: ignore[import-untyped]
from scipy.sparse import csr_matrix  # type: ignore[import-untyped]

from auditor.metrics.vectors.bags import unit
from auditor.metrics.vectors.model import Floats, TextModel

_AT_ONCE = 8_192


def fit(
    bags: csr_matrix,
    images: NDArray[np.int64],
    vectors: NDArray[np.float32],
    folds: NDArray[np.int64],
    numbers: Sequence[int],
    penalty: float,
) -> Iterator[tuple[int, TextModel]]:
    """Learn a model for each of `numbers`: without the images of fold k for model k, of all for model 0.

    `bags` has a row a caption, `images` the row of `vectors` that each caption is of; `folds` the fold of each image.
    The weights are (X'X + penalty · I)⁻¹ X'(Y - mean), where the mean is that of the images learnt from.
    """
    gram, cross, total = _sums(bags, images, vectors, np.ones(bags.shape[0], np.bool_))
    for number in numbers:
        left_out = folds[images] == number
        less = _sums(bags, images, vectors, left_out)
        mean = unit(vectors[folds != number]).mean(axis=0)
        matrix = gram - less[0]
        matrix[np.diag_indices_from(matrix)] += penalty
        target = cross - less[1] - np.outer(total - less[2], mean)
        factor = cho_factor(matrix, overwrite_a=True, check_finite=False)
        yield number, TextModel(mean, cho_solve(factor, target, overwrite_b=True, check_finite=False))


def _sums(
    bags: csr_matrix, images: NDArray[np.int64], vectors: NDArray[np.float32], taken: NDArray[np.bool_]
) -> tuple[Floats, Floats, Floats]:
    """Give X'X, X'Y and X'1 of some captions, added block by block."""
    words = bags.shape[1]
    gram, cross, total = np.zeros((words, words)), np.zeros((words, vectors.shape[1])), np.zeros(words)
    rows = np.flatnonzero(taken)
    for first in range(0, len(rows), _AT_ONCE):
        some = bags[rows[first : first + _AT_ONCE]]
        products = (some.T @ some).tocoo()
        gram[products.row, products.col] += products.data
        cross += some.T @ unit(vectors[images[rows[first : first + _AT_ONCE]]])
        total += np.asarray(some.sum(axis=0)).ravel()
    return gram, cross, total
