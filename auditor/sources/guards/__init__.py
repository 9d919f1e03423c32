"""Checks of files before a library opens them: crafted files must not crash the process."""

from __future__ import annotations

import math
import os
import struct
import tempfile
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, TypeVar

from auditor.errors import SourceError

#: Captions compress to a third or a tenth, many equal values to almost nothing: small files are not limited.
_MOST_EXPANSION = 200

_FREE_EXPANSION = 1 << 26

_MOST_ROWS_A_BYTE = 64

_FREE_ROWS = 1 << 22


def check_expansion(path: Path | str, unpacked: float, packed: int) -> None:
    """Raise `SourceError` for more unpacked bytes than so many packed ones of captions have: a zip bomb."""
    if unpacked > _FREE_EXPANSION + _MOST_EXPANSION * packed:
        raise SourceError(f"{path}: expands to more than {_MOST_EXPANSION} times its size: damaged, or a zip bomb")


class Limits:
    """The rows and bytes that a file of its size can hold; each method raises `SourceError` for more."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._held = 0
        self.size = path.stat().st_size

    def check_rows(self, rows: int) -> None:
        """Check a number of rows, or of values in a column."""
        if not 0 <= rows <= _FREE_ROWS + _MOST_ROWS_A_BYTE * self.size:
            raise SourceError(f"{self._path}: declares {rows:,} rows in {self.size:,} bytes: damaged, or a zip bomb")

    def check_bytes(self, more: int) -> None:
        """Add unpacked bytes to the previous ones, and check the sum."""
        self._held += more
        check_expansion(self._path, self._held if more >= 0 else math.inf, self.size)


T = TypeVar("T")

_STDERR = 2

_PANIC = b"panicked at"

_HOLDING = threading.Lock()


@contextmanager
def unheard() -> Iterator[None]:
    """Delay stderr: its text is written afterwards, except a panic, since the error that follows names the file.

    Only the stderr of one caller at a time is delayed.
    """
    if not _HOLDING.acquire(blocking=False):
        yield
        return
    try:
        stderr = os.dup(_STDERR)
    except OSError:  # closed: nothing is written to it
        _HOLDING.release()
        yield
        return
    with tempfile.TemporaryFile() as held:
        os.dup2(held.fileno(), _STDERR)
        try:
            yield
        finally:
            os.dup2(stderr, _STDERR)
            os.close(stderr)
            _HOLDING.release()
            held.seek(0)
            written = held.read()
            if written and _PANIC not in written:
                os.write(_STDERR, written)


def each_unheard(read: Iterable[T]) -> Iterator[T]:
    """Yield items, each read inside `unheard`."""
    rest = iter(read)
    while True:
        with unheard():
            batch = next(rest, None)
        if batch is None:
            return
        yield batch


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


def check_arrow(path: Path) -> int:
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
