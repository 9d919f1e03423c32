"""METEOR's beam search for an alignment: chooses among the matches of two texts.

Denkowski & Lavie 2014, section 2.1: cover the most words, then in the fewest chunks, then with the least distance. The
search is exactly that of METEOR 1.5, because any other, even a better one, changes scores: a beam of 40 paths, sorted
stably; weights that differ from those of the score; weight 0 for matches of single words other than exact ones; a path
pays for the distance of the matches that were tried before it skips a word, never for those that it takes.

METEOR spends most of its time here, so functions take two flat arrays and numbers, which need no unpacking.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from auditor.compiled import array_part, part

BEAM = 40

#: The most words of a text: the limit of the keys of paths.
LONGEST = 4095

# A path's key sorts by total (descending), chunks, distance: 14, 13 and 36 bits.
_CHUNK = 1 << 36

TOTAL = 1 << 49

_START = (LONGEST + 1) * 2 * TOTAL

#: A pool of matches has COLUMNS numbers for each, and a match is the position of its first number. The numbers are: its
#: start and end in the hypothesis, and in the reference; its reduction of a path's key; the distance between its sides;
#: its words of the hypothesis as bits, of the block of 64 in which it begins and of the next; its module; and the next
#: match that begins at the same word of the reference (-1: none).
HYP, HYP_END, REF, REF_END, GAIN, DISTANCE, BITS, MORE_BITS, MODULE, NEXT = range(10)

COLUMNS = 10

# Two beams in one array, the current and the next. By rank: the keys of paths, and the slots of their other fields. By
# slot: the next free word of the reference and the end of the open chunk in the hypothesis (0: none is open, else plus
# one), as one number. Then, by slot, the used words of the hypothesis as blocks of 64 bits, and one block that stays
# empty. Last, for each step with a choice, the origin of each path: its slot, and its match.
_KEY, _SLOT, _STATE, _USED = 0, 2 * BEAM, 4 * BEAM, 6 * BEAM

_UPTO = 16  # bits of a state below those of the word of the reference

_END = (1 << _UPTO) - 1

_CAME = 6  # bits of an origin below those of the match

Columns = NDArray[np.int64]

Flags = NDArray[np.bool_]


@array_part
def beams(longest: int) -> Columns:
    """Allocate the arrays of the search through texts of at most `longest` words."""
    return np.zeros(_USED + 2 * BEAM * (longest // 64 + 2) + BEAM * longest, dtype=np.int64)


@part
def _step(pool: Columns, head: int, end: int) -> int:
    """Return the change of a path's key at a word without a choice, if its chunk ends before `end`."""
    if head < 0:
        return _CHUNK if end else 0
    return int(pool[head + DISTANCE] - pool[head + GAIN] + (_CHUNK if end and end != pool[head + HYP] + 1 else 0))


@part
def _pass(beam: Columns, pool: Columns, side: int, size: int, current: int, head: int, after: int) -> bool:
    """Move every path past a word of the reference without a choice: `head` is taken, -1 means none.

    Paths stay in their slots, and are sorted meanwhile. Returns whether all of them are then in state `after`.
    """
    all_after = True
    for rank in range(size):
        key, slot = beam[_KEY + side + rank], beam[_SLOT + side + rank]
        state = beam[_STATE + slot]
        if state >> _UPTO > current:  # inside a match that it took before
            all_after = False
        else:
            key += _step(pool, head, state & _END)
            beam[_STATE + slot] = after
        at = _KEY + side + rank
        while at > _KEY + side and beam[at - 1] > key:
            beam[at], beam[at + _SLOT] = beam[at - 1], beam[at + _SLOT - 1]
            at -= 1
        beam[at], beam[at + _SLOT] = key, slot
    return all_after


@part
def _rank(beam: Columns, other: int, grown: int, new: int) -> int:
    """Insert a new key after all that are not greater, and return its slot: -1 if the beam is full."""
    at, slot = _KEY + other + grown, other + grown
    if grown == BEAM:
        at -= 1
        if new >= beam[at]:
            return -1
        slot = beam[at + _SLOT]
    while at > _KEY + other and beam[at - 1] > new:
        beam[at], beam[at + _SLOT] = beam[at - 1], beam[at + _SLOT - 1]
        at -= 1
    beam[at], beam[at + _SLOT] = new, slot
    return slot


