"""What a reader of vectors yields, and what every vector must be, whatever file it comes from."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from auditor.errors import SourceError
from auditor.model import Option
from auditor.sources.reading.coco_names import COCO_FILE

#: One row a record. `image` names the image that the vector is of, `text` the text: one of them is null. `source`,
#: `unit` and `line` say where it stands; `reason` is null for an accepted record.
SCHEMA: Mapping[str, pl.DataType] = {
    "source": pl.String(),
    "unit": pl.String(),
    "line": pl.UInt32(),
    "image": pl.String(),
    "text": pl.String(),
    "vector": pl.List(pl.Float32),
    "reason": pl.String(),
}

#: Records that are read at once: 32 MiB of vectors of 1,024 numbers.
AT_ONCE = 8_192

#: Longer ones are no vectors of one image.
_LONGEST = 65_536

#: What a reader of one file is: frames of `source`, `line` and `image` or `text`, and `vector`.
Named = Callable[[Path, Mapping[str, Option]], Iterator[pl.DataFrame]]


def block(source: str, first: int, of: str, names: pl.Series, vectors: NDArray[np.generic]) -> pl.DataFrame:
    """Make a frame of rows of a matrix and what they are called; `of` is image or text, `first` counts from 1."""
    return pl.DataFrame(
        {
            "line": pl.int_range(first, first + len(vectors), dtype=pl.UInt32, eager=True),
            of: names.cast(pl.String),
            "vector": pl.Series(values=np.ascontiguousarray(vectors, dtype=np.float32)),
        }
    ).with_columns(source=pl.lit(source))


def check_shape(what: str, shape: tuple[int, ...], kind: np.dtype[np.generic]) -> None:
    """Raise `SourceError` where an array is no matrix of numbers, one row a vector."""
    if len(shape) != 2 or not 0 < shape[1] <= _LONGEST or not np.issubdtype(kind, np.floating):
        said = " × ".join(map(str, shape)) or "a single value"
        raise SourceError(f"{what}: an array of {kind}, {said}: expected a matrix of float16, 32 or 64, a row a vector")


def named(frames: Iterator[pl.DataFrame], options: Mapping[str, Option]) -> Iterator[pl.DataFrame]:
    """Complete frames to `SCHEMA`: apply the settings to their ids, and say what is wrong with a record."""
    length = 0
    for frame in frames:
        absent = [pl.lit(None, SCHEMA[name]).alias(name) for name in ("image", "text") if name not in frame.columns]
        whole = frame.with_columns(absent, unit=pl.lit("row"), vector=pl.col("vector").cast(SCHEMA["vector"]))
        whole = whole.with_columns(image=_image(options))
        if not length and whole.height:
            length = whole.select(pl.col("vector").list.len().drop_nulls().first()).item() or 0
        yield whole.with_columns(reason=_fault(length)).select(pl.col(name).cast(kind) for name, kind in SCHEMA.items())


def _image(options: Mapping[str, Option]) -> pl.Expr:
    image = pl.col("image")
    if options.get("basename") is True:
        image = image.str.extract(r"([^/\\]+)[/\\]*$", 1)
    if "image_pattern" in options:
        image = image.str.extract(str(options["image_pattern"]), 1)
    if options.get("coco_ids") is True:
        image = image.str.extract(f"^{COCO_FILE}$", 1)
    suffix = options.get("image_suffix")
    return image + pl.lit(str(suffix)) if suffix else image


def _fault(length: int) -> pl.Expr:
    vector, name = pl.col("vector"), pl.coalesce("image", "text")
    values = pl.element()
    return (
        pl.when(name.is_null() | ((pl.col("image") == "") & pl.col("text").is_null()))
        .then(pl.lit("no image and no text"))
        .when(name.str.contains("\x00", literal=True))
        .then(pl.lit("holds a NUL character"))
        .when(vector.is_null() | (vector.list.len() == 0))
        .then(pl.lit("no vector"))
        .when(vector.list.len() != length)
        .then(pl.format("{} numbers, where the first vector has {}", vector.list.len(), pl.lit(length)))
        .when(~vector.list.agg((values.is_not_null() & values.is_finite()).all()))
        .then(pl.lit("not all of its numbers are finite"))
        .when(vector.list.agg((values == 0).all()))
        .then(pl.lit("all of its numbers are 0"))
    )
