"""Records of delimited text, each with the line where it begins; a broken one takes no other with it."""

from __future__ import annotations

import csv
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from auditor.errors import SourceError

_QUOTING = ",;"  # who separates by these must quote; elsewhere a quote may be one
_LONGEST_LINE = 1 << 24
_LONGEST_RECORD = 1 << 22  # characters of a record of several lines: what a quote that never closes may hold in memory
_MOST_LINES = 1 << 16


def records(file: BinaryIO, path: Path, delimiter: str, *, padded: bool) -> Iterator[tuple[Any, ...]]:
    """Yield line, text, reason and fields of each record; a blank line is none.

    After a record whose quotes cannot be told, reading goes on with the next line; each line is read twice at most,
    however many such records there are. A record of several lines has 4 MiB and 65,536 lines at most. With a delimiter
    that captions hardly hold, quotes may be those of the caption: the first in the file decides. `padded` says that
    blanks after a delimiter belong to it.
    Raises `SourceError` for a line longer than 16 MiB.
    """
    csv.field_size_limit(max(csv.field_size_limit(), _LONGEST_LINE))  # images may stand beside captions
    lines = _Lines(file, path)
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
        elif fields:
            yield (lines.first, lines.text(), lines.fault, *fields)


def _is_quoted(fields: list[str], quoted: Iterator[list[str]], lines: _Lines) -> bool:
    """Say whether the quotes in a record, split without regard to them, are around fields."""
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
    lines that a broken record reached can belong to no later record that began before them, which is as broken.
    """

    def __init__(self, file: BinaryIO, path: Path) -> None:
        self._file, self._path = file, path
        self._again: deque[tuple[str, str | None]] = deque()
        self._taken: list[tuple[str, str | None]] = []
        self._all_sound = True
        self._size = 0
        self._reached = 0
        self._why = ""
        self.first = 1

    def start(self) -> None:
        """Begin a record."""
        self.first += len(self._taken)
        self._taken, self._size = [], 0

    def give_up(self, why: csv.Error) -> None:
        """End the record, which is broken, after its first line; the others are read again."""
        last = self.first + len(self._taken) - 1
        if last >= self._reached:
            self._reached, self._why = last, str(why)
        self.keep(1)

    def keep(self, count: int) -> None:
        """End the record after its first lines; the others are read again."""
        self._again.extendleft(reversed(self._taken[count:]))
        self._taken = self._taken[:count]

    def text(self) -> str:
        """Give the record as it stands."""
        lines = [line for line, _ in self._taken]
        return (lines[0] if len(lines) == 1 else "".join(lines)).rstrip("\r\n")

    @property
    def fault(self) -> str | None:
        """What is wrong with the record's bytes."""
        return None if self._all_sound else next((fault for _, fault in self._taken if fault is not None), None)

    def __iter__(self) -> _Lines:
        return self

    def __next__(self) -> str:
        if self._taken:
            self._go_on()
        line = self._again.popleft() if self._again else self._read()
        self._taken.append(line)
        self._size += len(line[0])
        return line[0]

    def _go_on(self) -> None:
        """Raise `csv.Error` where the record at hand cannot go on over the end of its line."""
        if self.first + len(self._taken) <= self._reached:
            raise csv.Error(self._why)
        if self._size > _LONGEST_RECORD or len(self._taken) >= _MOST_LINES:
            raise csv.Error(f"a quote that does not close within {len(self._taken):,} lines")

    def _read(self) -> tuple[str, str | None]:
        line = self._file.readline(_LONGEST_LINE + 1)
        if not line:
            raise StopIteration
        number = self.first + len(self._taken)
        if len(line) > _LONGEST_LINE:
            raise SourceError(f"{self._path}:{number}: a line longer than {_LONGEST_LINE >> 20} MiB; no table is so")
        try:
            return line.decode("utf-8-sig" if number == 1 else "utf-8"), None
        except UnicodeDecodeError as error:
            self._all_sound = False
            broken = f"not UTF-8 (byte 0x{line[error.start]:02x} at column {error.start + 1})"
            return line.decode(errors="backslashreplace"), broken
