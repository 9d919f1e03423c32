"""Training data and models of captions, which map a bag of words and an image into one space."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import polars as pl

from auditor.arrays import NDArray, np, scipy
from auditor.metrics.vectors.bags import unit

Floats = NDArray["np.float64"]

#: Columns of relation `text_model`: the model, the part of it, the row of the part, its numbers.
SCHEMA = pl.Schema({"model": pl.Int32(), "part": pl.String(), "place": pl.Int32(), "numbers": pl.List(pl.Float64)})


@dataclass(frozen=True)
class Material:
    """Captions of images that have a vector.

    `captions` has columns image, slot, fold. `bags` has a row for each caption, and `rows` its row in `vectors`,
    `images` and `folds`. `words` are the known words, from `sql/vectors/known_word.sql`.
    """

    captions: pl.DataFrame
    bags: scipy.sparse.csr_matrix
    rows: NDArray[np.int64]
    images: pl.Series
    vectors: NDArray[np.float32]
    folds: NDArray[np.int64]
    words: pl.DataFrame


@dataclass(frozen=True)
class TextModel:
    """Maps texts and images into one space.

    A bag x becomes x · `words` (+ `bias`, at least 0), the vector v of an image (v / |v| - `mean`) (· `image` +
    `image_bias`): without `image`, words are in the space of the image vectors.
    """

    mean: Floats
    words: Floats
    bias: Floats | None = None
    image: Floats | None = None
    image_bias: Floats | None = None

    def texts(self, bags: scipy.sparse.csr_matrix) -> Floats:
        """Return a row of length 1 per bag; 0 for a bag without words."""
        inner = np.asarray(bags @ self.words)
        if self.bias is None:
            return unit(inner)
        known = np.diff(bags.indptr) > 0
        return unit(np.where(known[:, None], np.maximum(inner + self.bias, 0.0), 0.0))

    def images(self, vectors: NDArray[np.floating]) -> Floats:
        """Return a row of length 1 per image."""
        centered = unit(vectors) - self.mean
        if self.image is None or self.image_bias is None:
            return unit(centered)
        return unit(centered @ self.image + self.image_bias)

    def rows(self, number: int) -> pl.DataFrame:
        """Return the model as rows of relation `text_model`."""
        parts = {
            "mean": self.mean[None, :],
            "word": self.words,
            "bias": self.bias if self.bias is None else self.bias[None, :],
            "image": self.image,
            "image-bias": self.image_bias if self.image_bias is None else self.image_bias[None, :],
        }
        return pl.concat(
            pl.DataFrame(
                {
                    "place": np.arange(len(values), dtype=np.int32),
                    "numbers": pl.Series(values=np.ascontiguousarray(values)),
                }
            ).select(
                model=pl.lit(number, pl.Int32),
                part=pl.lit(part),
                place="place",
                numbers=pl.col("numbers").cast(pl.List(pl.Float64)),
            )
            for part, values in parts.items()
            if values is not None
        )


def read(rows: pl.DataFrame) -> Iterator[tuple[int, TextModel]]:
    """Yield the models of relation `text_model` by their numbers."""
    for (number,), parts in rows.partition_by("model", as_dict=True).items():
        held = {part: _matrix(values) for (part,), values in parts.partition_by("part", as_dict=True).items()}
        yield (
            int(number),
            TextModel(
                mean=held["mean"][0],
                words=held["word"],
                bias=held["bias"][0] if "bias" in held else None,
                image=held.get("image"),
                image_bias=held["image-bias"][0] if "image-bias" in held else None,
            ),
        )


def _matrix(rows: pl.DataFrame) -> Floats:
    return rows.sort("place")["numbers"].explode().to_numpy().reshape(rows.height, -1)
