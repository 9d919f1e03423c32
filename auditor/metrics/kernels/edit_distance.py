"""Edit distance between a hypothesis and a reference, as TER needs it: with the alignment, and again after each shift.

Two methods compute the same numbers. If the beam contains the whole table and the reference fits into 64 bits, a row of
the table is two machine words of vertical differences and two of horizontal ones (Myers 1999; Hyyrö 2003). Otherwise
rows are costs inside the beam, as in tercom and sacrebleu.

Rows are hypothesis words, columns reference words: row i, column j is the distance of the first i to the first j.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from auditor.compiled import part

BEAM = 25  # columns on either side of the diagonal, as in sacrebleu

UNREACHED = 1 << 30

BITS = 64

_ONE = np.uint64(1)

_ALL = np.uint64(0xFFFFFFFFFFFFFFFF)

Words = NDArray[np.uint32]

Masks = NDArray[np.uint64]

Numbers = NDArray[np.int64]

Table = NDArray[np.int64]  # of two dimensions


@part
def beam_of(ratio: float) -> int:
    """Return the width of the beam; wider if a reference is so long that two rows would not overlap."""
    return math.ceil(ratio / 2 + BEAM) if ratio / 2 > BEAM else BEAM


@part
def is_whole(n_hyp: int, n_ref: int) -> bool:
    """Return whether the beam contains all cells of the table, and a row fits into 64 bits."""
    ratio = n_ref / n_hyp
    beam = beam_of(ratio)
    return n_ref <= BITS and math.floor(ratio) + beam > n_ref and math.floor(n_hyp * ratio) <= beam


@part
def positions(words: Words, ref: Words, masks: Masks) -> None:
    """Set bit j of masks[i] if hypothesis word i equals reference word j."""
    for i in range(len(words)):
        mask = np.uint64(0)
        for j in range(len(ref)):
            mask |= np.uint64(words[i] == ref[j]) << np.uint64(j)
        masks[i] = mask


@part
def _bits_of_row(mask: np.uint64, up: np.uint64, down: np.uint64) -> tuple[np.uint64, np.uint64, np.uint64, np.uint64]:
    """Compute a row from the vertical +1 and -1 of the row above: its own, and the horizontal ones between the two."""
    same = (((mask & up) + up) ^ up) | mask | down
    rises = down | ~(same | up)
    falls = same & up
    shifted = (rises << _ONE) | _ONE
    return (falls << _ONE) | ~(same | shifted), shifted & same, rises, falls


@part
def fill_bits(masks: Masks, start: int, n_hyp: int, n_ref: int, bits: Masks, distances: Numbers) -> None:
    """Compute rows start + 1 to n_hyp of the table.

    `bits` has four columns per row: vertical +1 and -1 (bit j: row i rises or falls from column j to j + 1), horizontal
    +1 and -1 (column j + 1 rises or falls from row i - 1 to i). `distances` is the last column.
    """
    last = np.uint64(n_ref - 1)
    if start == 0:
        bits[0, 0], bits[0, 1], distances[0] = _ALL, np.uint64(0), n_ref
    up, down, distance = bits[start, 0], bits[start, 1], distances[start]
    for i in range(start, n_hyp):
        up, down, rises, falls = _bits_of_row(masks[i], up, down)
        distance += np.int64((rises >> last) & _ONE) - np.int64((falls >> last) & _ONE)
        bits[i + 1, 2], bits[i + 1, 3] = rises, falls
        bits[i + 1, 0], bits[i + 1, 1], distances[i + 1] = up, down, distance


@part
def rotated_by_bits(
    masks: Masks, low: int, middle: int, high: int, n_hyp: int, n_ref: int, bits: Masks, distances: Numbers
) -> int:
    """Return the distance after words low to middle and middle to high are swapped."""
    last = np.uint64(n_ref - 1)
    up, down, distance = bits[low, 0], bits[low, 1], distances[low]
    for step in range(low, n_hyp):
        i = step
        if step < high:
            i = step - low + middle if step < low + high - middle else step - (high - middle)
        up, down, rises, falls = _bits_of_row(masks[i], up, down)
        distance += np.int64((rises >> last) & _ONE) - np.int64((falls >> last) & _ONE)
    return int(distance)


@part
def align_bits(
    masks: Masks, n_hyp: int, n_ref: int, bits: Masks, aligned: Numbers, hyp_errors: Numbers, ref_errors: Numbers
) -> None:
    """Walk back through the table; see `align_beam`."""
    i, j = n_hyp, n_ref
    while i > 0 or j > 0:
        if i > 0 and j > 0:
            bit = np.uint64(j - 1)
            equal = (masks[i - 1] >> bit) & _ONE != 0
            rise = np.int64((bits[i, 2] >> bit) & _ONE) - np.int64((bits[i, 3] >> bit) & _ONE)
            before = np.int64((bits[i - 1, 0] >> bit) & _ONE) - np.int64((bits[i - 1, 1] >> bit) & _ONE)
            if equal or rise + before == 1:
                i, j = i - 1, j - 1
                aligned[j] = i
                hyp_errors[i + 1] = ref_errors[j + 1] = 0 if equal else 1
                continue
            inserted = rise != 1
        else:
            inserted = i == 0
        if inserted:
            j -= 1
            aligned[j] = i - 1
            ref_errors[j + 1] = 1
        else:
            i -= 1
            hyp_errors[i + 1] = 1


@part
def bounds(n_hyp: int, n_ref: int, lows: Numbers, highs: Numbers) -> int:
    """Set the columns of each row in the beam (from, up to); return the most columns of a row."""
    ratio = n_ref / n_hyp
    beam = beam_of(ratio)
    widest = 0
    for i in range(1, n_hyp + 1):
        diagonal = math.floor(i * ratio)
        lows[i] = max(0, diagonal - beam)
        highs[i] = n_ref + 1 if i == n_hyp else min(n_ref + 1, diagonal + beam)
        widest = max(widest, highs[i] - lows[i])
    lows[0], highs[0] = max(0, lows[1] - 1), highs[1]  # row 0 is whole, but no other cell of it is read
    return int(max(widest, highs[0] - lows[0]))


@part
def _row(word: int, ref: Words, i: int, lows: Numbers, highs: Numbers, above: Numbers, row: Numbers) -> None:
    """Compute row i > 0 from the row above; each begins at the first column of its beam."""
    shift = lows[i] - lows[i - 1]
    width = highs[i - 1] - lows[i - 1]
    left = UNREACHED
    for k in range(highs[i] - lows[i]):
        j = lows[i] + k
        best = left + 1
        if k + shift < width:
            best = min(best, above[k + shift] + 1)
        if 0 < k + shift <= width:
            best = min(best, above[k + shift - 1] + (0 if word == ref[j - 1] else 1))
        row[k] = left = min(best, UNREACHED)


@part
def fill_beam(words: Words, ref: Words, start: int, lows: Numbers, highs: Numbers, costs: Table) -> int:
    """Compute rows start + 1 to the last of the table, and return the distance."""
    if start == 0:
        for j in range(lows[0], highs[0]):
            costs[0, j - lows[0]] = j
    for i in range(start + 1, len(words) + 1):
        _row(words[i - 1], ref, i, lows, highs, costs[i - 1], costs[i])
    return int(costs[len(words), len(ref) - lows[len(words)]])


@part
def rotated_by_beam(
    words: Words,
    ref: Words,
    low: int,
    middle: int,
    high: int,
    limit: int,
    lows: Numbers,
    highs: Numbers,
    costs: Table,
    rows: Table,
) -> int:
    """Return the distance after words low to middle and middle to high are swapped.

    If it is above `limit`, the result is any number above `limit`.
    """
    n_hyp, n_ref = len(words), len(ref)
    for k in range(highs[low] - lows[low]):
        rows[low % 2, k] = costs[low, k]
    for step in range(low, n_hyp):
        i = step
        if step < high:
            i = step - low + middle if step < low + high - middle else step - (high - middle)
        row = rows[(step + 1) % 2]
        _row(words[i], ref, step + 1, lows, highs, rows[step % 2], row)
        least = UNREACHED
        for k in range(highs[step + 1] - lows[step + 1]):
            rest = (n_hyp - step - 1) - (n_ref - lows[step + 1] - k)
            least = min(least, row[k] + abs(rest))
        if least > limit:
            return int(least)
    return int(rows[n_hyp % 2, n_ref - lows[n_hyp]])


@part
def align_beam(
    words: Words,
    ref: Words,
    lows: Numbers,
    highs: Numbers,
    costs: Table,
    aligned: Numbers,
    hyp_errors: Numbers,
    ref_errors: Numbers,
) -> None:
    """Walk back through the table: match or substitution first, then deletion, then insertion.

    `aligned[j]` is the hypothesis word of reference word j (-1: before the first); an inserted word has that of the
    word before it. `hyp_errors[i + 1]` and `ref_errors[j + 1]` are 1 if the word has no equal.
    """
    i, j = len(words), len(ref)
    while i > 0 or j > 0:
        inserted = i == 0
        if i > 0 and j > 0:
            wrong = 0 if words[i - 1] == ref[j - 1] else 1
            cost = costs[i, j - lows[i]]
            position, width = j - lows[i - 1], highs[i - 1] - lows[i - 1]
            if 0 < position <= width and costs[i - 1, position - 1] + wrong == cost:
                i, j = i - 1, j - 1
                aligned[j] = i
                hyp_errors[i + 1] = ref_errors[j + 1] = wrong
                continue
            inserted = not (0 <= position < width and costs[i - 1, position] + 1 == cost)
        if inserted:
            j -= 1
            aligned[j] = i - 1
            ref_errors[j + 1] = 1
        else:
            i -= 1
            hyp_errors[i + 1] = 1
