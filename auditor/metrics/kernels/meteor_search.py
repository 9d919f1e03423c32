"""METEOR's beam search for an alignment: from the matches of two texts to those that it chooses.

Denkowski & Lavie 2014, section 2.1: cover the most words, then in the fewest chunks, then with the least distance. The
search is METEOR 1.5's to the letter, since every other, a better one too, changes scores: a beam of 40 paths, sorted
stably; weights that are not those of the score; matches of single words other than exact ones weigh nothing; a path
pays for the distance of the matches that were tried on it before it skips a word, never for those that it takes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

BEAM = 40
#: The most words a text may have: what the keys of paths hold.
LONGEST = 4095
# A path's key sorts by total (descending), chunks, distance: 14, 13 and 36 bits.
_CHUNK = 1 << 36
_TOTAL = 1 << 49
_START = (LONGEST + 1) * 2 * _TOTAL
_ONE = np.uint64(1)

# Columns of a pool of matches: where they begin and how many words they take on each side (hypothesis, reference), by
# which module, and the next match that begins at the same word of the reference (-1: none).
HYP, REF, HYP_LENGTH, REF_LENGTH, MODULE, NEXT = range(6)
EXACT, STEM, SYNONYM, PARAPHRASE = range(4)

Pool = NDArray[np.int32]
Numbers = NDArray[np.int32]
Flags = NDArray[np.bool_]
Keys = NDArray[np.int64]


class Paths(NamedTuple):
    """Two beams, the present and the next; `used` are words of the hypothesis, 64 to a number.

    `order` ranks the slots. `upto` is the next free word of the reference, `end` where the open chunk ends in the
    hypothesis (-1: none is open). The matches taken are a chain: `taken` (-1: none yet), then `node` of `chain`, whose
    rows are (the one before, match).
    """

    order: NDArray[np.int64]
    key: NDArray[np.int64]
    upto: NDArray[np.int64]
    end: NDArray[np.int64]
    node: NDArray[np.int64]
    taken: NDArray[np.int64]
    used: NDArray[np.uint64]
    chain: NDArray[np.int64]


@njit(cache=True, nogil=True)
def paths(longest: int) -> Paths:
    """Make room for the search through texts of at most `longest` words."""
    return Paths(
        np.zeros((2, BEAM), dtype=np.int64),
        np.zeros((2, BEAM), dtype=np.int64),
        np.zeros((2, BEAM), dtype=np.int64),
        np.zeros((2, BEAM), dtype=np.int64),
        np.zeros((2, BEAM), dtype=np.int64),
        np.zeros((2, BEAM), dtype=np.int64),
        np.zeros((2, BEAM, longest // 64 + 1), dtype=np.uint64),
        np.zeros((BEAM * (longest + 1), 2), dtype=np.int64),
    )


@njit(cache=True, nogil=True)
def _value(pool: Pool, match: int) -> int:
    """Weigh a match: METEOR adds half a point a word to a whole number, side by side, and loses the halves."""
    value: int = 2 if pool[match, MODULE] == EXACT else pool[match, HYP_LENGTH] // 2 + pool[match, REF_LENGTH] // 2
    return value


@njit(cache=True, nogil=True)
def _placed(order: Keys, key: Keys, side: int, size: int, new: int) -> int:
    """Rank a new key after all that are not greater, and give the slot that it takes: -1 where the beam has no room.

    Whole arrays travel with the side, here and below: a view for each path would cost more than the search.
    """
    slot = size
    rank = size
    if size == BEAM:
        rank = BEAM - 1
        slot = order[side, rank]
        if new >= key[side, slot]:
            return -1
    while rank > 0 and key[side, order[side, rank - 1]] > new:
        order[side, rank] = order[side, rank - 1]
        rank -= 1
    order[side, rank] = slot
    key[side, slot] = new
    return slot


@njit(cache=True, nogil=True)
def _sort(order: Keys, key: Keys, side: int, size: int) -> None:
    for rank in range(1, size):
        slot = order[side, rank]
        at = rank
        while at > 0 and key[side, order[side, at - 1]] > key[side, slot]:
            order[side, at] = order[side, at - 1]
            at -= 1
        order[side, at] = slot


@njit(cache=True, nogil=True)
def _is_free(used: NDArray[np.uint64], side: int, path: int, first: int, length: int) -> bool:
    taken = np.uint64(0)
    for word in range(first, first + length):
        taken |= used[side, path, word >> 6] >> np.uint64(word & 63)
    return not taken & _ONE


@njit(cache=True, nogil=True)
def _pass(paths: Paths, side: int, size: int, pool: Pool, current: int, fixed: int) -> None:
    """Let every path go past a word of the reference that has no match to choose: `fixed` is taken, -1 is none."""
    key, upto, end = paths.key[side], paths.upto[side], paths.end[side]
    for slot in range(size):
        if upto[slot] > current:
            continue
        if fixed >= 0:
            place = pool[fixed, HYP]
            key[slot] += abs(current - place) - _value(pool, fixed) * _TOTAL
            if end[slot] >= 0 and end[slot] != place:
                key[slot] += _CHUNK
            upto[slot] = current + pool[fixed, REF_LENGTH]
            end[slot] = place + pool[fixed, HYP_LENGTH]
        else:
            if end[slot] >= 0:
                key[slot] += _CHUNK
                end[slot] = -1
            upto[slot] = current + 1
    _sort(paths.order, paths.key, side, size)


@njit(cache=True, nogil=True)
def _succeed(
    paths: Paths, side: int, path: int, size: int, new: int, upto: int, end: int, match: int, pool: Pool, blocks: int
) -> int:
    """Let a path go on in the other beam, by `match` or without one (-1), and give that beam's size then."""
    other = 1 - side
    slot = _placed(paths.order, paths.key, other, size, new)
    if slot < 0:
        return size
    paths.upto[other, slot], paths.end[other, slot] = upto, end
    paths.node[other, slot], paths.taken[other, slot] = paths.node[side, path], match
    for block in range(blocks):
        paths.used[other, slot, block] = paths.used[side, path, block]
    if match >= 0:
        for word in range(pool[match, HYP], pool[match, HYP] + pool[match, HYP_LENGTH]):
            paths.used[other, slot, word >> 6] |= _ONE << np.uint64(word & 63)
    return min(size + 1, BEAM)


