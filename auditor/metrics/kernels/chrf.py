"""Matches of n-grams, of characters or words, between candidates and each of their references (Popović 2015).

A gram is a number: those of its symbols side by side where 64 bits hold them, else its rank among all grams. Texts keep
theirs sorted, so that a pair is matched in one pass; one order is held at a time.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from auditor.metrics.kernels.columns import Meetings, Texts, offsets
from auditor.metrics.kernels.threads import in_parts

_FEW = 500  # symbols of a text whose grams are sorted by insertion

Places = NDArray[np.int64]

Counts = NDArray[np.uint32]

Grams = NDArray[np.uint64]


def expand(texts: Texts, parts: Texts) -> Texts:
    """Put in place of each token t the symbols that `parts` has as text t."""
    lengths = np.diff(parts.starts)[texts.tokens]
    ends = offsets(lengths)
    symbols = np.empty(ends[-1], np.uint32)
    _expand(texts.tokens, parts.tokens, parts.starts, ends, symbols)
    return Texts(symbols, ends[texts.starts])


def matches(candidates: Texts, references: Texts, met: Meetings, most: int) -> list[Counts]:
    """Count, for n = 1 to `most`, the n-grams that each pair of texts shares, clipped: one column per n."""
    found = []
    symbols = np.concatenate([candidates.tokens, references.tokens])
    alphabet, numbers = np.unique(symbols, return_inverse=True)
    step = max(1, len(alphabet).bit_length())
    ranks: Grams = numbers.astype(np.uint64)
    starts = np.concatenate([candidates.starts, references.starts[1:] + candidates.starts[-1]])
    grams, width = ranks, step  # the symbols after the last of a text begin no gram of it: they are never read
    for n in range(1, most + 1):
        if n > 1:
            if width + step > 64:
                some, numbers = np.unique(grams, return_inverse=True)
                grams, width = numbers.astype(np.uint64), len(some).bit_length()
            following = np.concatenate([ranks[n - 1 :], np.zeros(min(n - 1, len(ranks)), np.uint64)])
            grams, width = grams << np.uint64(step) | following, width + step
        found.append(_matches(grams, starts, len(candidates.starts) - 1, met, n))
    return found


def _matches(grams: Grams, starts: Places, candidates: int, met: Meetings, n: int) -> Counts:
    ordered = grams.copy()
    counts = np.zeros(len(met[0]), np.uint32)
    for text in np.flatnonzero(np.diff(starts) > _FEW):
        ordered[starts[text] : starts[text + 1] - n + 1].sort()
    in_parts(len(starts) - 1, lambda first, last: _sort(ordered, starts, first, last, n))
    other = met[1] + candidates
    in_parts(len(counts), lambda first, last: _meet(ordered, starts, met[0], other, first, last, n, counts))
    return counts


@njit(cache=True, nogil=True)
def _expand(tokens: Counts, parts: Counts, starts: Places, ends: Places, symbols: Counts) -> None:
    for at in range(len(tokens)):
        first = starts[tokens[at]]
        for k in range(ends[at + 1] - ends[at]):
            symbols[ends[at] + k] = parts[first + k]


@njit(cache=True, nogil=True)
def _sort(grams: Grams, starts: Places, first: int, last: int, n: int) -> None:
    for text in range(first, last):
        if starts[text + 1] - starts[text] > _FEW:
            continue
        for at in range(starts[text] + 1, starts[text + 1] - n + 1):
            gram, place = grams[at], at
            while place > starts[text] and grams[place - 1] > gram:
                grams[place] = grams[place - 1]
                place -= 1
            grams[place] = gram


@njit(cache=True, nogil=True)
def _meet(
    grams: Grams, starts: Places, candidate: Places, reference: Places, first: int, last: int, n: int, counts: Counts
) -> None:
    for pair in range(first, last):
        i, i_end = starts[candidate[pair]], starts[candidate[pair] + 1] - n + 1
        j, j_end = starts[reference[pair]], starts[reference[pair] + 1] - n + 1
        shared = 0
        while i < i_end and j < j_end:
            mine, other = grams[i], grams[j]
            shared += mine == other
            i += mine <= other
            j += other <= mine
        counts[pair] = shared
