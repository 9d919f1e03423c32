"""Translation edits: edit distance after greedy block shifts, as in tercom 0.8.0 and sacrebleu 2.6.

Each round tries every shift, selects the one that brings the hypothesis nearest to the reference (then the longest
block, the first, the first target), and costs one edit. Rounds end when no shift brings it nearer. A shift that cannot
be the best of its round is not tried: a block changes the distance by at most twice its length, or by the distance that
it moves, and shifts do not change the number of words without an equal on the other side.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from auditor.compiled import array_part, compiled, part
from auditor.metrics.kernels import edit_distance as distance
from auditor.metrics.kernels.columns import Meetings, Sides, Texts, in_parts
from auditor.metrics.kernels.edit_distance import Masks, Numbers, Table, Words
from auditor.metrics.kernels.shifts import MOST, as_rotation, find_shifts


class _Desk(NamedTuple):
    """Buffers for one pair, reused for the next."""

    words: Words
    masks: Masks
    moved: Words
    moved_masks: Masks
    bits: Masks
    distances: Numbers
    aligned: Numbers
    hyp_errors: Numbers
    ref_errors: Numbers
    lows: Numbers
    highs: Numbers
    matched: Table
    none: Table


def edits(both: Sides, met: Meetings, *, shifts: bool = True) -> Numbers:
    """Count the edits that turn the candidate of every pair into its reference.

    Without `shifts` it is the edit distance inside the beam.
    """
    needed = np.empty(len(met.candidate), np.int64)
    longest = tuple(int(np.diff(side.starts).max(initial=0)) for side in (both.candidates, both.references))
    in_parts(len(needed), lambda first, last: _edits(both, met, shifts, first, last, _desk(*longest), needed))
    return needed


def _desk(n_hyp: int, n_ref: int) -> _Desk:
    return _Desk(
        words=np.empty(n_hyp, np.uint32),
        masks=np.empty(n_hyp, np.uint64),
        moved=np.empty(n_hyp, np.uint32),
        moved_masks=np.empty(n_hyp, np.uint64),
        bits=np.empty((n_hyp + 1, 4), np.uint64),
        distances=np.empty(n_hyp + 1, np.int64),
        aligned=np.empty(n_ref, np.int64),
        hyp_errors=np.empty(n_hyp + 1, np.int64),
        ref_errors=np.empty(n_ref + 1, np.int64),
        lows=np.empty(n_hyp + 1, np.int64),
        highs=np.empty(n_hyp + 1, np.int64),
        matched=np.empty((MOST, 3), np.int64),
        none=np.empty((0, 0), np.int64),
    )


@compiled
def _edits(both: Sides, met: Meetings, shifts: bool, first: int, last: int, desk: _Desk, needed: Numbers) -> None:
    for at in range(first, last):
        hyp, ref = _text(both.candidates, met.candidate[at]), _text(both.references, met.reference[at])
        needed[at] = _edits_of_pair(hyp, ref, shifts, desk)


@array_part
def _text(texts: Texts, at: int) -> Words:
    return texts.tokens[texts.starts[at] : texts.starts[at + 1]]


@array_part
def _edits_of_pair(hyp: Words, ref: Words, shifts: bool, desk: _Desk) -> int:
    n_hyp, n_ref = len(hyp), len(ref)
    if n_hyp == 0 or n_ref == 0:
        return max(n_hyp, n_ref)
    words, masks = desk.words[:n_hyp], desk.masks[:n_hyp]
    for i in range(n_hyp):
        words[i] = hyp[i]
    whole, masked = distance.is_whole(n_hyp, n_ref), n_ref <= distance.BITS
    costs, rows, least = desk.none, desk.none, 0
    if masked:
        distance.positions(words, ref, masks)
        least = _least_distance(masks, n_ref)
    if not whole:
        width = distance.bounds(n_hyp, n_ref, desk.lows, desk.highs)
        costs, rows = np.empty((n_hyp + 1, width), np.int64), np.empty((2, width), np.int64)
    now = _fill(whole, masked, words, masks, ref, 0, desk, costs)
    shifted, tried = 0, 0
    while shifts and now > least:
        _align(whole, words, masks, ref, desk, costs)
        count = find_shifts(
            words, ref, masked, masks, desk.aligned, desk.hyp_errors, desk.ref_errors, MOST - tried, desk.matched
        )
        tried += count
        if tried >= MOST:
            break
        best = _best_shift(whole, masked, words, masks, ref, count, now, least, desk, costs, rows)
        if best < 0:
            break
        low, middle, high = as_rotation(desk.matched[best], n_hyp)
        _rotate(words, masks, low, middle, high, desk)
        now = _fill(whole, masked, words, masks, ref, low, desk, costs)
        shifted += 1
    return int(shifted + now)


@part
def _best_shift(
    whole: bool,
    masked: bool,
    words: Words,
    masks: Masks,
    ref: Words,
    count: int,
    now: int,
    least: int,
    desk: _Desk,
    costs: Table,
    rows: Table,
) -> int:
    """Try the shifts in `desk.matched`, and return the position of the best; -1 if none brings the words nearer."""
    n_hyp, n_ref = len(words), len(ref)
    best, gain = -1, 0
    for k in range(count):
        low, middle, high = as_rotation(desk.matched[k], n_hyp)
        wanted = gain if best >= 0 and _precedes(desk.matched[k], desk.matched[best]) else gain + 1
        if middle in (low, high) or wanted > now - least:
            continue
        if whole and wanted > 2 * min(middle - low, high - middle):
            continue
        then = 0
        if masked:  # if the beam leaves cells out, this is the lower bound
            then = distance.rotated_by_bits(masks, low, middle, high, n_hyp, n_ref, desk.bits, desk.distances)
        if not whole and now - then >= wanted:
            limit = now - wanted
            then = distance.rotated_by_beam(words, ref, low, middle, high, limit, desk.lows, desk.highs, costs, rows)
        if now - then >= wanted:
            best, gain = k, now - then
    return best


@part
def _fill(
    whole: bool, masked: bool, words: Words, masks: Masks, ref: Words, start: int, desk: _Desk, costs: Table
) -> int:
    """Compute the table from row `start` + 1 on, and return the distance."""
    if masked:
        distance.fill_bits(masks, start, len(words), len(ref), desk.bits, desk.distances)
    if whole:
        return int(desk.distances[len(words)])
    return distance.fill_beam(words, ref, start, desk.lows, desk.highs, costs)


@part
def _align(whole: bool, words: Words, masks: Masks, ref: Words, desk: _Desk, costs: Table) -> None:
    """Align the words, and compute running sums of the errors."""
    aligned, hyp_errors, ref_errors = desk.aligned, desk.hyp_errors, desk.ref_errors
    if whole:
        distance.align_bits(masks, len(words), len(ref), desk.bits, aligned, hyp_errors, ref_errors)
    else:
        distance.align_beam(words, ref, desk.lows, desk.highs, costs, aligned, hyp_errors, ref_errors)
    hyp_errors[0] = ref_errors[0] = 0
    for i in range(len(words)):
        hyp_errors[i + 1] += hyp_errors[i]
    for j in range(len(ref)):
        ref_errors[j + 1] += ref_errors[j]


@part
def _precedes(shift: Numbers, best: Numbers) -> bool:
    """Return whether a shift wins over another with equal gain: by longer block, position, and target."""
    if shift[1] != best[1]:
        return bool(shift[1] > best[1])
    if shift[0] != best[0]:
        return bool(shift[0] < best[0])
    return bool(shift[2] < best[2])


@part
def _least_distance(masks: Masks, n_ref: int) -> int:
    """Return a lower bound of the distance for any order of the words: that of the bags of words."""
    used = np.uint64(0)
    equal = 0
    for mask in masks:
        free = mask & ~used
        if free:
            used |= free & (~free + np.uint64(1))
            equal += 1
    return max(len(masks), n_ref) - equal


@part
def _rotate(words: Words, masks: Masks, low: int, middle: int, high: int, desk: _Desk) -> None:
    """Swap words low to middle and middle to high, with their masks."""
    for i in range(low, high):
        desk.moved[i], desk.moved_masks[i] = words[i], masks[i]
    for i in range(low, high):
        come = i - low + middle if i < low + high - middle else i - (high - middle)
        words[i], masks[i] = desk.moved[come], desk.moved_masks[come]
