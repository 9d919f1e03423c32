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
_CHUNK = np.int64(1) << 36
_TOTAL = np.int64(1) << 49
_START = np.int64(LONGEST + 1) * 2 * _TOTAL
_ONE = np.uint64(1)

# Columns of a pool of matches: where they begin and how many words they take on each side (hypothesis, reference), by
# which module, and the next match that begins at the same word of the reference (-1: none).
HYP, REF, HYP_LENGTH, REF_LENGTH, MODULE, NEXT = range(6)
EXACT, STEM, SYNONYM, PARAPHRASE = range(4)

Pool = NDArray[np.int32]
Numbers = NDArray[np.int32]
Flags = NDArray[np.bool_]


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
    if pool[match, MODULE] == EXACT:
        return 2
    return pool[match, HYP_LENGTH] // 2 + pool[match, REF_LENGTH] // 2


@njit(cache=True, nogil=True)
def _placed(order: NDArray[np.int64], key: NDArray[np.int64], size: int, new: int) -> int:
    """Rank a new key after all that are not greater, and give the slot that it takes: -1 where the beam has no room."""
    if size < BEAM:
        slot = size
        rank = size
    else:
        slot = order[BEAM - 1]
        rank = BEAM - 1
        if new >= key[slot]:
            return -1
    while rank > 0 and key[order[rank - 1]] > new:
        order[rank] = order[rank - 1]
        rank -= 1
    order[rank] = slot
    key[slot] = new
    return slot


@njit(cache=True, nogil=True)
def _sort(order: NDArray[np.int64], key: NDArray[np.int64], size: int) -> None:
    for rank in range(1, size):
        slot = order[rank]
        at = rank
        while at > 0 and key[order[at - 1]] > key[slot]:
            order[at] = order[at - 1]
            at -= 1
        order[at] = slot


@njit(cache=True, nogil=True)
def _is_free(used: NDArray[np.uint64], first: int, length: int) -> bool:
    for word in range(first, first + length):
        if (used[word >> 6] >> np.uint64(word & 63)) & _ONE:
            return False
    return True


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
            if end[slot] != -1 and end[slot] != place:
                key[slot] += _CHUNK
            upto[slot] = current + pool[fixed, REF_LENGTH]
            end[slot] = place + pool[fixed, HYP_LENGTH]
        else:
            if end[slot] != -1:
                key[slot] += _CHUNK
                end[slot] = -1
            upto[slot] = current + 1
    _sort(paths.order[side], key, size)


@njit(cache=True, nogil=True)
def search(paths: Paths, pool: Pool, heads: Numbers, fixed: Flags, n_hyp: int, n_ref: int) -> tuple[int, int, int]:
    """Choose among the matches that begin at each word of the reference (`heads`); `fixed` are the only ones there.

    Gives the last match chosen and the chain of those before (-1: none), and the number of chunks. The fixed matches
    are in no chain.
    """
    order, key, upto, end, node, taken, used, chain = paths
    blocks = n_hyp // 64 + 1
    side, size, nodes = 0, 1, 0
    order[0, 0], key[0, 0], upto[0, 0], end[0, 0], node[0, 0], taken[0, 0] = 0, _START, 0, -1, -1, -1
    used[0, 0, :blocks] = 0
    for current in range(n_ref):
        head = heads[current]
        if head < 0 or fixed[current]:
            _pass(paths, side, size, pool, current, head)
            continue
        other, grown = 1 - side, 0
        for rank in range(size):
            path = order[side, rank]
            if taken[side, path] >= 0:
                chain[nodes, 0], chain[nodes, 1] = node[side, path], taken[side, path]
                node[side, path], taken[side, path] = nodes, -1
                nodes += 1
            parent, open_end = key[side, path], end[side, path]
            keeps = upto[side, path] > current
            match = -1 if keeps else head
            while True:
                # The matches one after another; after the last of them the path itself, which skips the word.
                skips = match < 0
                new, new_end, new_upto = parent, open_end, upto[side, path]
                if skips and not keeps:
                    new_upto = current + 1
                    if open_end != -1:
                        new += _CHUNK
                        new_end = -1
                elif not skips:
                    place, length = pool[match, HYP], pool[match, HYP_LENGTH]
                    if not _is_free(used[side, path], place, length):
                        match = pool[match, NEXT]
                        continue
                    new -= _value(pool, match) * _TOTAL
                    if open_end != -1 and open_end != place:
                        new += _CHUNK
                    new_end, new_upto = place + length, current + pool[match, REF_LENGTH]
                    parent += abs(current - place)
                slot = _placed(order[other], key[other], grown, new)
                if slot >= 0:
                    grown = min(grown + 1, BEAM)
                    upto[other, slot], end[other, slot] = new_upto, new_end
                    node[other, slot], taken[other, slot] = node[side, path], match
                    for block in range(blocks):
                        used[other, slot, block] = used[side, path, block]
                    if not skips:
                        for word in range(place, place + length):
                            used[other, slot, word >> 6] |= _ONE << np.uint64(word & 63)
                if skips:
                    break
                match = pool[match, NEXT]
        side, size = other, grown
    # Open chunks are closed after the paths were sorted, so that of equal ones the one that was open comes first.
    best, chosen = np.int64(-1), 0
    for rank in range(size):
        path = order[side, rank]
        closed = key[side, path] + _CHUNK if end[side, path] != -1 else key[side, path]
        if best < 0 or closed < best:
            best, chosen = closed, path
    return taken[side, chosen], node[side, chosen], (best & (_TOTAL - 1)) >> 36
