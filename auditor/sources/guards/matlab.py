"""The elements of a MATLAB 5 file, walked before scipy reads them.

scipy takes sizes, dimensions, types and depths as a file states them: a crafted one can ask for all memory or the whole
stack, and a type that it does not know or a text of one dimension ends the process. What passes here cannot: every
matrix has a proper head, fills exactly its place, and holds text, numbers, cells or structs.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from math import prod
from typing import NamedTuple

_DEEPEST = 8

_INT8, _INT32, _MATRIX = 1, 5, 14

_CELL, _STRUCT, _CHAR, _NUMBERS = 1, 2, 4, range(6, 16)

_TEXT, _NUMERIC = frozenset((1, 2, 4, 16, 17, 18)), frozenset((1, 2, 3, 4, 5, 6, 7, 9, 12, 13))

_DIMENSIONS = range(8, 129, 4)  # bytes: two to 32 dimensions

_COMPLEX = 0x0800

_LONGEST_FIELD = 64


class MatError(Exception):
    """What is wrong with an element."""


class _ForeignError(Exception):
    """A variable holds what no caption file does: an object, a function, a sparse matrix."""


def readable(elements: Iterable[bytes], order: str) -> list[str]:
    """Walk the top-level elements, and name the variables that hold text, numbers, cells and structs only.

    Raises `MatError` or `struct.error` for an element that is damaged.
    """
    names = []
    for element in elements:
        walk = _Walk(element, order)
        tag = walk.tag(0, len(element))
        if tag.kind != _MATRIX or tag.after != len(element):
            raise MatError("an element is no variable, or not as long as it says")
        try:
            names.append(walk.matrix(tag.start, tag.after, 0))
        except _ForeignError:
            continue
    if len(set(names)) < len(names):
        raise MatError("two variables have the same name")
    return [name.decode("latin-1") for name in names if name]


class _Tag(NamedTuple):
    """The head of an element: its type, where its data start, their size in bytes, where the next element starts."""

    kind: int
    start: int
    size: int
    after: int


class _Walk:
    """A walk through one variable."""

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
            raise MatError("an element is longer than what it is part of")
        return _Tag(kind, start, size, after)

    def matrix(self, at: int, end: int, depth: int) -> bytes:
        """Check the matrix that fills `at` to `end`, and give its name."""
        if at == end:
            return b""
        if depth > _DEEPEST:
            raise MatError(f"cells are nested more than {_DEEPEST} deep")
        flags = self.tag(at, end)
        flag = self._pair(self._content, flags.start)[0]
        kind = flag & 0xFF
        if kind not in (_CELL, _STRUCT, _CHAR, *_NUMBERS):
            raise _ForeignError
        dimensions = self.tag(flags.after, end)
        name = self.tag(dimensions.after, end)
        if flags.size != 8 or dimensions.kind != _INT32 or dimensions.size not in _DIMENSIONS or name.kind != _INT8:
            raise MatError("a matrix has no proper head")
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
                    raise MatError("a matrix holds data of no known type")
                at = data.after
        if at != end:
            raise MatError("a matrix does not fill its place")
        return self._content[name.start : name.start + name.size]

    def _fields(self, at: int, end: int) -> tuple[int, int]:
        """Count the fields of a struct, and say where its values start."""
        width = self.tag(at, end)
        names = self.tag(width.after, end)
        length = self._pair(self._content, width.start)[0] if width.size == 4 else 0
        if not 0 < length <= _LONGEST_FIELD or names.size % length:
            raise MatError("a struct has no proper field names")
        return names.size // length, names.after

    def _children(self, at: int, end: int, count: int, depth: int) -> int:
        for _ in range(count):
            child = self.tag(at, end)
            if child.kind != _MATRIX:
                raise MatError("a cell holds no matrix")
            self.matrix(child.start, child.after, depth + 1)
            at = child.after
        return at
