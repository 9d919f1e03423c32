"""Vectors as numpy writes them: a matrix in a `.npy` file beside a list of ids, or arrays in a `.npz` file."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from auditor.errors import SourceError
from auditor.model import Option
from auditor.sources.guards import parquet
from auditor.sources.guards.limits import Limits
from auditor.sources.reading import files
from auditor.sources.vectors.columns import IMAGES, TEXTS, damage_named
from auditor.sources.vectors.records import AT_ONCE, block, check_shape

_ID_ENDINGS = (".txt", ".json", ".csv", ".parquet")

#: What arrays of a `.npz` or HDF5 file are called that hold ids, and vectors.
IDS = ("ids", "image_ids", "images", "names", "filenames", "keys", "texts")

VECTORS = ("vectors", "embeddings", "features", "image_embeddings", "arr_0")

_PICKLED = "it holds Python objects, which are not read: they could run code; save ids as texts and vectors as numbers"


def read_npy(path: Path, options: Mapping[str, Option]) -> Iterator[pl.DataFrame]:
    """Yield the rows of a matrix, each called by its id. Raises `SourceError` where ids and rows do not match."""
    vectors = mapped(path)
    given = options.get("ids_file")
    ids = _ids(files.locate(given) if isinstance(given, Path) else _ids_beside(path))
    yield from paired(path, vectors, ids, of(options))


def read_npz(path: Path, options: Mapping[str, Option]) -> Iterator[pl.DataFrame]:
    """Yield the rows of array `vectors`, called by array `ids`; or every array as the vector of what it is called."""
    _check_members(path)
    with _damage_named(path), np.load(path, allow_pickle=False) as held:
        ids, vectors = (next((name for name in known if name in held), None) for known in (IDS, VECTORS))
        if ids is not None and vectors is not None:
            yield from paired(path, held[vectors], as_texts(path, held[ids]), of(options))
            return
        names = held.files
        for first in range(0, len(names), AT_ONCE):
            some = names[first : first + AT_ONCE]
            yield one_each(path, some, [held[name] for name in some], first + 1, of(options))


def of(options: Mapping[str, Option]) -> str:
    """Say whether ids name images or are texts."""
    return "text" if options.get("of") == "texts" else "image"


def mapped(path: Path) -> NDArray[Any]:
    """Open a matrix without reading it. Raises `SourceError` for a damaged file, and one of Python objects."""
    with _damage_named(path):
        found = np.load(path, mmap_mode="r", allow_pickle=False)
    check_shape(str(path), found.shape, found.dtype)
    return np.asanyarray(found)


def paired(path: Path, vectors: Any, ids: pl.Series, what: str) -> Iterator[pl.DataFrame]:
    """Yield a matrix and its ids block by block; what is sliced may lie on disk."""
    check_shape(str(path), vectors.shape, vectors.dtype)
    if len(ids) != len(vectors):
        raise SourceError(f"{path}: {len(vectors):,} vectors and {len(ids):,} ids: each vector needs one")
    for first in range(0, len(vectors), AT_ONCE):
        last = first + AT_ONCE
        yield block(path.name, first + 1, what, ids[first:last], np.asarray(vectors[first:last]))


def one_each(path: Path, names: list[str], vectors: list[NDArray[Any]], first: int, what: str) -> pl.DataFrame:
    """Make a frame of arrays that are a vector each."""
    for name, vector in zip(names, vectors, strict=True):
        if vector.size != max(vector.shape, default=0) or not np.issubdtype(vector.dtype, np.floating):
            shape = " × ".join(map(str, vector.shape))
            raise SourceError(
                f"{path}: array {name!r} is {vector.dtype}, {shape}: expected arrays ids and vectors, or a vector each"
            )
    return pl.DataFrame(
        {
            "line": pl.int_range(first, first + len(names), dtype=pl.UInt32, eager=True),
            what: names,
            "vector": pl.Series([vector.ravel().astype(np.float32) for vector in vectors], dtype=pl.List(pl.Float32)),
        }
    ).with_columns(source=pl.lit(path.name))


def as_texts(path: Path, ids: NDArray[Any]) -> pl.Series:
    """Give ids as texts. Raises `SourceError` for an array of something else."""
    if ids.ndim != 1 or ids.dtype.kind not in "USiu":
        raise SourceError(f"{path}: its ids are {ids.dtype}: expected a row of texts or whole numbers")
    values = [one.decode("utf-8", "replace") if isinstance(one, bytes) else str(one) for one in ids.tolist()]
    return pl.Series(values, dtype=pl.String)


def _ids_beside(path: Path) -> Path:
    """Find the list of ids: `NAME.txt`, `NAME_ids.txt`, `ids.txt`, or one of the other endings."""
    stems = (path.stem, f"{path.stem}_ids", f"{path.stem}.ids", "ids")
    tried = [path.with_name(f"{stem}{ending}") for stem in stems for ending in _ID_ENDINGS]
    tried += [path.with_name(f"{path.stem}_ids.npy"), path.with_name("ids.npy")]
    found = next((one for one in tried if one.is_file() and one != path), None)
    if found is None:
        raise SourceError(
            f"{path}: which image is each row of? No {tried[0].name}, {tried[4].name} nor ids.txt is beside it: "
            "name the list with --option ids_file=FILE"
        )
    return found


def _ids(path: Path) -> pl.Series:
    """Read a list of ids: lines, a JSON list, the first fitting column of a table, or an array."""
    ending = path.suffix.lower()
    if ending == ".npy":
        with _damage_named(path):
            return as_texts(path, np.load(path, allow_pickle=False))
    if ending == ".json":
        return pl.Series(_listed(path), dtype=pl.String)
    if ending in (".csv", ".parquet"):
        with damage_named(path):
            if ending == ".parquet":
                parquet.check(path, ())
            table = pl.read_csv(path, infer_schema=False) if ending == ".csv" else pl.read_parquet(path)
        lower = {name.lower(): name for name in reversed(table.columns)}
        name = next((lower[name] for name in (*IMAGES, *TEXTS) if name in lower), table.columns[0])
        return table[name].cast(pl.String)
    return pl.Series(files.read_list(path), dtype=pl.String)


def _listed(path: Path) -> list[str]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError, OSError) as error:
        raise SourceError(f"{path}: not a JSON list of ids: {error}") from error
    if not isinstance(found, list) or not all(isinstance(one, str | int) for one in found):
        raise SourceError(f"{path}: expected a JSON list of ids: texts or whole numbers")
    return [str(one) for one in found]


def _check_members(path: Path) -> None:
    """Raise `SourceError` for an archive that expands beyond reason."""
    try:
        with zipfile.ZipFile(path) as archive:
            limits = Limits(path)
            for member in archive.infolist():
                limits.check_bytes(member.file_size)
    except (zipfile.BadZipFile, OSError) as error:
        raise SourceError(f"{path}: damaged, or no .npz file ({error}); fetch it again") from error


class _damage_named:  # noqa: N801  # reads as a sentence where it is used
    """Raise `SourceError` in place of what numpy says of a damaged file."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __enter__(self) -> None:
        """Begin."""

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        """Turn what was raised."""
        if isinstance(error, ValueError | OSError | EOFError | KeyError | zipfile.BadZipFile):
            what = _PICKLED if "allow_pickle" in str(error) else f"damaged, or not what its name says ({error})"
            raise SourceError(f"{self._path}: {what}") from error
