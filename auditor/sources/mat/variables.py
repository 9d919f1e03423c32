"""Read MATLAB 5 files with scipy, after checking every element that it reads.

scipy trusts the sizes, dimensions, types and depths in a file: a crafted file can exhaust the memory or the stack, and
an unknown type or a text of one dimension crashes the process. The checks here prevent that: every matrix has a valid
head, fills its space exactly, and holds text, numbers, cells or structs.
"""

from __future__ import annotations

import io
import struct
import warnings
import zlib
from collections.abc import Iterable, Iterator
from math import prod
from pathlib import Path
from typing import Any, NamedTuple

from auditor.arrays import NDArray, scipy
from auditor.errors import SourceError
from auditor.sources.reading import files

_HEADER = 128

_COMPRESSED = 15

_LARGEST = 1 << 27

_MOST_EXPANSION = 200

_FREE_EXPANSION = 1 << 24

_ORDERS = {b"\x00\x01IM": "<", b"\x01\x00MI": ">"}

_HDF5 = (b"MATLAB 7.3", b"\x89HDF")

_DEEPEST = 8

_INT8, _INT32, _MATRIX = 1, 5, 14

_CELL, _STRUCT, _CHAR, _NUMBERS = 1, 2, 4, range(6, 16)

_TEXT, _NUMERIC = frozenset((1, 2, 4, 16, 17, 18)), frozenset((1, 2, 3, 4, 5, 6, 7, 9, 12, 13))

_DIMENSIONS = range(8, 129, 4)  # bytes: two to 32 dimensions

_COMPLEX = 0x0800

_LONGEST_FIELD = 64


def is_mat(head: bytes) -> bool:
    """Return whether a file begins like a MATLAB file of version 5 or 7.3."""
    return head[_HEADER - 4 : _HEADER] in _ORDERS or head.startswith(_HDF5[0])


def variables(path: Path) -> dict[str, NDArray[Any]]:
    """Read the variables of a MATLAB 5 file that consist of text, numbers, cells and structs.

    Raises `SourceError` for another kind of file, a damaged file, and a zip bomb.
    """
    content = files.whole(path, _LARGEST, "a MATLAB file of captions")
    order = _byte_order(path, content)
    try:
        return _load(content, readable(_elements(content, order), order))
    except (MatError, struct.error, zlib.error) as error:
        raise SourceError(f"{path}: damaged MATLAB file ({error}); download it again") from error


def _elements(content: bytes, order: str) -> Iterator[bytes]:
    """Yield the top-level elements, decompressed, with their tags."""
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
        raise MatError("a variable expands too much, like a zip bomb")
    if not unpacker.eof:
        raise MatError("a variable ends early")
    return element


def _load(content: bytes, names: list[str]) -> dict[str, NDArray[Any]]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # scipy only warns of a variable that it cannot read
            loaded = scipy.io.loadmat(io.BytesIO(content), variable_names=names)
    except Exception as error:
        raise MatError(f"scipy: {type(error).__name__}: {error}") from error
    return {name: loaded[name] for name in names if name in loaded}


def _byte_order(path: Path, content: bytes) -> str:
    if content.startswith(_HDF5):
        raise SourceError(f"{path}: MATLAB 7.3 files (HDF5) are not supported; save it with `save -v7`")
    order = _ORDERS.get(content[_HEADER - 4 : _HEADER])
    if order is None:
        older = " (if it is a MATLAB 4 file, save it with `save -v7`)" if b"\0" in content[:4] else ""
        raise SourceError(f'{path}: not of format "mat": not a MATLAB 5 file{older}')
    return order


def single(value: Any) -> Any:
    """Return the single text or number in a value, within any number of cells; null if there are none or several.

    An empty array is an empty text: MATLAB writes '' like this.
    """
    while hasattr(value, "dtype") and value.size == 1:
        value = value.item()
    return "" if hasattr(value, "dtype") and not value.size else value if isinstance(value, str | int | float) else None


class MatError(Exception):
    """A fault of an element."""


