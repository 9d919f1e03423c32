"""Opening MATLAB 5 files through scipy, which sees none that has not been walked before."""

from __future__ import annotations

import io
import struct
import warnings
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from auditor.errors import SourceError
from auditor.sources.guards.matlab import MatError, readable
from auditor.sources.reading import files

if TYPE_CHECKING:
    from numpy.typing import NDArray

_HEADER = 128

_COMPRESSED = 15

_LARGEST = 1 << 27

_MOST_EXPANSION = 200

_FREE_EXPANSION = 1 << 24

_ORDERS = {b"\x00\x01IM": "<", b"\x01\x00MI": ">"}

_HDF5 = (b"MATLAB 7.3", b"\x89HDF")


def is_mat(head: bytes) -> bool:
    """Say whether the head of a file is that of a MATLAB file, of version 5 or 7.3."""
    return head[_HEADER - 4 : _HEADER] in _ORDERS or head.startswith(_HDF5[0])


def variables(path: Path) -> dict[str, NDArray[Any]]:
    """Read the variables of a MATLAB 5 file; those that are not made of text, numbers, cells and structs are left out.

    Raises `SourceError` for another kind of file, a damaged one, and one that expands beyond reason.
    """
    with files.open_bytes(path) as file:
        content = file.read(_LARGEST + 1)
    if len(content) > _LARGEST:
        raise SourceError(f"{path}: larger than {_LARGEST >> 20} MiB: no MATLAB file of captions")
    order = _byte_order(path, content)
    try:
        return _load(content, readable(_elements(content, order), order))
    except (MatError, struct.error, zlib.error) as error:
        raise SourceError(f"{path}: damaged MATLAB file ({error}); fetch it again") from error


def _elements(content: bytes, order: str) -> Iterator[bytes]:
    """Yield the top-level elements, expanded: each with its tag."""
    at, room = _HEADER, _LARGEST
    while at < len(content):
        kind, size = struct.unpack_from(f"{order}2I", content, at)
        end = at + 8 + size
        if end > len(content):
            raise MatError(f"it ends inside the element at byte {at}")
        element = content[at:end] if kind != _COMPRESSED else _expand(content[at + 8 : end], room)
        room -= len(element)
        yield element
        at = end


def _expand(packed: bytes, room: int) -> bytes:
    most = min(max(room, 0), _FREE_EXPANSION + _MOST_EXPANSION * len(packed))
    unpacker = zlib.decompressobj()
    element = unpacker.decompress(packed, most + 1)
    if len(element) > most:
        raise MatError("a variable expands beyond reason, as a zip bomb does")
    if not unpacker.eof:
        raise MatError("a variable ends early")
    return element


def _load(content: bytes, names: list[str]) -> dict[str, NDArray[Any]]:
    from scipy.io import loadmat  # type: ignore[import-untyped]  # noqa: PLC0415  # slow to import

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # scipy only warns of a variable that it cannot read
            loaded = loadmat(io.BytesIO(content), variable_names=names)
    except Exception as error:
        raise MatError(f"scipy: {type(error).__name__}: {error}") from error
    return {name: loaded[name] for name in names if name in loaded}


def _byte_order(path: Path, content: bytes) -> str:
    if content.startswith(_HDF5):
        raise SourceError(f"{path}: a MATLAB 7.3 file (HDF5), which auditor does not read: save it with `save -v7`")
    order = _ORDERS.get(content[_HEADER - 4 : _HEADER])
    if order is None:
        older = " (if it is a MATLAB 4 file, save it with `save -v7`)" if b"\0" in content[:4] else ""
        raise SourceError(f'{path}: not of format "mat": no MATLAB 5 file{older}')
    return order


def single(value: Any) -> Any:
    """Give the one text or number that a value holds, however many cells it is in; null where there is another count.

    What is empty is an empty text: MATLAB writes '' as an array of nothing.
    """
    while hasattr(value, "dtype") and value.size == 1:
        value = value.item()
    return "" if hasattr(value, "dtype") and not value.size else value if isinstance(value, str | int | float) else None
