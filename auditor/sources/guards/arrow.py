"""Check the rows and unpacked bytes that Arrow messages declare, before polars relies on them."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import BinaryIO

from auditor.errors import SourceError
from auditor.sources.guards import Limits

SCHEMA, _DICTIONARY, RECORDS = 1, 2, 3

KIND, _HEADER, BODY_LENGTH = 1, 2, 3  # fields of a message

_MAGIC = b"ARROW1"

_MARK = b"\xff\xff\xff\xff"

_BLOCK = "<qi4xq"  # where a message is, the lengths of its metadata and of its body

_DICTIONARIES, _RECORD_BATCHES = 2, 3  # fields of the footer

_INSIDE = 1  # field of a dictionary: its records

_ROWS, _NODES, _BUFFERS, _COMPRESSION = 0, 1, 2, 3  # fields of records

_AS_IT_IS = -1  # the unpacked size of a buffer that is not packed

_LARGEST_INDEX = 1 << 24


def check(path: Path) -> int:
    """Check the declarations of the messages of an Arrow file against its size, and count its rows.

    Raises `SourceError` for a truncated or damaged file, and for one that declares more than it can hold.
    """
    limits = Limits(path)
    rows = 0
    with path.open("rb") as file:
        try:
            footer = FlatTable(_footer(file, limits.size))
            for field in (_DICTIONARIES, _RECORD_BATCHES):
                for at, length, body in footer.vector(field, _BLOCK):
                    if min(at, length, body) < 0 or at + length + body > limits.size or length > _LARGEST_INDEX:
                        raise struct.error("a message outside the file")
                    file.seek(at)
                    metadata = file.read(length)
                    message = FlatTable(metadata[8:] if metadata.startswith(_MARK) else metadata[4:])
                    if message.number(BODY_LENGTH, "<q") > body:
                        raise struct.error("a message longer than its space")
                    held = check_message(limits, message, file, at + length)
                    rows += held if field == _RECORD_BATCHES else 0
        except struct.error as error:
            raise SourceError(f"{path}: damaged or truncated Arrow file ({error}); download it again") from error
    return rows


def check_message(limits: Limits, message: FlatTable, file: BinaryIO, body_at: int) -> int:
    """Check the declarations of a message against the size of its file, and count its rows; `body_at` starts its body.

    Raises `SourceError` for a message that declares more, `struct.error` for a damaged one.
    """
    kind, header = message.number(KIND, "<B"), message.table(_HEADER)
    records = header.table(_INSIDE) if header is not None and kind == _DICTIONARY else header
    if records is None or kind not in (_DICTIONARY, RECORDS):
        return 0
    rows = records.number(_ROWS, "<q")
    for length in (rows, *(length for length, _ in records.vector(_NODES, "<qq"))):
        limits.check_rows(length)
    end = message.number(BODY_LENGTH, "<q")
    for start, length in records.vector(_BUFFERS, "<qq"):
        if min(start, length) < 0 or start + length > end:
            raise struct.error("a buffer outside its message")
        if length and records.table(_COMPRESSION) is not None:
            file.seek(body_at + start)
            unpacked = struct.unpack("<q", file.read(8))[0]
            limits.check_bytes(length if unpacked == _AS_IT_IS else unpacked)
    return rows


def _footer(file: BinaryIO, size: int) -> bytes:
    file.seek(max(0, size - len(_MAGIC) - 4))
    tail = file.read()
    length = int.from_bytes(tail[:4], "little")
    at = size - len(tail) - length
    if tail[4:] != _MAGIC or at < len(_MAGIC) or length > _LARGEST_INDEX:
        raise struct.error("no footer")
    file.seek(at)
    return file.read(length)


class FlatTable:
    """A table of a flatbuffer. Positions outside its content raise `struct.error`."""

    def __init__(self, content: bytes, at: int | None = None) -> None:
        self._content = content
        self._at = struct.unpack_from("<I", content)[0] if at is None else at

    def number(self, field: int, kind: str) -> int:
        """Read a number; 0 if it is absent."""
        at = self._position(field)
        return 0 if at is None else int(struct.unpack_from(kind, self._content, at)[0])

    def table(self, field: int) -> FlatTable | None:
        """Return a table inside this one; null if it is absent."""
        at = self._position(field)
        return None if at is None else FlatTable(self._content, self._target(at))

    def vector(self, field: int, kind: str) -> list[tuple[int, ...]]:
        """Read a vector of structs; empty if it is absent."""
        at = self._position(field)
        if at is None:
            return []
        start = self._target(at)
        size = struct.calcsize(kind) * int(struct.unpack_from("<I", self._content, start)[0])
        held = self._content[start + 4 : start + 4 + size]
        if len(held) < size:
            raise struct.error("a vector leads out of its message")
        return list(struct.iter_unpack(kind, held))

    def _position(self, field: int) -> int | None:
        entries = self._at - int(struct.unpack_from("<i", self._content, self._at)[0])
        entry = 4 + 2 * field
        if entries < 0 or entry >= struct.unpack_from("<H", self._content, entries)[0]:
            return None
        offset = int(struct.unpack_from("<H", self._content, entries + entry)[0])
        return self._at + offset if offset else None

    def _target(self, at: int) -> int:
        return at + int(struct.unpack_from("<I", self._content, at)[0])
