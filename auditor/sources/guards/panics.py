"""Keeps off the screen what Polars writes when a crafted file makes it panic: lines of its own source code."""

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
    """Hold stderr back: what is written meanwhile comes later, a panic never; the error that follows names the file.

    One caller at a time is held back.
    """
    if not _HOLDING.acquire(blocking=False):
        yield
        return
    try:
        stderr = os.dup(_STDERR)
    except OSError:  # closed: nothing is written there
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
            said = held.read()
            if said and _PANIC not in said:
                os.write(_STDERR, said)


def each_unheard(read: Iterable[T]) -> Iterator[T]:
    """Yield what is read, each of it read `unheard`."""
    rest = iter(read)
    while True:
        with unheard():
            batch = next(rest, None)
        if batch is None:
            return
        yield batch
