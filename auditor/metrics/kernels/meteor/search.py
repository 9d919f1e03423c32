"""METEOR's beam search for an alignment: from the matches of two texts to those that it chooses.

Denkowski & Lavie 2014, section 2.1: cover the most words, then in the fewest chunks, then with the least distance. The
search is METEOR 1.5's to the letter, since every other, a better one too, changes scores: a beam of 40 paths, sorted
stably; weights that are not those of the score; matches of single words other than exact ones weigh nothing; a path
pays for the distance of the matches that were tried on it before it skips a word, never for those that it takes.

This is where METEOR spends its time, so functions take two flat arrays and numbers, and nothing that has to be taken
apart.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from auditor.compiled import part

BEAM = 40

#: The most words a text may have: what the keys of paths hold.
LONGEST = 4095

# A path's key sorts by total (descending), chunks, distance: 14, 13 and 36 bits.
_CHUNK = 1 << 36

TOTAL = 1 << 49

_START = (LONGEST + 1) * 2 * TOTAL

#: A pool of matches holds COLUMNS numbers for each, and a match is the place of its first. They are: where it begins
#: and ends in the hypothesis; where in the reference; what it takes off a path's key; how far its sides are apart; its
#: words of the hypothesis as bits, of the block of 64 in which it begins and of the next; its module; and the next
#: match that begins at the same word of the reference (-1: none).
HYP, HYP_END, REF, REF_END, GAIN, DISTANCE, BITS, MORE_BITS, MODULE, NEXT = range(10)

COLUMNS = 10

# Two beams in one array, the present and the next: by rank the keys of paths, and the slots in which the rest of them
# is; by slot the next free word of the reference and where the open chunk ends in the hypothesis (0: none is open, else
# one more), as one number. Then, by slot, the used words of the hypothesis as blocks of 64 bits, and one block that
# stays empty. Last, for each step that branched, whence each path came: from which slot, and by which match.
_KEY, _SLOT, _STATE, _USED = 0, 2 * BEAM, 4 * BEAM, 6 * BEAM

_UPTO = 16  # bits of a state below those of the word of the reference

_END = (1 << _UPTO) - 1

_CAME = 6  # bits of an origin below those of the match

Columns = NDArray[np.int64]

Flags = NDArray[np.bool_]


@part
def beams(longest: int) -> Columns:
    """Make room for the search through texts of at most `longest` words."""
    return np.zeros(_USED + 2 * BEAM * (longest // 64 + 2) + BEAM * longest, dtype=np.int64)


@part
def _step(pool: Columns, head: int, end: int) -> int:
    """Return what a path's key changes by at a word without a match to choose, where its chunk ends before `end`."""
    if head < 0:
        return _CHUNK if end else 0
    return int(pool[head + DISTANCE] - pool[head + GAIN] + (_CHUNK if end and end != pool[head + HYP] + 1 else 0))


@part
def _pass(beam: Columns, pool: Columns, side: int, size: int, current: int, head: int, after: int) -> bool:
    """Let every path go past a word of the reference that has no match to choose: `head` is taken, -1 is none.

    Paths stay in their slots, and are sorted on the way. Tells whether all of them are in state `after` then.
    """
    alike = True
    for rank in range(size):
        key, slot = beam[_KEY + side + rank], beam[_SLOT + side + rank]
        state = beam[_STATE + slot]
        if state >> _UPTO > current:  # within a match that it took before
            alike = False
        else:
            key += _step(pool, head, state & _END)
            beam[_STATE + slot] = after
        at = _KEY + side + rank
        while at > _KEY + side and beam[at - 1] > key:
            beam[at], beam[at + _SLOT] = beam[at - 1], beam[at + _SLOT - 1]
            at -= 1
        beam[at], beam[at + _SLOT] = key, slot
    return alike


@part
def _rank(beam: Columns, other: int, grown: int, new: int) -> int:
    """Rank a new key after all that are not greater, and give the slot that it takes: -1 where the beam has no room."""
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
    """Return the most that a match at one word of the reference takes off a key."""
    most = 0
    while match >= 0:
        most = max(most, pool[match + GAIN])
        match = pool[match + NEXT]
    return most


@part
def _best(beam: Columns, side: int, size: int, alike: int) -> tuple[int, int]:
    """Close open chunks, after the paths were sorted: of equal ones the one that was open may come first."""
    best, last = -1, 0
    for rank in range(size):
        slot = beam[_SLOT + side + rank]
        state = beam[_STATE + slot] if alike < 0 else alike
        key = beam[_KEY + side + rank] + (_CHUNK if state & _END else 0)
        if best < 0 or key < best:
            best, last = key, slot - side
    return best, last


@part
def search(beam: Columns, pool: Columns, heads: Columns, fixed: Flags, n_hyp: int, n_ref: int) -> tuple[int, int, int]:
    """Choose among the matches that begin at each word of the reference (`heads`); `fixed` are the only ones there.

    Gives the number of chunks, and what `chosen` asks for: the number of steps that branched, and the path.
    """
    blocks = n_hyp // 64 + 1
    stride = blocks + 1
    origins = _USED + 2 * BEAM * stride
    side, size, steps = 0, 1, 0
    alike, more = 0, 0  # the state of all paths where it is the same (-1: it is not); what is not in their keys yet
    beam[_KEY], beam[_SLOT] = _START, 0
    for block in range(blocks):
        beam[_USED + block] = 0
    for current in range(n_ref):
        head = heads[current]
        if head < 0 or fixed[current]:
            after = pool[head + REF_END] << _UPTO | (pool[head + HYP_END] + 1) if head >= 0 else 0
            if alike < 0:
                alike = after if _pass(beam, pool, side, size, current, head, after) else -1
            elif alike >> _UPTO <= current:
                more += _step(pool, head, alike & _END)
                alike = after
            continue
        other, grown = BEAM - side, 0
        worst, most = _KEY + other + BEAM - 1, _most(pool, head)
        for rank in range(size):
            key, path = beam[_KEY + side + rank], beam[_SLOT + side + rank]
            if grown == BEAM and key - most >= beam[worst]:
                break  # neither this path nor one after it, whose keys are no less, can come in any more
            state, used = beam[_STATE + path] if alike < 0 else alike, _USED + path * stride
            end, ahead = state & _END, state >> _UPTO > current
            match, going = head, True
            while going:
                taken = -1
                if ahead:  # within a match that it took before
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
                else:  # it skips the word, after it tried everything else
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
        side, size, alike = other, grown, -1
        steps += 1
    key, last = _best(beam, side, size, alike)
    return ((key + more) & (TOTAL - 1)) // _CHUNK, steps, last


@part
def chosen(beam: Columns, n_hyp: int, step: int, path: int) -> tuple[int, int]:
    """Return the match that a path took in a step that branched (-1: none), and the path as it was before."""
    came = beam[_USED + 2 * BEAM * (n_hyp // 64 + 2) + step * BEAM + path]
    return came >> _CAME, came & ((1 << _CAME) - 1)
