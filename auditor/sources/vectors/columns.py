"""Vectors in a Parquet file: a column with the image name or the text, and a column of lists."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import polars as pl

from auditor.errors import SourceError
from auditor.model import Option
from auditor.sources.guards import Limits, parquet
from auditor.sources.vectors.records import AT_ONCE, damage_named

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
    shown = {thing: name for thing, name in pair.items() if thing != "vector"}
    return frame.select(
        *(pl.col(name).cast(pl.String).alias(thing) for thing, name in shown.items()),
        _as_list(pl.col(pair["vector"]), frame.schema[pair["vector"]]).alias("vector"),
        source=pl.lit(path.name),
        line=pl.int_range(row, row + frame.height, dtype=pl.UInt32),
    )


def _as_list(value: pl.Expr, kind: pl.DataType) -> pl.Expr:
    return (value.arr.to_list() if isinstance(kind, pl.Array) else value).cast(pl.List(pl.Float32))


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
