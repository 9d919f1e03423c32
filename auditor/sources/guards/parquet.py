"""What a Parquet file declares of itself, read before polars is: rows, values and bytes of every page that is wanted.

The footer and the head of each page are structs of Thrift's compact protocol. DuckDB's `parquet_metadata` does not do:
it reads the footer alone, and a page may declare more than its footer does.
"""

from __future__ import annotations

import io
from collections.abc import Collection, Iterator
from functools import partial
from pathlib import Path
from typing import BinaryIO

from auditor.errors import SourceError
from auditor.sources.guards.limits import Limits
from auditor.sources.guards.thrift import Thrift, ThriftError

_MAGIC = b"PAR1"

_LARGEST_FOOTER = 1 << 24

_DICTIONARY_PAGE = 2

# Fields of the structs, by the names of the format.
_FILE_ROWS, _ROW_GROUPS = 3, 4

_COLUMNS, _GROUP_ROWS = 1, 3

_CHUNK_METADATA = 3

_PATH, _VALUES, _PACKED_SIZE, _DATA_AT, _DICTIONARY_AT = 3, 5, 7, 9, 11

_PAGE_KIND, _PAGE_UNPACKED, _PAGE_PACKED, _PAGE_HEADERS = 1, 2, 3, (5, 7, 8)

_PAGE_VALUES = 1


def check(path: Path, columns: Collection[str]) -> int:
    """Check what a file declares of itself, and of the pages of some columns, against its size; count its rows.

    Raises `SourceError` for a file that is cut short or damaged, and one that declares more than it can hold.
    """
    limits = Limits(path)
    with path.open("rb") as file:
        try:
            return _File(file, limits, columns).walk()
        except ThriftError as error:
            raise SourceError(
                f"{path}: a Parquet file that is damaged or cut short ({error}); fetch it again"
            ) from error


class _File:
    def __init__(self, file: BinaryIO, limits: Limits, columns: Collection[str]) -> None:
        self._file, self._limits, self._columns = file, limits, columns
        self._footer = Thrift(self._opened())

    def walk(self) -> int:
        wanted = {_FILE_ROWS: self._footer.integer, _ROW_GROUPS: self._groups}
        found = self._footer.take(self._footer.fields(), wanted)
        rows, in_groups = int(found.get(_FILE_ROWS, 0)), found.get(_ROW_GROUPS, 0)
        self._limits.check_rows(rows)
        if rows != in_groups:
            raise ThriftError(f"{rows:,} rows, {in_groups:,} in its row groups")
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
        found = self._footer.take(self._footer.struct(kind), {_PATH: self._name, **numbers})
        name = found.get(_PATH, "")
        declared, packed, data_at, dictionary_at = (found.get(field, 0) for field in numbers)
        start = min(data_at, dictionary_at or data_at)
        if min(start, packed, declared) < 0 or start + packed > self._limits.size:
            raise ThriftError(f"column {name} lies outside of the file")
        if name in self._columns:
            values = sum(self._pages(start, start + packed))
            self._limits.check_rows(values)
            if declared > values:
                raise ThriftError(f"column {name}: {declared:,} values, {values:,} in its pages")

    def _name(self, kind: int) -> str:
        parts = [self._footer.text(item) for item in self._footer.items(kind)]
        return parts[0] if parts else ""

    def _pages(self, at: int, end: int) -> Iterator[int]:
        """Yield how many values there are in each page of data."""
        while at < end:
            self._file.seek(at)
            head = Thrift(self._file)
            numbers = dict.fromkeys((_PAGE_KIND, _PAGE_UNPACKED, _PAGE_PACKED), head.integer)
            headers = dict.fromkeys(_PAGE_HEADERS, partial(_values, head))
            found = head.take(head.fields(), {**numbers, **headers})
            kind, unpacked, packed = (found.get(field, 0) for field in numbers)
            values = next((found[field] for field in reversed(found) if field in headers), 0)
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
