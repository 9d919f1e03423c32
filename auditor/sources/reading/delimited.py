"""Records of delimited text with their first lines; a broken record does not affect others."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

import polars as pl

from auditor.errors import SourceError
from auditor.sources.reading.lines import plain_lines

_QUOTING = ",;"  # these separators require quoting; with others, a quote may be text

_LONGEST_LINE = 1 << 24

_MOST_BLANK = 1_000_000

_BLOCK = 1 << 22

#: Separators of columns to try, if none is set.
SEPARATORS = (",", ";", "\t")


def headers(text: str) -> dict[str, list[str]]:
    """Split the first line of a text by each separator; one with a carriage return or binary data is not a header."""
    first = text.partition("\n")[0].rstrip("\r")
    if "\r" in first or "\0" in first:
        return {}
    return {separator: next(csv.reader([first], delimiter=separator), []) for separator in SEPARATORS}


def records(file: BinaryIO, path: Path, delimiter: str, *, padded: bool) -> Iterator[tuple[Any, ...]]:
    """Yield line, text, reason and fields of each record; see `records_of`."""
    return records_of(Lines(file, path), delimiter, padded=padded)


def records_of(lines: Lines, delimiter: str, *, padded: bool) -> Iterator[tuple[Any, ...]]:
    """Yield line, text, reason and fields of each record; empty lines are skipped.

    After a record with broken quotes, reading continues with the next line. Each line is read at most twice, for any
    number of such records, and at most 32 MiB of them are kept. With a delimiter that captions rarely contain, quotes
    may belong to the caption: the first quote in the file decides. With `padded`, spaces after delimiters are skipped.
    Raises `SourceError` for a line longer than 16 MiB, and for a million more empty lines than records.
    """
    csv.field_size_limit(max(csv.field_size_limit(), _LONGEST_LINE))  # other columns may hold images
    plain = csv.reader(
        lines, delimiter=delimiter, skipinitialspace=padded, strict=True, quoting=csv.QUOTE_NONE, quotechar=None
    )
    quoted = csv.reader(lines, delimiter=delimiter, skipinitialspace=padded, strict=True)
    undecided = delimiter not in _QUOTING
    reader = plain if undecided else quoted
    while True:
        lines.start()
        try:
            fields = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            lines.give_up(error)
            yield (lines.first, lines.text(), f"not a record of a delimited table: {error}")
            continue
        if undecided and any('"' in field for field in fields):
            reader, undecided = quoted if _is_quoted(fields, quoted, lines) else plain, False
            lines.keep(0)
        elif not fields:
            lines.balance += 1
            if lines.balance > _MOST_BLANK:
                raise SourceError(f"{lines.path}:{lines.first}: a million more empty lines than records; not a table")
        else:
            lines.balance -= 1
            yield (lines.first, lines.text(), lines.fault, *fields)


def below_header(
    file: BinaryIO, path: Path, delimiter: str, width: int
) -> Iterator[tuple[int, str, str | None, list[str]]]:
    """Yield line, text, reason and fields of each record after the header, which sets the number of fields."""
    for line, raw, fault, *fields in islice(records(file, path, delimiter, padded=False), 1, None):
        reason = fault
        if reason is None and len(fields) != width:
            reason = f"{len(fields)} fields; the header has {width}"
        yield line, raw, reason, fields


def _is_quoted(fields: list[str], quoted: Iterator[list[str]], lines: Lines) -> bool:
    """Return whether the quotes in a record, which was split without them, enclose fields."""
    if not all(field.startswith('"') for field in fields if '"' in field):
        return False
    lines.keep(0)
    try:
        next(quoted)
    except csv.Error:
        return False
    return True


def _fields(block: bytes, delimiter: str, width: int) -> tuple[pl.DataFrame, pl.Series] | None:
    """Return the fields and the lines of a block whose lines are plain records; null if one may not be.

    What a plain line holds, no reader of delimited text reads differently. A line without quotes is plain if it has so
    many fields: fewer leave the last one empty. Others are matched with a pattern.
    """
    if width < 2:
        return None
    if b"\r" in block:
        block = block.replace(b"\r\n", b"\n")
    block = block.rstrip(b"\n")
    is_quoted = b'"' in block
    lines = None if is_quoted and delimiter not in _QUOTING else plain_lines(block)
    if lines is None:
        return None
    try:
        fields = pl.read_csv(
            io.BytesIO(block), has_header=False, separator=delimiter, quote_char='"' if is_quoted else None,
            schema={str(number): pl.String() for number in range(width)}, empty_string_is_null=False,
        )  # fmt: skip
    except pl.exceptions.PolarsError:  # more fields
        return None
    if fields.shape != (len(lines), width):
        return None
    doubtful = lines.filter(lines.str.contains('"', literal=True) | (fields.to_series(width - 1) == ""))
    field = f'(?:"(?:[^"]|"")*"|[^"{delimiter}]*)' if is_quoted else f"[^{re.escape(delimiter)}]*"
    form = rf"^{field}(?:{re.escape(delimiter)}{field}){{{width - 1}}}$"
    return (fields, lines) if doubtful.str.contains(form).all() else None


class Lines:
    """The lines of a file with their ends; those of the current record can be read again.

    If a field continues on the next line, the rest of the record does not depend on where the field began. So a later
    record that reaches the lines of a broken record is broken too. Kept lines are stored as one run of bytes: a million
    separate objects would need a hundred times the memory.
    """

    def __init__(self, file: BinaryIO, path: Path) -> None:
        self._file, self.path = file, path
        self.balance = 0  # empty lines minus records
        self._again, self._at = b"", 0
        self._taken, self._count = bytearray(), 0
        self._line = ""
        self._reached, self._why = 0, ""
        self.first = 1
        self.fault: str | None = None

    @property
    def is_between_blocks(self) -> bool:
        """Return whether no line waits to be read again."""
        return self._at >= len(self._again) and self.first + self._count > self._reached

    def plain_block(self, delimiter: str, width: int) -> tuple[int, pl.DataFrame, pl.Series] | None:
        """Take the next megabytes at once if each line is one record of so many fields, all quoted well or not at all.

        Returns the number of the first line, the fields, in columns named by position, and the lines. Returns null for
        any other lines. They wait to be read as records, which finds their faults.
        """
        if not self.is_between_blocks or len(delimiter.encode()) != 1:
            return None
        self.start()
        block = self._file.read(_BLOCK)
        if not block.endswith(b"\n"):
            block += self._file.readline(_LONGEST_LINE + 1)
        self._again, self._at = block, 0
        found = _fields(block, delimiter, width)
        if found is None:
            return None
        first, self._again = self.first, b""
        self.first += block.count(b"\n") + (not block.endswith(b"\n"))
        self.balance += self.first - first - 2 * len(found[1])
        return first, *found

    def start(self) -> None:
        """Begin a record without a fault."""
        self.first += self._count
        self._taken.clear()
        self._count, self.fault = 0, None

    def give_up(self, why: csv.Error) -> None:
        """End the broken record after its first line; the others are read again."""
        last = self.first + self._count - 1
        if last >= self._reached:
            self._reached, self._why = last, str(why)
        self.keep(1)

    def keep(self, count: int) -> None:
        """End the record after its first line, or before it; the others are read again."""
        if self._count > count:
            kept = self._taken.find(b"\n") + 1 if count else 0
            self._again, self._at = bytes(self._taken[kept:]) + self._again[self._at :], 0
            del self._taken[kept:]
            self._count = count
            self._line = self._decoded(bytes(self._taken), self.first)

    def text(self) -> str:
        """Return the text of the record."""
        whole = self._line if self._count == 1 else self._decoded(bytes(self._taken), self.first)
        return whole.rstrip("\r\n")

    def __iter__(self) -> Lines:
        return self

    def __next__(self) -> str:
        if self._count and self.first + self._count <= self._reached:
            raise csv.Error(self._why)
        if len(self._taken) > _LONGEST_LINE:
            raise csv.Error(f"a quote is not closed within {_LONGEST_LINE >> 20} MiB")
        line, number = self._read(), self.first + self._count
        if len(line) > _LONGEST_LINE:
            raise SourceError(f"{self.path}:{number}: a line longer than {_LONGEST_LINE >> 20} MiB; not a table")
        self._taken += line
        self._count += 1
        self._line = self._decoded(line, number)
        return self._line

    def _read(self) -> bytes:
        if self._at < len(self._again):
            begin, self._at = self._at, self._again.find(b"\n", self._at) + 1 or len(self._again)
            return self._again[begin : self._at]
        self._again, self._at = b"", 0
        line = self._file.readline(_LONGEST_LINE + 1)
        if not line:
            raise StopIteration
        return line

    def _decoded(self, lines: bytes, number: int) -> str:
        """Decode lines, the first with the given number; store the first fault of the record."""
        encoding = "utf-8-sig" if number == 1 else "utf-8"
        try:
            return lines.decode(encoding)
        except UnicodeDecodeError as error:
            broken = f"not UTF-8 (byte 0x{lines[error.start]:02x} at column {error.start + 1})"
            self.fault = self.fault or broken
            return lines.decode(encoding, errors="backslashreplace")
