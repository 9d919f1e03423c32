"""Records of delimited text, each with the line where it begins; a broken one takes no other with it."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

from auditor.errors import SourceError

_QUOTING = ",;"  # who separates by these must quote; elsewhere a quote may be one

_LONGEST_LINE = 1 << 24

_MOST_BLANK = 1_000_000

#: What separates the columns of a table, where nobody has said it.
SEPARATORS = (",", ";", "\t")


def headers(text: str) -> dict[str, list[str]]:
    """Split the first line of a text by each separator; one that holds a carriage return begins no table."""
    first = text.partition("\n")[0].rstrip("\r")
    if "\r" in first:
        return {}
    return {separator: next(csv.reader([first], delimiter=separator), []) for separator in SEPARATORS}


def records(file: BinaryIO, path: Path, delimiter: str, *, padded: bool) -> Iterator[tuple[Any, ...]]:
    """Yield line, text, reason and fields of each record; a blank line is none.

    After a record whose quotes cannot be told, reading goes on with the next line; each line is read twice at most,
    however many such records there are, and what is kept of them has 32 MiB at most. With a delimiter that captions
    hardly hold, quotes may be those of the caption: the first in the file decides. `padded` says that blanks after a
    delimiter belong to it.
    Raises `SourceError` for a line longer than 16 MiB, and for a million blank lines before as many records.
    """
    csv.field_size_limit(max(csv.field_size_limit(), _LONGEST_LINE))  # images may be beside captions
    lines = _Lines(file, path)
    plain = csv.reader(
        lines, delimiter=delimiter, skipinitialspace=padded, strict=True, quoting=csv.QUOTE_NONE, quotechar=None
    )
    quoted = csv.reader(lines, delimiter=delimiter, skipinitialspace=padded, strict=True)
    undecided = delimiter not in _QUOTING
    reader = plain if undecided else quoted
    balance = 0  # of records and blank lines
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
                raise SourceError(f"{path}:{lines.first}: a million blank lines more than records; this is no table")
        else:
            balance -= 1
            yield (lines.first, lines.text(), lines.fault, *fields)


def below_header(
    file: BinaryIO, path: Path, delimiter: str, width: int
) -> Iterator[tuple[int, str, str | None, list[str]]]:
    """Yield line, text, reason and fields of each record but the first; all have as many fields as that."""
    for line, raw, fault, *fields in islice(records(file, path, delimiter, padded=False), 1, None):
        reason = fault
        if reason is None and len(fields) != width:
            reason = f"{len(fields)} fields; the header has {width}"
        yield line, raw, reason, fields


def _is_quoted(fields: list[str], quoted: Iterator[list[str]], lines: _Lines) -> bool:
    """Return whether the quotes in a record, split without regard to them, are around fields."""
    if not all(field.startswith('"') for field in fields if '"' in field):
        return False
    lines.keep(0)
    try:
        next(quoted)
    except csv.Error:
        return False
    return True


class _Lines:
    """The lines of a file, each with its end; those of the record at hand can be read once more.

    Where a field goes on over a line's end, what becomes of the record does not depend on where the field began. So the
    lines that a broken record reached can belong to no later record that began before them, which is as broken. Lines
    that are kept are bytes in a row: a million of them as objects would take a hundred times that.
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
        """Begin a record, which has no fault in its bytes so far."""
        self.first += self._count
        self._taken.clear()
        self._count, self.fault = 0, None

    def give_up(self, why: csv.Error) -> None:
        """End the record, which is broken, after its first line; the others are read again."""
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
        """Return the record as it stands."""
        whole = self._line if self._count == 1 else self._decoded(bytes(self._taken), self.first)
        return whole.rstrip("\r\n")

    def __iter__(self) -> _Lines:
        return self

    def __next__(self) -> str:
        if self._count and self.first + self._count <= self._reached:
            raise csv.Error(self._why)
        if len(self._taken) > _LONGEST_LINE:
            raise csv.Error(f"a quote that does not close within {_LONGEST_LINE >> 20} MiB")
        line, number = self._read(), self.first + self._count
        if len(line) > _LONGEST_LINE:
            raise SourceError(f"{self._path}:{number}: a line longer than {_LONGEST_LINE >> 20} MiB; no table is so")
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
        """Read lines, the first of which has a number, as text, and note the first fault of the record."""
        encoding = "utf-8-sig" if number == 1 else "utf-8"
        try:
            return lines.decode(encoding)
        except UnicodeDecodeError as error:
            broken = f"not UTF-8 (byte 0x{lines[error.start]:02x} at column {error.start + 1})"
            self.fault = self.fault or broken
            return lines.decode(encoding, errors="backslashreplace")
