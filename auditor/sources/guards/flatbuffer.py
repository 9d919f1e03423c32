"""Flatbuffers, as far as Arrow's messages need them: tables, their numbers, their vectors."""

from __future__ import annotations

import struct


class FlatTable:
    """A table of a flatbuffer. Whatever leads out of the content raises `struct.error`."""

    def __init__(self, content: bytes, at: int | None = None) -> None:
        self._content = content
        self._at = struct.unpack_from("<I", content)[0] if at is None else at

    def number(self, field: int, kind: str) -> int:
        """Read a number; one that is left out is 0."""
        at = self._place(field)
        return 0 if at is None else int(struct.unpack_from(kind, self._content, at)[0])

    def table(self, field: int) -> FlatTable | None:
        """Give a table inside this one; null where it is left out."""
        at = self._place(field)
        return None if at is None else FlatTable(self._content, self._target(at))

    def vector(self, field: int, kind: str) -> list[tuple[int, ...]]:
        """Read a vector of structs; none where it is left out."""
        at = self._place(field)
        if at is None:
            return []
        start = self._target(at)
        size = struct.calcsize(kind) * int(struct.unpack_from("<I", self._content, start)[0])
        held = self._content[start + 4 : start + 4 + size]
        if len(held) < size:
            raise struct.error("a vector leads out of its message")
        return list(struct.iter_unpack(kind, held))

    def _place(self, field: int) -> int | None:
        entries = self._at - int(struct.unpack_from("<i", self._content, self._at)[0])
        entry = 4 + 2 * field
        if entries < 0 or entry >= struct.unpack_from("<H", self._content, entries)[0]:
            return None
        offset = int(struct.unpack_from("<H", self._content, entries + entry)[0])
        return self._at + offset if offset else None

    def _target(self, at: int) -> int:
        return at + int(struct.unpack_from("<I", self._content, at)[0])
