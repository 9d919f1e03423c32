"""Ridge regression from bags of words into the space of images (Hoerl & Kennard 1970), with folds left out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from auditor.arrays import NDArray, np, scipy
from auditor.metrics.vectors.bags import unit
from auditor.metrics.vectors.model import Floats, Material, TextModel

_AT_ONCE = 8_192


def fit(material: Material, numbers: Sequence[int], penalty: float) -> Iterator[tuple[int, TextModel]]:
    """Learn a model for each of `numbers`: without the images of fold k for model k, from all for model 0.

    The weights are (X'X + penalty · I)⁻¹ X'(Y - mean), where the mean is that of the training images.
    """
    vectors, fold_of = unit(material.vectors), material.folds[material.rows]
    gram, cross, total = _sums(material, vectors, np.arange(len(fold_of)))
    for number in numbers:
        less = _sums(material, vectors, np.flatnonzero(fold_of == number))
        mean = vectors[material.folds != number].mean(axis=0)
        matrix = gram - less[0]
        matrix[np.diag_indices_from(matrix)] += penalty
        target = cross - less[1] - np.outer(total - less[2], mean)
        factor = scipy.linalg.cho_factor(matrix, overwrite_a=True, check_finite=False)
        yield number, TextModel(mean, scipy.linalg.cho_solve(factor, target, overwrite_b=True, check_finite=False))


def _sums(material: Material, vectors: Floats, captions: NDArray[np.int64]) -> tuple[Floats, Floats, Floats]:
    """Return X'X, X'Y and X'1 of captions, added block by block."""
    words = material.bags.shape[1]
    gram, cross, total = np.zeros((words, words)), np.zeros((words, vectors.shape[1])), np.zeros(words)
    for first in range(0, len(captions), _AT_ONCE):
        rows = captions[first : first + _AT_ONCE]
        block = material.bags[rows]
        products = (block.T @ block).tocoo()
        gram[products.row, products.col] += products.data
        cross += block.T @ vectors[material.rows[rows]]
        total += np.asarray(block.sum(axis=0)).ravel()
    return gram, cross, total
