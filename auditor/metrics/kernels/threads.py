"""Runs a kernel that releases the interpreter on several parts of its work at once."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import TypeVar

_THREADS = 2

_Result = TypeVar("_Result")


def in_parts(size: int, run: Callable[[int, int], _Result], parts: int | None = None) -> list[_Result]:
    """Run on the positions `first` to `last` - 1 of each part, and return the results in order.

    By default there are as many parts as threads. Parts are empty only without positions.
    """
    parts = max(1, min(parts or _THREADS, size))
    edges = [size * part // parts for part in range(parts + 1)]
    with ThreadPoolExecutor(_THREADS) as pool:
        return list(pool.map(lambda edge: run(*edge), pairwise(edges)))