class _ForeignError(Exception):
    """A variable of a type that caption files do not use: an object, a function, a sparse matrix."""


def readable(elements: Iterable[bytes], order: str) -> list[str]:
    """Check the top-level elements; return the variables that only hold text, numbers, cells and structs.

    Raises `MatError` or `struct.error` for a damaged element.
    """
    names = []
    for element in elements:
        walk = _Walk(element, order)
        tag = walk.tag(0, len(element))
        if tag.kind != _MATRIX or tag.after != len(element):
            raise MatError("an element is not a variable, or not of its declared length")
        try:
            names.append(walk.matrix(tag.start, tag.after, 0))
        except _ForeignError:
            continue
    if len(set(names)) < len(names):
        raise MatError("two variables have the same name")
    return [name.decode("latin-1") for name in names if name]


class _Tag(NamedTuple):
    """The head of an element: its type, the start and size of its data in bytes, the start of the next element."""

    kind: int
    start: int
    size: int
    after: int


class _Walk:
    """A check of one variable."""

    def __init__(self, content: bytes, order: str) -> None:
        self._content = content
        self._order = order
        self._pair = struct.Struct(f"{order}2I").unpack_from

    def tag(self, at: int, end: int) -> _Tag:
        """Read the tag of an element that must lie within `end`."""
        kind, size = self._pair(self._content, at)
        if kind >> 16:  # a small element: its size, and up to four bytes of data, are inside the tag
            kind, size, start, after = kind & 0xFFFF, kind >> 16, at + 4, at + 8
        else:
            start, after = at + 8, at + 8 + size + -size % 8
        if after > end or start + size > after:
            raise MatError("an element is longer than its parent")
        return _Tag(kind, start, size, after)

    def matrix(self, at: int, end: int, depth: int) -> bytes:
        """Check the matrix that fills `at` to `end`; return its name."""
        if at == end:
            return b""
        if depth > _DEEPEST:
            raise MatError(f"cells are nested more than {_DEEPEST} levels deep")
        flags = self.tag(at, end)
        flag = self._pair(self._content, flags.start)[0]
        kind = flag & 0xFF
        if kind not in (_CELL, _STRUCT, _CHAR, *_NUMBERS):
            raise _ForeignError
        dimensions = self.tag(flags.after, end)
        name = self.tag(dimensions.after, end)
        if flags.size != 8 or dimensions.kind != _INT32 or dimensions.size not in _DIMENSIONS or name.kind != _INT8:
            raise MatError("a matrix has an invalid head")
        count = prod(struct.unpack_from(f"{self._order}{dimensions.size // 4}I", self._content, dimensions.start))
        at = name.after
        if kind == _STRUCT:
            fields, at = self._fields(at, end)
            count *= fields
        if count > end - at + 8:
            raise MatError("a matrix is larger than its content")
        if kind in (_CELL, _STRUCT):
            at = self._children(at, end, count, depth)
        else:
            for _ in range(2 if flag & _COMPLEX and kind in _NUMBERS else 1):
                data = self.tag(at, end)
                if data.kind not in (_TEXT if kind == _CHAR else _NUMERIC):
                    raise MatError("a matrix holds data of an unknown type")
                at = data.after
        if at != end:
            raise MatError("a matrix does not fill its space")
        return self._content[name.start : name.start + name.size]

    def _fields(self, at: int, end: int) -> tuple[int, int]:
        """Return the number of fields of a struct, and the start of its values."""
        width = self.tag(at, end)
        names = self.tag(width.after, end)
        length = self._pair(self._content, width.start)[0] if width.size == 4 else 0
        if not 0 < length <= _LONGEST_FIELD or names.size % length:
            raise MatError("a struct has invalid field names")
        return names.size // length, names.after

    def _children(self, at: int, end: int, count: int, depth: int) -> int:
        for _ in range(count):
            child = self.tag(at, end)
            if child.kind != _MATRIX:
                raise MatError("a cell does not hold a matrix")
            self.matrix(child.start, child.after, depth + 1)
            at = child.after
        return at
