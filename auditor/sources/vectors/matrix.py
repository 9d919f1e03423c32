"""Vectors in files of numpy: a matrix in a `.npy` file with a list of ids, or arrays in a `.npz` file."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from auditor.arrays import NDArray, np
from auditor.errors import SourceError
from auditor.model import Option
from auditor.sources.guards import Limits, parquet
from auditor.sources.reading import files
from auditor.sources.vectors.records import AT_ONCE, IMAGES, TEXTS, block, check_shape, damage_named, single

_ID_ENDINGS = (".txt", ".json", ".csv", ".parquet", ".npy")

#: Names of the arrays of a `.npz` or HDF5 file with ids, and with vectors.
IDS = ("ids", "image_ids", "images", "names", "filenames", "keys", "texts")

VECTORS = ("vectors", "embeddings", "features", "image_embeddings", "arr_0")


def read_npy(path: Path, options: Mapping[str, Option]) -> Iterator[pl.DataFrame]:
    """Yield the rows of a matrix with their ids. Raises `SourceError` if ids and rows do not match."""
    vectors = mapped(path)
    given = options.get("ids_file")
    ids = files.locate(given) if isinstance(given, Path) else ids_beside(path)
    if ids is None:
        raise SourceError(
            f"{path}: no list of ids for its rows: found no {path.stem}.txt, {path.stem}_ids.txt or ids.txt next to it "
            "(or .json, .csv, .parquet, .npy); set --option ids_file=FILE"
        )
    yield from paired(path, vectors, _ids(ids), of(options), f" in {ids.name}")


def read_npz(path: Path, options: Mapping[str, Option]) -> Iterator[pl.DataFrame]:
    """Yield the rows of array `vectors`, named by array `ids`; or every array as the vector of its name."""
    _check_members(path)
    with damage_named(path), np.load(path, allow_pickle=False) as held:
        ids, vectors = (next((name for name in known if name in held), None) for known in (IDS, VECTORS))
        if ids is not None and vectors is not None:
            yield from paired(path, held[vectors], as_texts(path, held[ids]), of(options))
            return
        yield from one_each(path, held.files, lambda name: np.asarray(held[name]), of(options))


def of(options: Mapping[str, Option]) -> str:
    """Return whether ids name images or are texts."""
    return "text" if options.get("of") == "texts" else "image"


def mapped(path: Path) -> NDArray[Any]:
    """Open a matrix without loading it. Raises `SourceError` for a damaged file, and for Python objects."""
    with damage_named(path):
        matrix = np.lib.format.open_memmap(path, mode="r")
    check_shape(str(path), matrix.shape, matrix.dtype)
    return matrix


def paired(path: Path, vectors: Any, ids: pl.Series, what: str, where: str = "") -> Iterator[pl.DataFrame]:
    """Yield a matrix and its ids in blocks; `vectors` may be on disk. `where` names the source of the ids in errors."""
    check_shape(str(path), vectors.shape, vectors.dtype)
    if len(ids) != len(vectors):
        raise SourceError(f"{path}: {len(vectors):,} vectors and {len(ids):,} ids{where}; each vector needs one id")
    for first in range(0, len(vectors), AT_ONCE):
        last = first + AT_ONCE
        rows = pl.Series(values=single(np.asarray(vectors[first:last])))
        yield block(path.name, first + 1, what, ids[first:last], rows)


def one_each(path: Path, names: list[str], array: Callable[[str], NDArray[Any]], what: str) -> Iterator[pl.DataFrame]:
    """Yield arrays that are one vector each in blocks; `array` reads one by its name."""
    for first in range(0, len(names), AT_ONCE):
        batch = names[first : first + AT_ONCE]
        vectors = [array(name) for name in batch]
        for name, vector in zip(batch, vectors, strict=True):
            if vector.size != max(vector.shape, default=0) or not np.issubdtype(vector.dtype, np.floating):
                raise not_one(path, name, vector.shape, vector.dtype)
        listed = pl.Series([single(vector.ravel()) for vector in vectors], dtype=pl.List(pl.Float32))
        yield block(path.name, first + 1, what, pl.Series(batch), listed)


def not_one(path: Path, name: str, shape: tuple[int, ...], kind: Any) -> SourceError:
    """Return the error for an array that is not a single vector."""
    size = " × ".join(map(str, shape)) or "a single value"
    return SourceError(
        f"{path}: array {name!r} is {kind}, {size}: expected arrays ids and vectors, or an array per vector"
    )


def as_texts(path: Path, ids: NDArray[Any]) -> pl.Series:
    """Return ids as texts. Raises `SourceError` for an array of something else."""
    if ids.ndim != 1 or ids.dtype.kind not in "USiu":
        raise SourceError(f"{path}: its ids are {ids.dtype}: expected one dimension of texts or whole numbers")
    values = [identifier.decode() if isinstance(identifier, bytes) else str(identifier) for identifier in ids.tolist()]
    return pl.Series(values, dtype=pl.String)


def ids_beside(path: Path) -> Path | None:
    """Return the list of ids next to a matrix: `NAME.txt`, `NAME_ids.txt`, `ids.txt`, or one of the other endings."""
    stems = (path.stem, f"{path.stem}_ids", f"{path.stem}.ids", "ids")
    tried = [path.with_name(f"{stem}{ending}") for stem in stems for ending in _ID_ENDINGS]
    return next((candidate for candidate in tried if candidate.is_file() and candidate != path), None)


def _ids(path: Path) -> pl.Series:
    """Read a list of ids: lines, a JSON list, the first suitable column of a table, or an array."""
    ending = path.suffix.lower()
    with damage_named(path):
        if ending == ".npy":
            return as_texts(path, np.lib.format.open_memmap(path, mode="r"))
        if ending in (".csv", ".parquet"):
            return column(path, (*IMAGES, *TEXTS))
        return pl.Series(_listed(path) if ending == ".json" else files.read_list(path), dtype=pl.String)


def column(path: Path, known: Sequence[str], requested: Option | None = None) -> pl.Series:
    """Read a column of a table as texts: the requested one, else the first known one, else the only one.

    Raises `SourceError` if there is none; for a damaged table, the errors of polars.
    """
    if path.suffix.lower() == ".csv":
        table = pl.scan_csv(path, infer_schema=False, glob=False)
    else:
        parquet.check(path, ())
        table = pl.scan_parquet(path, glob=False, hive_partitioning=False)
    there = table.collect_schema().names()
    lower = {name.lower(): name for name in reversed(there)}
    of_known = next((lower[name] for name in known if name in lower), there[0] if len(there) == 1 else None)
    name = of_known if requested is None else next((member for member in there if member == requested), None)
    if name is None:
        raise SourceError(f"{path}: no column {requested or ', '.join(known)}; the columns are {', '.join(there)}")
    if path.suffix.lower() != ".csv":
        parquet.check(path, (name,))
    return table.select(pl.col(name).cast(pl.String)).collect()[name]


def _listed(path: Path) -> list[str]:
    try:
        ids = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError, OSError) as error:
        raise SourceError(f"{path}: not a JSON list of ids: {error}") from error
    if not isinstance(ids, list) or not all(isinstance(identifier, str | int) for identifier in ids):
        raise SourceError(f"{path}: expected a JSON list of ids: texts or whole numbers")
    return [str(identifier) for identifier in ids]


def _check_members(path: Path) -> None:
    """Raise `SourceError` for a zip bomb."""
    with damage_named(path), zipfile.ZipFile(path) as archive:
        limits = Limits(path)
        for member in archive.infolist():
            limits.check_bytes(member.file_size)