@part
def _most(pool: Columns, match: int) -> int:
    """Return the largest reduction of a key by a match at one word of the reference."""
    most = 0
    while match >= 0:
        most = max(most, pool[match + GAIN])
        match = pool[match + NEXT]
    return most


@part
def _best(beam: Columns, side: int, size: int, common: int) -> tuple[int, int]:
    """Close open chunks after sorting the paths; among equal paths, one with an open chunk may come first."""
    best, last = -1, 0
    for rank in range(size):
        slot = beam[_SLOT + side + rank]
        state = beam[_STATE + slot] if common < 0 else common
        key = beam[_KEY + side + rank] + (_CHUNK if state & _END else 0)
        if best < 0 or key < best:
            best, last = key, slot - side
    return best, last


@part
def search(beam: Columns, pool: Columns, heads: Columns, fixed: Flags, n_hyp: int, n_ref: int) -> tuple[int, int, int]:
    """Choose among the matches that begin at each word of the reference (`heads`); `fixed` ones have no rival.

    Returns the number of chunks, and the arguments of `chosen`: the number of steps with a choice, and the path.
    """
    blocks = n_hyp // 64 + 1
    stride = blocks + 1
    origins = _USED + 2 * BEAM * stride
    side, size, steps = 0, 1, 0
    common, more = 0, 0  # the state of all paths if it is the same (-1: it is not); changes not in their keys yet
    beam[_KEY], beam[_SLOT] = _START, 0
    for block in range(blocks):
        beam[_USED + block] = 0
    for current in range(n_ref):
        head = heads[current]
        if head < 0 or fixed[current]:
            after = pool[head + REF_END] << _UPTO | (pool[head + HYP_END] + 1) if head >= 0 else 0
            if common < 0:
                common = after if _pass(beam, pool, side, size, current, head, after) else -1
            elif common >> _UPTO <= current:
                more += _step(pool, head, common & _END)
                common = after
            continue
        other, grown = BEAM - side, 0
        worst, most = _KEY + other + BEAM - 1, _most(pool, head)
        for rank in range(size):
            key, path = beam[_KEY + side + rank], beam[_SLOT + side + rank]
            if grown == BEAM and key - most >= beam[worst]:
                break  # neither this path nor a later one, whose key is not smaller, fits into the beam
            state, used = beam[_STATE + path] if common < 0 else common, _USED + path * stride
            end, ahead = state & _END, state >> _UPTO > current
            match, going = head, True
            while going:
                taken = -1
                if ahead:  # inside a match that it took before
                    new, after, going = key, state, False
                elif match >= 0:
                    taken, match = match, pool[match + NEXT]
                    at = used + (pool[taken + HYP] >> 6)
                    if beam[at] & pool[taken + BITS] or beam[at + 1] & pool[taken + MORE_BITS]:
                        continue
                    new = key - pool[taken + GAIN]
                    new += _CHUNK if end and end != pool[taken + HYP] + 1 else 0
                    after = pool[taken + REF_END] << _UPTO | (pool[taken + HYP_END] + 1)
                    key += pool[taken + DISTANCE]
                else:  # it skips the word, after it tried all matches
                    new, after, going = key + (_CHUNK if end else 0), 0, False
                slot = _rank(beam, other, grown, new)
                if slot < 0:
                    continue
                grown = min(grown + 1, BEAM)
                beam[_STATE + slot] = after
                beam[origins + steps * BEAM + slot - other] = (taken << _CAME) | (path - side)
                to = _USED + slot * stride
                for block in range(blocks):
                    beam[to + block] = beam[used + block]
                if taken >= 0:
                    at = to + (pool[taken + HYP] >> 6)
                    beam[at] |= pool[taken + BITS]
                    beam[at + 1] |= pool[taken + MORE_BITS]
        side, size, common = other, grown, -1
        steps += 1
    key, last = _best(beam, side, size, common)
    return ((key + more) & (TOTAL - 1)) // _CHUNK, steps, last


@part
def chosen(beam: Columns, n_hyp: int, step: int, path: int) -> tuple[int, int]:
    """Return the match that a path took in a step with a choice (-1: none), and the path before that step."""
    came = beam[_USED + 2 * BEAM * (n_hyp // 64 + 2) + step * BEAM + path]
    return came >> _CAME, came & ((1 << _CAME) - 1)
