"""Runs a kernel that releases the interpreter on several parts of its work at once."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import TypeVar

_THREADS = 2

_Result = TypeVar("_Result")


def in_parts(size: int, run: Callable[[int, int], _Result], parts: int | None = None) -> list[_Result]:
    """Run for the places `first` to `last` - 1 of each part, and give what each run gave, in order.

    As many parts as threads, unless told otherwise; none is empty where there is anything at all.
    """
    parts = max(1, min(parts or _THREADS, size))
    edges = [size * part // parts for part in range(parts + 1)]
    with ThreadPoolExecutor(_THREADS) as pool:
        return list(pool.map(lambda edge: run(*edge), pairwise(edges)))
