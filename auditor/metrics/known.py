"""What a kernel has computed of pairs of texts: samples of the same captions share it.

Scores against 1, 2, … references, each with other captions held out, ask for the same pairs again and again.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import repeat
from typing import Any

from auditor.arrays import NDArray, np

Rows = tuple[NDArray[Any], ...]

#: The most pairs that are remembered of a kernel; with more, all are forgotten.
_MOST = 1 << 20


class KnownPairs:
    """Rows of pairs of texts, for each kernel with its settings."""

    def __init__(self) -> None:
        self._of: dict[Hashable, tuple[NDArray[np.int64], Rows]] = {}

    def rows(self, kind: Hashable, pairs: NDArray[np.int64], compute: Callable[[NDArray[np.int64]], Rows]) -> Rows:
        """Return columns with a row for each pair; `compute` makes the rows of pairs at some positions."""
        known, rows = self._of.pop(kind, (pairs[:0], ()))
        at = np.searchsorted(known, pairs)
        is_new = np.append(known, -1)[at] != pairs
        if is_new.any():
            new, first = np.unique(pairs[is_new], return_index=True)
            made = compute(np.flatnonzero(is_new)[first])
            between = np.searchsorted(known, new)
            known = np.insert(known, between, new)
            rows = tuple(map(np.insert, rows, repeat(between), made, repeat(0))) if rows else made
            at = np.searchsorted(known, pairs)
        if len(known) <= _MOST:
            self._of[kind] = known, rows
        return tuple(column[at] for column in rows)


_pairs: ContextVar[KnownPairs | None] = ContextVar("pairs", default=None)


@contextmanager
def remembering(pairs: KnownPairs) -> Iterator[None]:
    """Let kernels look up and add to known pairs within a block."""
    token = _pairs.set(pairs)
    try:
        yield
    finally:
        _pairs.reset(token)


def known_pairs() -> KnownPairs | None:
    """Return the known pairs of this block; null if pairs are asked for only once."""
    return _pairs.get()


def rows_of(kind: Hashable, pairs: NDArray[np.int64], compute: Callable[[NDArray[np.int64]], Rows]) -> Rows:
    """Return columns with a row for each pair: within a block as `KnownPairs.rows` does, else all computed."""
    known = known_pairs()
    return known.rows(kind, pairs, compute) if known and len(pairs) else compute(np.arange(len(pairs)))
