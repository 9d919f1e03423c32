"""Vectors in an HDF5 file: a matrix and its ids, or a group with a dataset for each image; needs `auditor[hdf5]`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from auditor.errors import MissingExtraError, SourceError
from auditor.model import Option
from auditor.sources.guards.limits import Limits
from auditor.sources.vectors.matrix import IDS, VECTORS, as_texts, not_one, of, one_each, paired
from auditor.sources.vectors.records import AT_ONCE, damage_named


def read(path: Path, options: Mapping[str, Option]) -> Iterator[pl.DataFrame]:
    """Yield the rows of dataset `vectors`, called by dataset `ids`; or every dataset as the vector of its name.

    Raises `MissingExtraError` where h5py is not installed, `SourceError` for another file, and for a dataset whose
    content is in other files. Soft and external links are not followed.
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
        for first in range(0, len(names), AT_ONCE):
            some = names[first : first + AT_ONCE]
            yield one_each(path, some, [_array(path, group, name, limits) for name in some], first + 1, of(options))


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
    """Give a dataset. Raises `SourceError` for what is none, lies in other files, or declares more than it can hold."""
    found = group[name]
    if not hasattr(found, "is_virtual") or found.shape is None:
        what = "empty" if hasattr(found, "is_virtual") else "a group"
        raise SourceError(f"{path}: {name!r} is {what}: expected datasets ids and vectors, or a vector each")
    if found.is_virtual or found.external:
        raise SourceError(f"{path}: the content of {name!r} is in other files, which are not read")
    limits.check_bytes(found.size * found.dtype.itemsize)
    return found


def _h5py() -> Any:
    try:
        import h5py  # type: ignore[import-untyped]  # noqa: PLC0415
    except ImportError as error:
        raise MissingExtraError("HDF5 is read by h5py: pip install 'auditor[hdf5]'") from error
    return h5py
