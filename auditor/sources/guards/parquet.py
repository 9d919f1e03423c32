"""Check the rows, values and bytes that a Parquet file declares, before polars reads it.

The footer and the head of each page are structs of Thrift's compact protocol. DuckDB's `parquet_metadata` is not
enough: it reads only the footer, and a page can declare more than the footer.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

from auditor.errors import SourceError
from auditor.sources.guards import Limits

_MAGIC = b"PAR1"

_LARGEST_FOOTER = 1 << 24

_DICTIONARY_PAGE = 2

# Fields of the structs, named as in the format.
_FILE_ROWS, _ROW_GROUPS = 3, 4

_COLUMNS, _GROUP_ROWS = 1, 3

_CHUNK_METADATA = 3

_PATH, _VALUES, _PACKED_SIZE, _DATA_AT, _DICTIONARY_AT = 3, 5, 7, 9, 11

_PAGE_KIND, _PAGE_UNPACKED, _PAGE_PACKED, _PAGE_HEADERS = 1, 2, 3, (5, 7, 8)

_PAGE_VALUES = 1

_TRUE, _FALSE, _BYTE, _INTEGERS, _DOUBLE, _BINARY, _LISTS, _MAP, _STRUCT = 1, 2, 3, (4, 5, 6), 7, 8, (9, 10), 11, 12

_MANY = 15

_DEEPEST = 16

_LONGEST_TEXT = 1 << 16

_LONGEST_NUMBER = 10  # bytes


def check(path: Path, columns: Collection[str]) -> int:
    """Check the declarations of a file, and of the pages of some columns, against its size; return its rows.

    Raises `SourceError` for a truncated or damaged file, and for one that declares more than it can hold.
    """
    limits = Limits(path)
    with path.open("rb") as file:
        try:
            return _File(file, limits, columns).walk()
        except ThriftError as error:
            raise SourceError(f"{path}: damaged or truncated Parquet file ({error}); download it again") from error


class _File:
    def __init__(self, file: BinaryIO, limits: Limits, columns: Collection[str]) -> None:
        self._file, self._limits, self._columns = file, limits, columns
        self._footer = Thrift(self._opened())

    def walk(self) -> int:
        wanted = {_FILE_ROWS: self._footer.integer, _ROW_GROUPS: self._groups}
        values = self._footer.take(self._footer.fields(), wanted)
        rows, in_groups = int(values.get(_FILE_ROWS, 0)), values.get(_ROW_GROUPS, 0)
        self._limits.check_rows(rows)
        if rows != in_groups:
            raise ThriftError(f"{rows:,} rows, but {in_groups:,} in its row groups")
        return rows

    def _opened(self) -> BinaryIO:
        size = self._limits.size
        self._file.seek(max(0, size - 8))
        tail = self._file.read(8)
        length = int.from_bytes(tail[:4], "little")
        if tail[4:] != _MAGIC or length > size - 12:
            raise ThriftError("no footer")
        if length > _LARGEST_FOOTER:
            raise ThriftError(f"a footer larger than {_LARGEST_FOOTER >> 20} MiB")
        self._file.seek(size - 8 - length)
        return io.BytesIO(self._file.read(length))

    def _groups(self, kind: int) -> int:
        rows = 0
        for item in self._footer.items(kind):
            wanted = {_COLUMNS: self._chunks, _GROUP_ROWS: self._footer.integer}
            held: int = self._footer.take(self._footer.struct(item), wanted).get(_GROUP_ROWS, 0)
            self._limits.check_rows(held)
            rows += held
        return rows

    def _chunks(self, kind: int) -> None:
        for item in self._footer.items(kind):
            if not self._footer.take(self._footer.struct(item), {_CHUNK_METADATA: self._column}):
                raise ThriftError("a column without its metadata")

    def _column(self, kind: int) -> None:
        numbers = dict.fromkeys((_VALUES, _PACKED_SIZE, _DATA_AT, _DICTIONARY_AT), self._footer.integer)
        fields = self._footer.take(self._footer.struct(kind), {_PATH: self._name, **numbers})
        name = fields.get(_PATH, "")
        declared, packed, data_at, dictionary_at = (fields.get(field, 0) for field in numbers)
        start = min(data_at, dictionary_at or data_at)
        if min(start, packed, declared) < 0 or start + packed > self._limits.size:
            raise ThriftError(f"column {name} is outside the file")
        if name in self._columns:
            values = sum(self._pages(start, start + packed))
            self._limits.check_rows(values)
            if declared > values:
                raise ThriftError(f"column {name}: {declared:,} values, but {values:,} in its pages")

    def _name(self, kind: int) -> str:
        parts = [self._footer.text(item) for item in self._footer.items(kind)]
        return parts[0] if parts else ""

    def _pages(self, at: int, end: int) -> Iterator[int]:
        """Yield the number of values of each data page."""
        while at < end:
            self._file.seek(at)
            head = Thrift(self._file)
            numbers = dict.fromkeys((_PAGE_KIND, _PAGE_UNPACKED, _PAGE_PACKED), head.integer)
            headers = dict.fromkeys(_PAGE_HEADERS, partial(_values, head))
            fields = head.take(head.fields(), {**numbers, **headers})
            kind, unpacked, packed = (fields.get(field, 0) for field in numbers)
            values = next((fields[field] for field in reversed(fields) if field in headers), 0)
            at = self._file.tell() + packed
            if packed < 0 or at > self._limits.size:
                raise ThriftError("a page longer than the file")
            self._limits.check_bytes(unpacked)
            if kind == _DICTIONARY_PAGE:
                if not 0 <= values <= unpacked:
                    raise ThriftError(f"a dictionary of {values:,} values in {unpacked:,} bytes")
            else:
                self._limits.check_rows(values)
                yield values


def _values(head: Thrift, kind: int) -> int:
    return int(head.take(head.struct(kind), {_PAGE_VALUES: head.integer}).get(_PAGE_VALUES, 0))


class ThriftError(Exception):
    """A fault of a struct."""


class Thrift:
    """A struct at the start of a stream. Each method reads on from the end of the last one."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    def fields(self) -> Iterator[tuple[int, int]]:
        """Yield the number and kind of each field; the caller reads or skips its value before the next."""
        number = 0
        while head := self._byte():
            number = number + (head >> 4) if head >> 4 else self._zigzag()
            yield number, head & 15

    def struct(self, kind: int) -> Iterator[tuple[int, int]]:
        """Yield the fields of a nested struct."""
        self._expect(kind == _STRUCT)
        return self.fields()

    def take(self, fields: Iterator[tuple[int, int]], wanted: Mapping[int, Callable[[int], Any]]) -> dict[int, Any]:
        """Read the wanted fields, each with its function of the kind; skip the others."""
        values: dict[int, Any] = {}
        for number, kind in fields:
            if number in wanted:
                values[number] = wanted[number](kind)
            else:
                self.skip(kind)
        return values

    def items(self, kind: int) -> Iterator[int]:
        """Yield the kind of each item of a list; the caller reads or skips the item before the next."""
        self._expect(kind in _LISTS)
        head = self._byte()
        for _ in range(self._varint() if head >> 4 == _MANY else head >> 4):
            yield head & 15

    def integer(self, kind: int) -> int:
        """Read a whole number."""
        self._expect(kind in _INTEGERS)
        return self._zigzag()

    def text(self, kind: int) -> str:
        """Read a text."""
        self._expect(kind == _BINARY)
        length = self._varint()
        self._expect(length <= _LONGEST_TEXT)
        return self._take(length).decode(errors="replace")

    def skip(self, kind: int, depth: int = 0) -> None:
        """Skip a value."""
        self._expect(depth <= _DEEPEST)
        if kind in _INTEGERS:
            self._varint()
        elif kind == _BINARY:
            self._step(self._varint())
        elif kind == _STRUCT:
            for _, inner in self.fields():
                self.skip(inner, depth + 1)
        elif kind in _LISTS:
            for inner in self.items(kind):
                self._skip_item(inner, depth)
        elif kind == _MAP:
            count = self._varint()
            kinds = self._byte() if count else 0
            for _ in range(count):
                self._skip_item(kinds >> 4, depth)
                self._skip_item(kinds & 15, depth)
        elif kind in (_BYTE, _DOUBLE):
            self._step(1 if kind == _BYTE else 8)
        else:
            self._expect(kind in (_TRUE, _FALSE))

    def _skip_item(self, kind: int, depth: int) -> None:
        self.skip(_BYTE if kind in (_TRUE, _FALSE) else kind, depth + 1)  # only fields store booleans in their head

    def _zigzag(self) -> int:
        number = self._varint()
        return number >> 1 ^ -(number & 1)

    def _varint(self) -> int:
        number = 0
        for position in range(_LONGEST_NUMBER):
            byte = self._byte()
            number |= (byte & 127) << 7 * position
            if byte < 128:
                return number
        raise ThriftError("an endless number")

    def _byte(self) -> int:
        return self._take(1)[0]

    def _take(self, length: int) -> bytes:
        taken = self._stream.read(length)
        if len(taken) < length:
            raise ThriftError("it ends early")
        return taken

    def _step(self, length: int) -> None:
        while length:
            length -= len(self._take(min(length, _LONGEST_TEXT)))

    def _expect(self, holds: bool) -> None:
        if not holds:
            raise ThriftError("a value of an unexpected kind")
