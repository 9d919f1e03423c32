"""What a Parquet file declares of itself, read before polars is: rows, values and bytes of every page that is wanted.

The footer and the head of each page are structs of Thrift's compact protocol.
"""

from __future__ import annotations

import io
from collections.abc import Collection, Iterator
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

    def walk(self) -> int:
        footer = Thrift(self._footer())
        rows, in_groups = 0, 0
        for field, kind in footer.fields():
            if field == _FILE_ROWS:
                rows = footer.integer(kind)
            elif field == _ROW_GROUPS:
                in_groups += sum(self._group(footer, item) for item in footer.items(kind))
            else:
                footer.skip(kind)
        self._limits.check_rows(rows)
        if rows != in_groups:
            raise ThriftError(f"{rows:,} rows, {in_groups:,} in its row groups")
        return rows

    def _footer(self) -> BinaryIO:
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

    def _group(self, footer: Thrift, kind: int) -> int:
        rows = 0
        for field, inner in footer.struct(kind):
            if field == _COLUMNS:
                for item in footer.items(inner):
                    self._chunk(footer, item)
            elif field == _GROUP_ROWS:
                rows = footer.integer(inner)
            else:
                footer.skip(inner)
        self._limits.check_rows(rows)
        return rows

    def _chunk(self, footer: Thrift, kind: int) -> None:
        described = False
        for field, inner in footer.struct(kind):
            if field == _CHUNK_METADATA:
                self._column(footer, inner)
                described = True
            else:
                footer.skip(inner)
        if not described:
            raise ThriftError("a column without its metadata")

    def _column(self, footer: Thrift, kind: int) -> None:
        name = ""
        facts = dict.fromkeys((_VALUES, _PACKED_SIZE, _DATA_AT, _DICTIONARY_AT), 0)
        for field, inner in footer.struct(kind):
            if field == _PATH:
                parts = [footer.text(item) for item in footer.items(inner)]
                name = parts[0] if parts else ""
            elif field in facts:
                facts[field] = footer.integer(inner)
            else:
                footer.skip(inner)
        start = min(facts[_DATA_AT], facts[_DICTIONARY_AT] or facts[_DATA_AT])
        end = start + facts[_PACKED_SIZE]
        if min(start, facts[_PACKED_SIZE], facts[_VALUES]) < 0 or end > self._limits.size:
            raise ThriftError(f"column {name} lies outside of the file")
        if name in self._columns:
            values = sum(self._pages(start, end))
            self._limits.check_rows(values)
            if facts[_VALUES] > values:
                raise ThriftError(f"column {name}: {facts[_VALUES]:,} values, {values:,} in its pages")

    def _pages(self, at: int, end: int) -> Iterator[int]:
        """Yield how many values there are in each page of data."""
        while at < end:
            self._file.seek(at)
            head = Thrift(self._file)
            kind = packed = unpacked = values = 0
            for field, inner in head.fields():
                if field == _PAGE_KIND:
                    kind = head.integer(inner)
                elif field == _PAGE_UNPACKED:
                    unpacked = head.integer(inner)
                elif field == _PAGE_PACKED:
                    packed = head.integer(inner)
                elif field in _PAGE_HEADERS:
                    values = self._page_values(head, inner)
                else:
                    head.skip(inner)
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

    def _page_values(self, head: Thrift, kind: int) -> int:
        values = 0
        for field, inner in head.struct(kind):
            if field == _PAGE_VALUES:
                values = head.integer(inner)
            else:
                head.skip(inner)
        return values
