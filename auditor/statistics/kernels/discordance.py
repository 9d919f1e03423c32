"""Count the pairs of rows that two rankings put in opposite orders, for Kendall's tau.

Knight 1966 counts the exchanges of a merge sort. This counts those of a radix sort, which are equally many for rows in
the order of one ranking. It reads the other's ranks three bits at a time, O(n log n) in all, without branches that a
processor could mispredict.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from auditor.compiled import compiled, uncompiled

_THREADS = 2

_BITS = 3

_DIGITS = 1 << _BITS

#: Row d marks the digits smaller than d: a row is added to 8 counters at once, as one vector.
_SMALLER = np.tri(_DIGITS, k=-1, dtype=np.uint32)


class Ranking(NamedTuple):
    """One ranking of n rows, with the data that its pairs share.

    `rank` are dense ranks from 0, `order` the rows by rank; rows of rank r are `order[starts[r]:starts[r + 1]]`.
    """

    rank: NDArray[np.uint32]
    order: NDArray[np.uint32]
    starts: NDArray[np.int64]

    @property
    def group_sizes(self) -> NDArray[np.int64]:
        """Return how many rows share each rank."""
        return np.diff(self.starts)


class Discordance(NamedTuple):
    """Pairs of rows that two rankings put in opposite orders, and pairs that are tied in both."""

    discordant: int
    tied_in_both: int


def ranking(values: NDArray[np.generic]) -> Ranking:
    """Rank rows by numbers without NaN. The order of equal rows changes no count."""
    order = np.argsort(values).astype(np.uint32)
    ordered = values[order]
    first = np.concatenate((np.ones(min(1, len(order)), np.bool_), ordered[1:] != ordered[:-1]))
    starts = np.concatenate((np.flatnonzero(first), np.array([len(order)])))
    ranks = np.empty(len(order), np.uint32)
    ranks[order] = np.repeat(np.arange(len(starts) - 1, dtype=np.uint32), np.diff(starts))
    return Ranking(ranks, order, starts)


def discordances(
    rankings: Sequence[Ranking], pairs: Sequence[tuple[int, int]], threads: int = _THREADS
) -> list[Discordance]:
    """Count for each pair of rankings, given by their indexes. Integers: equal for any number of threads."""
    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(lambda pair: _compare(rankings[pair[0]], rankings[pair[1]]), pairs))


def _compare(a: Ranking, b: Ranking) -> Discordance:
    with uncompiled(len(a.rank)):
        ranks = _in_order_of(a.rank, a.starts, b.order, b.starts)
        tied = _equal_neighbors(ranks, a.starts)
        return Discordance(int(_exchanges(ranks, b.starts, _SMALLER)), int(tied))


@compiled
def _in_order_of(
    rank: NDArray[np.uint32], starts: NDArray[np.int64], order_b: NDArray[np.uint32], starts_b: NDArray[np.int64]
) -> NDArray[np.uint32]:
    """Return b's ranks in the order of a; ties of a are in the order of b, so that they are not discordant."""
    free = starts[:-1].astype(np.uint32)
    ranks = np.empty(len(rank), np.uint32)
    for rank_b in range(len(starts_b) - 1):
        for position in range(starts_b[rank_b], starts_b[rank_b + 1]):
            rank_a = rank[order_b[position]]
            ranks[free[rank_a]] = rank_b
            free[rank_a] += 1
    return ranks


@compiled
def _equal_neighbors(ranks: NDArray[np.uint32], starts: NDArray[np.int64]) -> int:
    """Count the pairs of equal ranks within each group of rows that are tied in the other ranking."""
    tied = 0
    for group in range(len(starts) - 1):
        before = 0
        for position in range(starts[group] + 1, starts[group + 1]):
            before = before + 1 if ranks[position] == ranks[position - 1] else 0
            tied += before
    return tied


@compiled
def _exchanges(ranks: NDArray[np.uint32], starts: NDArray[np.int64], smaller: NDArray[np.uint32]) -> int:
    """Count the pairs of positions with the higher rank first, by sorting from the highest digit down.

    Ranks with equal higher digits are adjacent, in their original order: a rank passes those before it with a greater
    digit. `starts` has their positions. Overwrites `ranks`.
    """
    distinct = len(starts) - 1
    shift = 0
    while (1 << shift) < distinct:
        shift += _BITS
    source, sorted_ = ranks, np.empty_like(ranks)
    greater = np.empty(_DIGITS, np.uint32)
    free = np.empty(_DIGITS, np.int64)
    exchanges = 0
    while shift > 0:
        shift -= _BITS
        for first in range(0, distinct, _DIGITS << shift):
            for digit in range(_DIGITS):
                greater[digit] = 0
                free[digit] = starts[min(first + (digit << shift), distinct)]
            for position in range(free[0], starts[min(first + (_DIGITS << shift), distinct)]):
                rank = source[position]
                digit = (rank >> np.uint32(shift)) & np.uint32(_DIGITS - 1)
                exchanges += greater[digit]
                for other in range(_DIGITS):
                    greater[other] += smaller[digit, other]
                sorted_[free[digit]] = rank
                free[digit] += 1
        source, sorted_ = sorted_, source
    return exchanges
