"""Records of delimited text with their first lines; a broken record does not affect others."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

from auditor.errors import SourceError

_QUOTING = ",;"  # these separators require quoting; with others, a quote may be text

_LONGEST_LINE = 1 << 24

_MOST_BLANK = 1_000_000

#: Separators of columns to try, if none is set.
SEPARATORS = (",", ";", "\t")


def headers(text: str) -> dict[str, list[str]]:
    """Split the first line of a text by each separator; a line with a carriage return is not a header."""
    first = text.partition("\n")[0].rstrip("\r")
    if "\r" in first:
        return {}
    return {separator: next(csv.reader([first], delimiter=separator), []) for separator in SEPARATORS}


def records(file: BinaryIO, path: Path, delimiter: str, *, padded: bool) -> Iterator[tuple[Any, ...]]:
    """Yield line, text, reason and fields of each record; empty lines are skipped.

    After a record with broken quotes, reading continues with the next line. Each line is read at most twice, for any
    number of such records, and at most 32 MiB of them are kept. With a delimiter that captions rarely contain, quotes
    may belong to the caption: the first quote in the file decides. With `padded`, spaces after delimiters are skipped.
    Raises `SourceError` for a line longer than 16 MiB, and for a million more empty lines than records.
    """
    csv.field_size_limit(max(csv.field_size_limit(), _LONGEST_LINE))  # other columns may hold images
    lines = _Lines(file, path)
    plain = csv.reader(
        lines, delimiter=delimiter, skipinitialspace=padded, strict=True, quoting=csv.QUOTE_NONE, quotechar=None
    )
    quoted = csv.reader(lines, delimiter=delimiter, skipinitialspace=padded, strict=True)
    undecided = delimiter not in _QUOTING
    reader = plain if undecided else quoted
    balance = 0  # empty lines minus records
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
            balance += 1
            if balance > _MOST_BLANK:
                raise SourceError(f"{path}:{lines.first}: a million more empty lines than records; not a table")
        else:
            balance -= 1
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


def _is_quoted(fields: list[str], quoted: Iterator[list[str]], lines: _Lines) -> bool:
    """Return whether the quotes in a record, which was split without them, enclose fields."""
    if not all(field.startswith('"') for field in fields if '"' in field):
        return False
    lines.keep(0)
    try:
        next(quoted)
    except csv.Error:
        return False
    return True


class _Lines:
    """The lines of a file with their ends; those of the current record can be read again.

    If a field continues on the next line, the rest of the record does not depend on where the field began. So a later
    record that reaches the lines of a broken record is broken too. Kept lines are stored as one run of bytes: a million
    separate objects would need a hundred times the memory.
    """

    def __init__(self, file: BinaryIO, path: Path) -> None:
        self._file, self._path = file, path
        self._again, self._at = b"", 0
        self._taken, self._count = bytearray(), 0
        self._line = ""
        self._reached, self._why = 0, ""
        self.first = 1
        self.fault: str | None = None

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

    def __iter__(self) -> _Lines:
        return self

    def __next__(self) -> str:
        if self._count and self.first + self._count <= self._reached:
            raise csv.Error(self._why)
        if len(self._taken) > _LONGEST_LINE:
            raise csv.Error(f"a quote is not closed within {_LONGEST_LINE >> 20} MiB")
        line, number = self._read(), self.first + self._count
        if len(line) > _LONGEST_LINE:
            raise SourceError(f"{self._path}:{number}: a line longer than {_LONGEST_LINE >> 20} MiB; not a table")
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
