"""Frames of vectors, the requirements for vectors of every file, and their columns in a Parquet file."""

from __future__ import annotations

import re
import tokenize
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import polars as pl

from auditor.arrays import NDArray, np
from auditor.errors import SourceError
from auditor.model import Option
from auditor.sources.guards import Limits, parquet
from auditor.sources.reading.acceptance import spelled

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


def block(source: str, first: int, of: str, names: pl.Series, vectors: pl.Series) -> pl.DataFrame:
    """Return a frame of vectors and their names; `of` is image or text, `first` counts from 1."""
    return pl.DataFrame(
        {
            "line": pl.int_range(first, first + len(vectors), dtype=pl.UInt32, eager=True),
            of: names.cast(pl.String),
            "vector": vectors,
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
    image = pl.col("image")
    if "image_pattern" in options:
        image = image.str.extract(str(options["image_pattern"]), 1)
    image, reason = spelled(image, options)
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


#: Names of columns, the most likely first.
IMAGES = ("image", "image_id", "filename", "file_name", "image_path", "filepath", "path", "key", "img", "id", "url")

TEXTS = ("text", "caption", "sentence", "raw_text")

_IMAGE_VECTORS = (
    "vector",
    "image_vector",
    "embedding",
    "image_embedding",
    "img_emb",
    "image_emb",
    "embeddings",
    "features",
)

#: Types of columns with image names or texts.
_NAMES = (pl.String, pl.Categorical, pl.Enum)

_TEXT_VECTORS = ("text_vector", "text_embedding", "text_emb")


def recognizes(path: Path) -> bool:
    """Return whether a Parquet file has a column of lists of numbers with a common name for vectors.

    A file that also has captions, and only vectors of images, is a table of captions by default.
    """
    try:
        with damage_named(path):
            parquet.check(path, ())
            schema = _scan(path).collect_schema()
    except SourceError:
        return False
    lists = {name.lower() for name, kind in schema.items() if _is_vector(kind)}
    has_captions = not lists.isdisjoint(_IMAGE_VECTORS) and not {*map(str.lower, schema)}.isdisjoint(TEXTS)
    return not lists.isdisjoint(_TEXT_VECTORS) or (not lists.isdisjoint(_IMAGE_VECTORS) and not has_captions)


def read(path: Path, options: Mapping[str, Option]) -> Iterator[pl.DataFrame]:
    """Yield the vectors of images, and those of texts, in the order of the rows.

    Raises `SourceError` for a damaged file, and if the columns cannot be identified.
    """
    with damage_named(path):
        limits = Limits(path)
        rows = parquet.check(path, ())
        scanned = _scan(path)
        columns = _columns(path, scanned.collect_schema(), options)
        names = [name for pair in columns for name in pair.values()]
        parquet.check(path, names)
        taken = scanned.select(*dict.fromkeys(names))
        row = 1
        for frame in taken.collect_batches(chunk_size=AT_ONCE, maintain_order=True):
            limits.check_bytes(int(frame.estimated_size()))
            for pair in columns:
                yield _named(frame, pair, path, row)
            row += frame.height
        if rows != row - 1:  # polars may stop at damage without an error
            raise SourceError(
                f"{path}: only {row - 1:,} of {rows:,} rows can be read: the file is damaged; download it again"
            )


def _named(frame: pl.DataFrame, pair: Mapping[str, str], path: Path, row: int) -> pl.DataFrame:
    shown, vector = {thing: name for thing, name in pair.items() if thing != "vector"}, pl.col(pair["vector"])
    return frame.select(
        *(pl.col(name).cast(pl.String).alias(thing) for thing, name in shown.items()),
        (vector.arr.to_list() if isinstance(frame.schema[pair["vector"]], pl.Array) else vector)
        .cast(pl.List(pl.Float32))
        .alias("vector"),
        source=pl.lit(path.name),
        line=pl.int_range(row, row + frame.height, dtype=pl.UInt32),
    )


def _columns(path: Path, schema: pl.Schema, options: Mapping[str, Option]) -> list[dict[str, str]]:
    """Return the columns of names and vectors: of images, of texts, or both."""
    lists = [name for name, kind in schema.items() if _is_vector(kind)]
    texts = [name for name, kind in schema.items() if kind in _NAMES or kind.is_integer()]
    image = _chosen(path, "image_col", IMAGES, texts, options)
    text = _chosen(path, "text_col", TEXTS, texts, options)
    of_texts = _chosen(path, "text_vector_col", _TEXT_VECTORS, lists, options)
    of_images = _chosen(path, "vector_col", _IMAGE_VECTORS, [name for name in lists if name != of_texts], options)
    if of_images is None and of_texts is None and len(lists) == 1:
        of_images = lists[0]
    if image is None and of_texts is None:
        of_images, of_texts = None, of_images
    pairs = []
    if image is not None and of_images is not None:
        pairs.append({"image": image, "vector": of_images})
    if text is not None and of_texts is not None:
        pairs.append({"text": text, "vector": of_texts})
    if not pairs:
        there = ", ".join(f"{name} ({kind})" for name, kind in schema.items())
        raise SourceError(
            f"{path}: no columns identified as vectors and image names; the columns are {there}; "
            "set --option image_col=… --option vector_col=…"
        )
    return pairs


def _chosen(
    path: Path, option: str, known: Sequence[str], there: Sequence[str], options: Mapping[str, Option]
) -> str | None:
    requested = options.get(option)
    if requested is not None:
        if requested not in there:
            wanted = "lists of floats" if option.endswith("vector_col") else "names"
            there_are = ", ".join(there) or "none of this type"
            raise SourceError(
                f"{path}: {option}={requested}: no such column of {wanted}; these columns are {there_are}"
            )
        return str(requested)
    lower = {name.lower(): name for name in reversed(there)}
    return next((lower[name] for name in known if name in lower), None)


def _is_vector(kind: pl.DataType) -> bool:
    return isinstance(kind, pl.List | pl.Array) and kind.inner in (pl.Float32, pl.Float64, pl.Float16)


def _scan(path: Path) -> pl.LazyFrame:
    return pl.scan_parquet(path, glob=False, hive_partitioning=False)
