"""Bag-of-words ranking (Hodosh & Hockenmaier 2016, section 4): captions and images in a learnt space.

Text F(x) = ReLU(W x + b), image G(v) = U v + c, score cos(F, G); the loss is a hinge in both directions, against the
other captions and the other images of a batch of 50, minimized by Adagrad. W is learnt from the captions only, instead
of GloVe vectors of words, which captions do not come with.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from auditor.arrays import NDArray, np, scipy
from auditor.metrics.vectors.bags import unit
from auditor.metrics.vectors.model import Floats, Material, TextModel

#: Dimensions of the common space, passes over the captions, captions per batch.
SIZE, EPOCHS, BATCH = 256, 8, 50

_RATE, _DECAY, _FIRST = 0.05, 1e-4, 0.1

_LEAST = 1e-8


def fit(material: Material, numbers: Sequence[int], margin: float, seed: int) -> Iterator[tuple[int, TextModel]]:
    """Learn a model for each of `numbers`: without the images of fold k for model k, from all for model 0."""
    vectors, fold_of = unit(material.vectors), material.folds[material.rows]
    for number in numbers:
        mean = vectors[material.folds != number].mean(axis=0)
        rows = np.flatnonzero(fold_of != number)
        yield number, _descend(material.bags[rows], vectors - mean, material.rows[rows], mean, margin, seed)


@dataclass
class _Part:
    """A part of the model in training, with the sums of squared slopes that Adagrad divides by."""

    values: Floats
    squares: Floats

    @classmethod
    def of(cls, values: Floats) -> _Part:
        return cls(values, np.full_like(values, _LEAST))

    def step(self, slope: Floats, rows: NDArray[np.int64] | slice = slice(None)) -> None:
        self.squares[rows] += slope**2
        self.values[rows] -= _RATE * slope / np.sqrt(self.squares[rows])


def _descend(
    bags: scipy.sparse.csr_matrix, vectors: Floats, images: NDArray[np.int64], mean: Floats, margin: float, seed: int
) -> TextModel:
    draws = np.random.default_rng(seed)
    length = vectors.shape[1]
    words = _Part.of(draws.standard_normal((bags.shape[1], SIZE)) * _FIRST)
    bias = _Part.of(np.zeros(SIZE))
    image = _Part.of(draws.standard_normal((length, SIZE)) / np.sqrt(length))
    image_bias = _Part.of(np.zeros(SIZE))
    for _ in range(EPOCHS):
        order = draws.permutation(len(images))
        for first in range(0, len(order) - BATCH + 1, BATCH):
            rows = order[first : first + BATCH]
            batch = bags[rows]
            known = np.unique(batch.indices)
            dense, of_images = batch[:, known].toarray(), vectors[images[rows]]
            inner = dense @ words.values[known] + bias.values
            seen = of_images @ image.values + image_bias.values
            slope_text, slope_image = _slopes(np.maximum(inner, 0.0), seen, images[rows], margin)
            slope_text *= inner > 0
            words.step(dense.T @ slope_text + _DECAY * words.values[known], known)
            bias.step(slope_text.sum(axis=0))
            image.step(of_images.T @ slope_image + _DECAY * image.values)
            image_bias.step(slope_image.sum(axis=0))
    return TextModel(mean, words.values, bias.values, image.values, image_bias.values)


def _slopes(texts: Floats, seen: Floats, images: NDArray[np.int64], margin: float) -> tuple[Floats, Floats]:
    """Return the slope of the loss of a batch by its texts and images; captions of one image do not compete."""
    text_lengths, image_lengths = (
        np.linalg.norm(side, axis=1, keepdims=True) + np.sqrt(_LEAST) for side in (texts, seen)
    )
    texts, seen = texts / text_lengths, seen / image_lengths
    likeness = texts @ seen.T
    right = np.diag(likeness)
    rival = images[:, None] != images[None, :]
    by_text = (margin - right[:, None] + likeness > 0) & rival
    by_image = (margin - right[None, :] + likeness > 0) & rival
    slope = by_text.astype(np.float64) + by_image
    slope[np.diag_indices_from(slope)] -= by_text.sum(axis=1) + by_image.sum(axis=0)
    slope /= len(images)
    of_texts, of_images = slope @ seen, slope.T @ texts
    return (
        (of_texts - texts * (of_texts * texts).sum(axis=1, keepdims=True)) / text_lengths,
        (of_images - seen * (of_images * seen).sum(axis=1, keepdims=True)) / image_lengths,
    )
