"""Frames of vectors, and the requirements for vectors of every file."""

from __future__ import annotations

import re
import tokenize
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from auditor.errors import SourceError
from auditor.model import Option
from auditor.sources.reading.json_records import COCO_FILE

#: One row per record. The vector represents an `image` or a `text`; the other is null. `source`, `unit` and `line` are
#: its position; `reason` is null for an accepted record.
SCHEMA: Mapping[str, pl.DataType] = {
    "source": pl.String(),
    "unit": pl.String(),
    "line": pl.UInt32(),
    "image": pl.String(),
    "text": pl.String(),
    "vector": pl.List(pl.Float32),
    "reason": pl.String(),
}

#: Records per read: 32 MiB of vectors of 1,024 numbers.
AT_ONCE = 8_192

#: Longer vectors do not represent a single image.
_LONGEST = 65_536

_PICKLED = (
    "contains Python objects, which are not read because they can run code; save ids as texts and vectors as numbers"
)

#: Errors of numpy, h5py, zipfile and polars for damaged files.
_DAMAGE = (
    pl.exceptions.PolarsError, pl.exceptions.PanicException, tokenize.TokenError, zipfile.BadZipFile, zlib.error,
    ArithmeticError, EOFError, LookupError, MemoryError, OSError, RuntimeError, SyntaxError, TypeError, ValueError,
)  # fmt: skip

#: A reader of a file, which yields frames of `source`, `line` and `image` or `text`, and `vector`.
Named = Callable[[Path, Mapping[str, Option]], Iterator[pl.DataFrame]]


@contextmanager
def damage_named(path: Path) -> Iterator[None]:
    """Raise `SourceError`, in one line with the name of the file, instead of errors of libraries."""
    try:
        yield
    except _DAMAGE as error:
        if isinstance(error, OSError) and error.strerror:
            raise SourceError(f"{path}: {error.strerror}") from error
        message = str(error).strip().partition("\n")[0] or type(error).__name__
        is_pickled = re.search("allow_pickle|Python objects", message)
        what = _PICKLED if is_pickled else f"damaged, or of another format than its name ({message}); download it again"
        raise SourceError(f"{path}: {what}") from error


def block(source: str, first: int, of: str, names: pl.Series, vectors: NDArray[np.generic]) -> pl.DataFrame:
    """Return a frame of the rows of a matrix and their names; `of` is image or text, `first` counts from 1."""
    return pl.DataFrame(
        {
            "line": pl.int_range(first, first + len(vectors), dtype=pl.UInt32, eager=True),
            of: names.cast(pl.String),
            "vector": pl.Series(values=single(vectors)),
        }
    ).with_columns(source=pl.lit(source))


def single(values: NDArray[np.generic]) -> NDArray[np.float32]:
    """Return numbers in single precision; too large ones become infinite, and are rejected like infinite ones."""
    with np.errstate(over="ignore"):
        return np.ascontiguousarray(values, dtype=np.float32)


def check_shape(what: str, shape: tuple[int, ...], kind: np.dtype[np.generic]) -> None:
    """Raise `SourceError` if an array is not a matrix of numbers with a vector per row."""
    if len(shape) != 2 or not 0 < shape[1] <= _LONGEST or not np.issubdtype(kind, np.floating):
        size = " × ".join(map(str, shape)) or "a single value"
        raise SourceError(
            f"{what}: an array of {kind}, {size}: expected a matrix of float16, 32 or 64 with a vector per row"
        )


def named(frames: Iterator[pl.DataFrame], options: Mapping[str, Option]) -> Iterator[pl.DataFrame]:
    """Complete frames to `SCHEMA`: apply the options to their ids, and reject faulty records."""
    for frame in frames:
        absent = [pl.lit(None, SCHEMA[name]).alias(name) for name in ("image", "text") if name not in frame.columns]
        whole = frame.with_columns(absent, unit=pl.lit("row"), vector=pl.col("vector").cast(SCHEMA["vector"]))
        image, reason = _image(options)
        whole = whole.with_columns(image=image, reason=reason).with_columns(reason=pl.coalesce("reason", _fault()))
        yield whole.select(pl.col(name).cast(kind) for name, kind in SCHEMA.items())


def equally_long(frames: Iterator[pl.DataFrame]) -> Iterator[pl.DataFrame]:
    """Reject vectors of another length than the first valid one, across all files."""
    length, first = 0, ""
    for frame in frames:
        sound = frame.filter(pl.col("reason").is_null())
        if not length and sound.height:
            source, line, vector = sound.select("source", "line", pl.col("vector").list.len()).row(0)
            length, first = vector, f"the first ({source}, row {line}) has {vector:,}"
        message = pl.format("{} numbers, but {}", pl.col("vector").list.len(), pl.lit(first))
        is_other = pl.col("reason").is_null() & (pl.col("vector").list.len() != length)
        yield frame.with_columns(reason=pl.when(is_other).then(message).otherwise("reason"))


def _image(options: Mapping[str, Option]) -> tuple[pl.Expr, pl.Expr]:
    """Return the image of a record by the options, and the reason if it cannot be determined."""
    image, reason = pl.col("image"), pl.lit(None, pl.String)
    if options.get("basename") is True:
        image = image.str.extract(r"([^/\\]+)[/\\]*$", 1)
    if "image_pattern" in options:
        image = image.str.extract(str(options["image_pattern"]), 1)
    if options.get("coco_ids") is True:
        number = image.str.extract(f"^{COCO_FILE}$", 1)
        reason = pl.when(image.is_not_null() & number.is_null()).then(
            pl.lit("the image is not named like a file of COCO")
        )
        image = pl.coalesce(number, image)
    image = pl.when(image != "").then(image)
    suffix = options.get("image_suffix")
    return image + pl.lit(str(suffix)) if suffix else image, reason


def _fault() -> pl.Expr:
    vector, name = pl.col("vector"), pl.coalesce("image", "text")
    values = pl.element()
    return (
        pl.when(name.is_null())
        .then(pl.lit("no image and no text"))
        .when(name.str.contains("\x00", literal=True))
        .then(pl.lit("contains a NUL character"))
        .when(vector.is_null() | (vector.list.len() == 0))
        .then(pl.lit("no vector"))
        .when(vector.list.len() > _LONGEST)
        .then(pl.format("{} numbers: too long for a vector of an image", vector.list.len()))
        .when(~vector.list.agg((values.is_not_null() & values.is_finite()).all()))
        .then(pl.lit("not all of its numbers are finite"))
        .when(vector.list.agg((values == 0).all()))
        .then(pl.lit("all of its numbers are 0"))
    )
