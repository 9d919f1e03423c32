"""Read the items of top-level lists in JSON files of any size, in bounded memory."""

from __future__ import annotations

import io
import itertools
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, NoReturn, TextIO

from auditor.errors import SourceError
from auditor.sources.reading.files import open_bytes

_BLOCK = 1 << 20

_LONGEST_ITEM = 1 << 23  # with small values, it needs a hundred times the memory

_BLANK = re.compile(r"[ \t\r\n]*")

_OF_NUMBERS = "0123456789+-.eE"

_LONGEST_WORD = 16  # characters of the longest token that a block end can split, an escape or a literal


#: JSON as programs write it: NaN and infinity, which the standard does not have, are missing values.
DECODER = json.JSONDecoder(parse_constant=lambda _: None)


class Item(NamedTuple):
    """An item of a list: the key of the list ("" if the list is the whole file), and its number from 1.

    `fault` is an error that a reader of the whole file can find.
    """

    key: str
    number: int
    value: Any
    fault: str | None = None


def items(path: Path, file_format: str) -> Iterator[Item]:
    """Yield the items of a file that holds a list, or an object of lists.

    A value that is not a list, and an empty list, is an item with the number 0.

    A byte that is not UTF-8 becomes a lone surrogate, so that only its record is rejected. Raises `SourceError` with
    line, column and byte for a file that is not JSON, and for an item longer than 8 MiB.
    """
    with _opened(path, file_format) as window:
        opening = window.peek()
        if opening == "[":
            yield from _list(window, "")
        elif opening == "{":
            yield from _object(window)
        else:
            yield Item("", 0, window.decode())
        if window.peek():
            window.fail("Extra data")


def values(path: Path, file_format: str) -> Iterator[Item]:
    """Yield the values of a file that holds one after the other, each over any number of lines.

    Raises `SourceError` as `items` does.
    """
    with _opened(path, file_format) as window:
        for number in itertools.count(1):
            if not window.peek():
                return
            yield Item("", number, window.decode())


def json_fault(path: Path) -> str | None:
    """Return why a file is not JSON, also not values one after the other; null if it is."""
    try:
        for _ in values(path, "JSON"):
            pass
    except SourceError as error:
        return str(error)
    return None


@contextmanager
def _opened(path: Path, file_format: str) -> Iterator[_Window]:
    with open_bytes(path) as file:
        text = io.TextIOWrapper(file, encoding="utf-8-sig", errors="surrogateescape", newline="")
        yield _Window(text, path, file_format)
        text.detach()


def _object(window: _Window) -> Iterator[Item]:
    window.take("{")
    closing = window.peek() == "}"
    while not closing:
        key = window.decode()
        if not isinstance(key, str):
            window.fail("Expecting property name enclosed in double quotes")
        window.take(":")
        if window.peek() == "[":
            yield from _list(window, key)
        else:
            yield Item(key, 0, window.decode())
        closing = window.peek() == "}"
        if not closing:
            window.take(",")
    window.take("}")


def _list(window: _Window, key: str) -> Iterator[Item]:
    window.take("[")
    number = 0
    closing = window.peek() == "]"
    if closing:
        yield Item(key, 0, [])
    while not closing:
        number += 1
        yield Item(key, number, window.decode())
        closing = window.peek() == "]"
        if not closing:
            window.take(",")
    window.take("]")


class _Window:
    """The part of the text being parsed."""

    def __init__(self, text: TextIO, path: Path, file_format: str) -> None:
        self._source, self._path, self._format = text, path, file_format
        self._text, self._at, self._lines_before, self._bytes_before = "", 0, 0, 0
        self._decode = DECODER.raw_decode

    def peek(self) -> str:
        """Return the next character that is not whitespace; "" at the end."""
        if self._at < len(self._text) and (sign := self._text[self._at]) > " ":
            return sign  # the usual case, without a search
        while True:
            self._at = _BLANK.match(self._text, self._at).end()  # type: ignore[union-attr]  # it always matches
            if self._at < len(self._text):
                return self._text[self._at]
            if not self._more():
                return ""

    def take(self, sign: str) -> None:
        """Skip a character that must come next."""
        if self.peek() != sign:
            self.fail(f"Expecting {sign!r}" + (" delimiter" if sign in ",:" else ""))
        self._at += 1

    def decode(self) -> Any:
        """Parse the next value."""
        self.peek()
        while True:
            try:
                value, end = self._decode(self._text, self._at)
            except json.JSONDecodeError as error:
                cut = error.pos + _LONGEST_WORD >= len(self._text) or error.msg.startswith("Unterminated string")
                if not (cut and self._more()):
                    self.fail(error.msg, error.pos)
            except (ValueError, RecursionError) as error:
                raise SourceError(f'{self._path}: JSON cannot be read: {error} (format "{self._format}")') from error
            else:
                cut = (
                    end == len(self._text) or self._text[end] in _OF_NUMBERS
                )  # a number may continue in the next block
                if not (cut and self._more()):
                    self._at = end
                    return value

    def fail(self, message: str, at: int | None = None) -> NoReturn:
        """Raise `SourceError` with the position where the text is not JSON."""
        at = self._at if at is None else at
        line = self._lines_before + self._text.count("\n", 0, at) + 1
        column = at - self._text.rfind("\n", 0, at)
        byte = self._bytes_before + _size(self._text[:at]) + 1
        raise SourceError(
            f'{self._path}:{line}: not JSON at column {column}: {message}, byte {byte:,} (format "{self._format}")'
        )

    def _more(self) -> bool:
        if len(self._text) - self._at > _LONGEST_ITEM:
            self.fail(f"a record longer than {_LONGEST_ITEM >> 20} MiB")
        block = self._source.read(max(_BLOCK, len(self._text) - self._at))
        self._lines_before += self._text.count("\n", 0, self._at)
        self._bytes_before += _size(self._text[: self._at])
        self._text, self._at = self._text[self._at :] + block, 0
        return bool(block)


def _size(text: str) -> int:
    """Return the number of bytes that a text had in the file, without a byte order mark."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogateescape"))
