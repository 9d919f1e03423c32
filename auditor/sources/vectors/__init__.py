"""Format `vectors`: embeddings of images, and of texts, one vector each.

Parquet with a column of vectors, `.npy` with a list of ids, `.npz`, HDF5, and the folders that clip-retrieval writes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import polars as pl

from auditor.arrays import NDArray, np
from auditor.errors import MissingExtraError, SourceError, UsageError
from auditor.model import Option, Part
from auditor.sources.format import Format
from auditor.sources.guards import Limits, each_unheard
from auditor.sources.reading import files
from auditor.sources.vectors import matrix, records
from auditor.sources.vectors.matrix import IDS, VECTORS, as_texts, column, mapped, not_one, of, one_each, paired
from auditor.sources.vectors.records import IMAGES, TEXTS, Named, damage_named, equally_long, named

_IMAGES, _TEXTS, _METADATA = "img_emb", "text_emb", "metadata"

#: The columns that name an image; those of the path precede those of the number in the run.
_NAMES = ("image_path", *(name for name in IMAGES if name != "image_path"))


def recognizes(path: Path, head: bytes) -> bool:
    """Recognize matrices by their names, a Parquet file by a column of lists of numbers, a folder by `img_emb`."""
    if path.is_dir():
        return _is_of_clip_retrieval(path)
    ending = path.suffix.lower()
    if ending == ".parquet":
        return head.startswith(b"PAR1") and records.recognizes(path)
    return ending in _READERS


def read(part: Part) -> Iterator[pl.DataFrame]:
    """Yield the vectors of a part, in frames of `records.SCHEMA`, block by block.

    Raises `SourceError` for another or damaged file, and for vectors that cannot be assigned to images. Raises
    `MissingExtraError` for HDF5 if h5py is not installed.
    """
    yield from equally_long(each_unheard(_read(part)))


def beside(part: Part) -> list[Path]:
    """Return the lists of ids that are read because they are next to their vectors."""
    if "ids_file" in part.options:
        return []
    paths = (path for path in files.expand(part) if path.suffix.lower() == ".npy")
    return [ids for path in paths if (ids := matrix.ids_beside(path)) is not None]


def _read(part: Part) -> Iterator[pl.DataFrame]:
    if part.options.get("of", "images") not in ("images", "texts"):
        raise UsageError(f"of must be images or texts, not {part.options['of']}")
    _check_pattern(part.options.get("image_pattern"))
    for path in files.expand(part):
        records = 0
        for frame in named(_records(path, part.options), part.options):
            records += frame.height
            yield frame
        if not records:
            raise SourceError(f"{path}: no vectors found")


def _records(path: Path, options: Mapping[str, Option]) -> Iterator[pl.DataFrame]:
    if path.is_dir():
        return _of_clip_retrieval(path, options)
    if path.suffix.lower() not in _READERS:
        known = ", ".join(_READERS)
        raise SourceError(f'{path}: not of format "vectors": expected {known}, or a folder of clip-retrieval')
    if not files.head(path, 1):
        raise SourceError(f"{path}: the file is empty")
    return _READERS[path.suffix.lower()](path, options)


def _check_pattern(pattern: object) -> None:
    """Raise `UsageError` for a pattern that is not a regular expression, or has no group."""
    if pattern is None:
        return
    try:
        groups = re.compile(str(pattern)).groups
        pl.Series([""]).str.extract(str(pattern), 1)
    except (re.error, pl.exceptions.ComputeError) as error:
        raise UsageError(f"image_pattern {pattern}: not a regular expression: {error}") from error
    if not groups:
        raise UsageError(f"image_pattern {pattern}: has no group; put parentheses around the id: (\\d+)_")


def _is_of_clip_retrieval(folder: Path) -> bool:
    """Return whether a folder holds vectors of images and their metadata."""
    return bool(_parts(folder, _IMAGES, "npy") or _parts(folder, _TEXTS, "npy")) and bool(
        _parts(folder, _METADATA, "parquet")
    )


def _of_clip_retrieval(folder: Path, options: Mapping[str, Option]) -> Iterator[pl.DataFrame]:
    """Yield the vectors of images, and those of captions, part after part of `img_emb`, `text_emb` and `metadata`.

    Row i of each is the same sample; the metadata have its image and its caption.

    Raises `SourceError` if a part has no metadata, or another number of rows.
    """
    if not _is_of_clip_retrieval(folder):
        raise SourceError(
            f"{folder}: not a folder of clip-retrieval: expected img_emb/*.npy and metadata/*.parquet in it"
        )
    metadata = _parts(folder, _METADATA, "parquet")
    for kind, what, names, option in (
        (_IMAGES, "image", _NAMES, "image_col"),
        (_TEXTS, "text", TEXTS, "text_col"),
    ):
        for number, path in _parts(folder, kind, "npy").items():
            if number not in metadata:
                raise SourceError(f"{path}: no metadata_{number}.parquet with the ids of these vectors")
            with damage_named(metadata[number]):
                called = column(metadata[number], names, options.get(option))
            yield from paired(path, mapped(path), called, what, f" in {metadata[number].name}")


def _parts(folder: Path, kind: str, ending: str) -> dict[int, Path]:
    """Return the numbered files of a kind by number, in this folder or in the subfolder of the kind."""
    named = re.compile(rf"{kind}_(\d+)\.{ending}")
    paths = [path for parent in (folder / kind, folder) for path in sorted(parent.glob(f"{kind}_*.{ending}"))]
    numbered = {int(match[1]): path for path in reversed(paths) if (match := named.fullmatch(path.name))}
    return dict(sorted(numbered.items()))


def _of_hdf5(path: Path, options: Mapping[str, Option]) -> Iterator[pl.DataFrame]:
    """Yield the rows of dataset `vectors`, named by dataset `ids`; or every dataset as the vector of its name.

    Raises `MissingExtraError` if h5py is not installed, `SourceError` for another file, and for a dataset with content
    in other files. Soft and external links are not followed.
    """
    h5py = _h5py()
    limits = Limits(path)
    with damage_named(path), h5py.File(path, "r") as held:
        names = _linked(h5py, held)
        ids, vectors = (next((name for name in known if name in names), None) for known in (IDS, VECTORS))
        if ids is not None and vectors is not None:
            matrix, called = (_checked(path, held, name, limits) for name in (vectors, ids))
            yield from paired(path, matrix, _texts(path, called), of(options))
            return
        lone = next((name for name in VECTORS if name in names), names[0] if len(names) == 1 else None)
        group = held[lone] if lone is not None and isinstance(held[lone], h5py.Group) else held
        names = _linked(h5py, group)
        yield from one_each(path, names, lambda name: _array(path, group, name, limits), of(options))


def _linked(h5py: Any, group: Any) -> list[str]:
    return [name for name in group if isinstance(group.get(name, getlink=True), h5py.HardLink)]


def _texts(path: Path, dataset: Any) -> pl.Series:
    values = np.asarray(dataset.asstr()[:], dtype=np.str_) if dataset.dtype.kind == "O" else dataset[:]
    return as_texts(path, values)


def _array(path: Path, group: Any, name: str, limits: Limits) -> NDArray[Any]:
    dataset = _checked(path, group, name, limits)
    if dataset.ndim != 1 and dataset.size != max(dataset.shape, default=0):
        raise not_one(path, name, dataset.shape, dataset.dtype)
    return np.asarray(dataset[()])


def _checked(path: Path, group: Any, name: str, limits: Limits) -> Any:
    """Return a dataset. Raises `SourceError` for anything else, for content in other files, and for a zip bomb."""
    dataset = group[name]
    if not hasattr(dataset, "is_virtual") or dataset.shape is None:
        what = "empty" if hasattr(dataset, "is_virtual") else "a group"
        raise SourceError(f"{path}: {name!r} is {what}: expected datasets ids and vectors, or a dataset per vector")
    if dataset.is_virtual or dataset.external:
        raise SourceError(f"{path}: the content of {name!r} is in other files, which are not read")
    limits.check_bytes(dataset.size * dataset.dtype.itemsize)
    return dataset


def _h5py() -> Any:
    try:
        import h5py  # type: ignore[import-untyped]  # noqa: PLC0415
    except ImportError as error:
        raise MissingExtraError("reading HDF5 needs h5py: pip install 'auditor[hdf5]'") from error
    return h5py


_READERS: Mapping[str, Named] = {
    ".parquet": records.read,
    ".npy": matrix.read_npy,
    ".npz": matrix.read_npz,
    ".h5": _of_hdf5,
    ".hdf5": _of_hdf5,
}

FORMAT = Format(
    "vectors", recognizes, read, kind="vectors", folders=True, beside=beside,
    why_left_out="they repeat the vector of an image",
)  # fmt: skip
