"""Hide the lines that Polars writes to stderr when a crafted file makes it panic."""

from __future__ import annotations

import os
import tempfile
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TypeVar

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
