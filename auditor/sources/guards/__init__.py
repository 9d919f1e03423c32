"""Checks of files before a library opens them: crafted files must not crash the process."""

from __future__ import annotations

import os
import tempfile
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from auditor.errors import SourceError

#: Captions compress to a third or a tenth, many equal values to almost nothing: small files are not limited.
_MOST_EXPANSION = 200

_FREE_EXPANSION = 1 << 26

_MOST_ROWS_A_BYTE = 64

_FREE_ROWS = 1 << 22


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
        if more < 0 or self._held > _FREE_EXPANSION + _MOST_EXPANSION * self.size:
            raise SourceError(
                f"{self._path}: expands to more than {_MOST_EXPANSION} times its size: damaged, or a zip bomb"
            )


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