@njit(cache=True, nogil=True)
def _branch(
    paths: Paths, side: int, size: int, pool: Pool, current: int, head: int, blocks: int, nodes: int
) -> tuple[int, int]:
    """Let every path try each match that begins at a word of the reference, then skip the word.

    Gives the size of the other beam and the number of links in `chain`.
    """
    grown = 0
    for rank in range(size):
        path = paths.order[side, rank]
        if paths.taken[side, path] >= 0:
            paths.chain[nodes, 0], paths.chain[nodes, 1] = paths.node[side, path], paths.taken[side, path]
            paths.node[side, path], paths.taken[side, path] = nodes, -1
            nodes += 1
        key, upto, end = paths.key[side, path], paths.upto[side, path], paths.end[side, path]
        if upto > current:
            grown = _succeed(paths, side, path, grown, key, upto, end, -1, pool, blocks)
            continue
        match = head
        while match >= 0:
            place, length = pool[match, HYP], pool[match, HYP_LENGTH]
            if _is_free(paths.used, side, path, place, length):
                new = key - _value(pool, match) * _TOTAL
                if end >= 0 and end != place:
                    new += _CHUNK
                after = current + pool[match, REF_LENGTH]
                grown = _succeed(paths, side, path, grown, new, after, place + length, match, pool, blocks)
                key += abs(current - place)
            match = pool[match, NEXT]
        if end >= 0:
            key += _CHUNK
        grown = _succeed(paths, side, path, grown, key, current + 1, -1, -1, pool, blocks)
    return grown, nodes


@njit(cache=True, nogil=True)
def search(paths: Paths, pool: Pool, heads: Numbers, fixed: Flags, n_hyp: int, n_ref: int) -> tuple[int, int, int]:
    """Choose among the matches that begin at each word of the reference (`heads`); `fixed` are the only ones there.

    Gives the last match chosen and the chain of those before (-1: none), and the number of chunks. The fixed matches
    are in no chain.
    """
    blocks = n_hyp // 64 + 1
    side, size, nodes = 0, 1, 0
    paths.order[0, 0], paths.key[0, 0], paths.upto[0, 0] = 0, _START, 0
    paths.end[0, 0], paths.node[0, 0], paths.taken[0, 0] = -1, -1, -1
    paths.used[0, 0, :blocks] = 0
    for current in range(n_ref):
        if heads[current] < 0 or fixed[current]:
            _pass(paths, side, size, pool, current, heads[current])
        else:
            size, nodes = _branch(paths, side, size, pool, current, heads[current], blocks, nodes)
            side = 1 - side
    # Open chunks are closed after the paths were sorted, so that of equal ones the one that was open comes first.
    best, chosen = -1, 0
    for rank in range(size):
        path = paths.order[side, rank]
        closed = paths.key[side, path] + (_CHUNK if paths.end[side, path] >= 0 else 0)
        if best < 0 or closed < best:
            best, chosen = closed, path
    chunks = (best & (_TOTAL - 1)) // _CHUNK
    return paths.taken[side, chosen], paths.node[side, chosen], chunks
