"""Vectors in an HDF5 file: a matrix and its ids, or a group with a dataset for each image; needs `auditor[hdf5]`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from auditor.errors import MissingExtraError, SourceError
from auditor.model import Option
from auditor.sources.vectors.matrix import IDS, VECTORS, as_texts, of, one_each, paired
from auditor.sources.vectors.records import AT_ONCE


def read(path: Path, options: Mapping[str, Option]) -> Iterator[pl.DataFrame]:
    """Yield the rows of dataset `vectors`, called by dataset `ids`; or every dataset as the vector of its name.

    Raises `MissingExtraError` where h5py is not installed, `SourceError` for another file and a link out of it.
    """
    h5py = _h5py()
    try:
        with h5py.File(path, "r") as held:
            names = [name for name in held if isinstance(held.get(name, getlink=True), h5py.HardLink)]
            ids, vectors = (next((name for name in known if name in names), None) for known in (IDS, VECTORS))
            if ids is not None and vectors is not None:
                yield from paired(path, held[vectors], _texts(path, held[ids]), of(options))
                return
            lone = next((name for name in VECTORS if name in names), names[0] if len(names) == 1 else None)
            group = held[lone] if lone is not None and isinstance(held[lone], h5py.Group) else held
            names = [name for name in group if isinstance(group.get(name, getlink=True), h5py.HardLink)]
            for first in range(0, len(names), AT_ONCE):
                some = names[first : first + AT_ONCE]
                yield one_each(path, some, [_array(path, group[name]) for name in some], first + 1, of(options))
    except (OSError, KeyError, RuntimeError) as error:
        raise SourceError(f"{path}: damaged, or no HDF5 file ({error}); fetch it again") from error


def _texts(path: Path, dataset: Any) -> pl.Series:
    values = np.asarray(dataset.asstr()[:], dtype=np.str_) if dataset.dtype.kind == "O" else dataset[:]
    return as_texts(path, values)


def _array(path: Path, dataset: Any) -> Any:
    if not hasattr(dataset, "shape"):
        raise SourceError(f"{path}: {dataset.name} is a group: expected datasets ids and vectors, or a vector each")
    return dataset[()] if dataset.size <= AT_ONCE * AT_ONCE else np.empty((2, 2))


def _h5py() -> Any:
    try:
        import h5py  # type: ignore[import-untyped]  # noqa: PLC0415
    except ImportError as error:
        raise MissingExtraError("HDF5 is read by h5py: pip install 'auditor[hdf5]'") from error
    return h5py
