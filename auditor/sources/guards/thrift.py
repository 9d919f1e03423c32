"""Thrift's compact protocol, read as a stream: nothing is kept that nobody asks for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, BinaryIO

_TRUE, _FALSE, _BYTE, _INTEGERS, _DOUBLE, _BINARY, _LISTS, _MAP, _STRUCT = 1, 2, 3, (4, 5, 6), 7, 8, (9, 10), 11, 12

_MANY = 15

_DEEPEST = 16

_LONGEST_TEXT = 1 << 16

_LONGEST_NUMBER = 10  # bytes


class ThriftError(Exception):
    """What is wrong with a struct."""


class Thrift:
    """A struct at the head of a stream. Every method reads on from where the last one ended."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    def fields(self) -> Iterator[tuple[int, int]]:
        """Yield number and kind of each field; the caller reads or skips its value before it asks for the next."""
        number = 0
        while head := self._byte():
            number = number + (head >> 4) if head >> 4 else self._zigzag()
            yield number, head & 15

    def struct(self, kind: int) -> Iterator[tuple[int, int]]:
        """Yield the fields of a struct inside."""
        self._expect(kind == _STRUCT)
        return self.fields()

    def take(self, fields: Iterator[tuple[int, int]], wanted: Mapping[int, Callable[[int], Any]]) -> dict[int, Any]:
        """Read the fields that are wanted, each by its own function of its kind; step over the others."""
        found: dict[int, Any] = {}
        for number, kind in fields:
            if number in wanted:
                found[number] = wanted[number](kind)
            else:
                self.skip(kind)
        return found

    def items(self, kind: int) -> Iterator[int]:
        """Yield the kind of each item of a list; the caller reads or skips the item before it asks for the next."""
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
        """Step over a value."""
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
        self.skip(_BYTE if kind in (_TRUE, _FALSE) else kind, depth + 1)  # a truth is part of a field's head only

    def _zigzag(self) -> int:
        number = self._varint()
        return number >> 1 ^ -(number & 1)

    def _varint(self) -> int:
        number = 0
        for place in range(_LONGEST_NUMBER):
            byte = self._byte()
            number |= (byte & 127) << 7 * place
            if byte < 128:
                return number
        raise ThriftError("a number without end")

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
            raise ThriftError("a value of another kind than expected")
