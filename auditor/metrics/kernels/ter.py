"""Translation edits: edit distance after greedy block shifts, as tercom 0.8.0 and sacrebleu 2.6 count them.

Each round tries every shift, takes the one that brings the hypothesis nearest to the reference (then the longest block,
the first, the first target), and costs one edit; rounds end when none brings it nearer. A shift that cannot be the best
of its round is not tried: moving a block changes the distance by at most twice its length, or the way it goes, and no
shift changes how many words have no equal on the other side.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from auditor.metrics.kernels import edit_distance as distance
from auditor.metrics.kernels.columns import Sides, Texts
from auditor.metrics.kernels.edit_distance import Masks, Numbers, Words
from auditor.metrics.kernels.shifts import MOST, as_rotation, find_shifts

_THREADS = 2


class Edits(NamedTuple):
    """What each candidate needs to become its references.

    `edits` is the fewest, `nearest` the length of the reference that needs them (the longest of such), `rate` the mean
    over the references of edits a word (1 for a reference without words that needs some, 0 for one that needs none),
    `length` the words of all references, `references` their number.
    """

    edits: Numbers
    nearest: Numbers
    length: Numbers
    references: Numbers
    rate: NDArray[np.float64]


class _Desk(NamedTuple):
    """Room for one pair at a time, used again for the next."""

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
    found: NDArray[np.int64]


def edits(both: Sides, *, shifts: bool = True) -> Edits:
    """Count the edits of every candidate against each reference of its image but the one held out.

    Without `shifts` it is the edit distance inside the beam.
    """
    count = len(both.first)
    fewest, nearest, length, references = (np.zeros(count, np.int64) for _ in range(4))
    made = Edits(fewest, nearest, length, references, np.zeros(count, np.float64))
    edges = np.linspace(0, count, _THREADS + 1).astype(np.int64)
    longest = tuple(int(np.diff(side.starts).max(initial=0)) for side in (both.candidates, both.references))
    with ThreadPoolExecutor(_THREADS) as pool:
        parts = [
            pool.submit(_edits, both, shifts, first, last, _desk(*longest), made) for first, last in pairwise(edges)
        ]
        for part in parts:
            part.result()
    return made


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
        found=np.empty((MOST, 3), np.int64),
    )


@njit(cache=True, nogil=True)
def _edits(both: Sides, shifts: bool, first: int, last: int, desk: _Desk, made: Edits) -> None:
    for candidate in range(first, last):
        hyp = _text(both.candidates, candidate)
        fewest, nearest, length, count, rate = -1, 0, 0, 0, 0.0
        for reference in range(both.first[candidate], both.last[candidate]):
            if reference == both.held[candidate]:
                continue
            ref = _text(both.references, reference)
            needed = _edits_of_pair(hyp, ref, shifts, desk)
            if fewest < 0 or needed < fewest or (needed == fewest and len(ref) > nearest):
                fewest, nearest = needed, len(ref)
            rate += needed / len(ref) if len(ref) > 0 else min(needed, 1)
            length += len(ref)
            count += 1
        made.edits[candidate], made.nearest[candidate] = fewest, nearest
        made.length[candidate], made.references[candidate] = length, count
        made.rate[candidate] = rate / count


@njit(cache=True, nogil=True)
def _text(texts: Texts, at: int) -> Words:
    return texts.tokens[texts.starts[at] : texts.starts[at + 1]]


@njit(cache=True, nogil=True)
def _edits_of_pair(hyp: Words, ref: Words, shifts: bool, desk: _Desk) -> int:
    n_hyp, n_ref = len(hyp), len(ref)
    if n_hyp == 0 or n_ref == 0:
        return max(n_hyp, n_ref)
    desk.words[:n_hyp] = hyp
    if distance.is_whole(n_hyp, n_ref):
        return _edits_by_bits(desk.words[:n_hyp], ref, shifts, desk)
    return _edits_by_beam(desk.words[:n_hyp], ref, shifts, desk)


@njit(cache=True, nogil=True)
def _edits_by_bits(words: Words, ref: Words, shifts: bool, desk: _Desk) -> int:
    n_hyp, n_ref = len(words), len(ref)
    masks, bits, distances = desk.masks[:n_hyp], desk.bits, desk.distances
    distance.positions(words, ref, masks)
    distance.fill_bits(masks, 0, n_hyp, n_ref, bits, distances)
    if not shifts:
        return int(distances[n_hyp])
    least = _least_distance(masks, n_ref)
    shifted, tried = 0, 0
    while distances[n_hyp] > least:
        _clear(desk, n_hyp, n_ref)
        distance.align_bits(masks, n_hyp, n_ref, bits, desk.aligned, desk.hyp_errors, desk.ref_errors)
        _sum_up(desk, n_hyp, n_ref)
        count = find_shifts(words, ref, desk.aligned, desk.hyp_errors, desk.ref_errors, MOST - tried, desk.found)
        tried += count
        if tried >= MOST:
            break
        before = distances[n_hyp]
        best, gain = -1, 0
        for k in range(count):
            start, length, target = desk.found[k, 0], desk.found[k, 1], desk.found[k, 2]
            low, middle, high = as_rotation(start, length, target, n_hyp)
            wanted = gain if best >= 0 and _precedes(desk.found, k, best) else gain + 1
            if wanted > before - least or wanted > 2 * min(middle - low, high - middle):
                continue
            now = before - distance.rotated_by_bits(masks, low, middle, high, n_hyp, n_ref, bits, distances)
            if now >= wanted:
                best, gain = k, now
        if best < 0:
            break
        start, length, target = desk.found[best, 0], desk.found[best, 1], desk.found[best, 2]
        low, middle, high = as_rotation(start, length, target, n_hyp)
        _rotate(words, low, middle, high, desk.moved)
        _rotate(masks, low, middle, high, desk.moved_masks)
        distance.fill_bits(masks, low, n_hyp, n_ref, bits, distances)
        shifted += 1
    return int(shifted + distances[n_hyp])


@njit(cache=True, nogil=True)
def _edits_by_beam(words: Words, ref: Words, shifts: bool, desk: _Desk) -> int:
    n_hyp, n_ref = len(words), len(ref)
    lows, highs = desk.lows, desk.highs
    width = distance.bounds(n_hyp, n_ref, lows, highs)
    costs = np.empty((n_hyp + 1, width), np.int64)
    rows = np.empty((2, width), np.int64)
    before = distance.fill_beam(words, ref, 0, lows, highs, costs)
    shifted, tried = 0, 0
    while shifts and before > 0:
        _clear(desk, n_hyp, n_ref)
        distance.align_beam(words, ref, lows, highs, costs, desk.aligned, desk.hyp_errors, desk.ref_errors)
        _sum_up(desk, n_hyp, n_ref)
        count = find_shifts(words, ref, desk.aligned, desk.hyp_errors, desk.ref_errors, MOST - tried, desk.found)
        tried += count
        if tried >= MOST:
            break
        best, gain = -1, 0
        for k in range(count):
            start, length, target = desk.found[k, 0], desk.found[k, 1], desk.found[k, 2]
            low, middle, high = as_rotation(start, length, target, n_hyp)
            wanted = gain if best >= 0 and _precedes(desk.found, k, best) else gain + 1
            if middle in (low, high):
                continue
            limit = before - wanted
            now = before - distance.rotated_by_beam(words, ref, low, middle, high, limit, lows, highs, costs, rows)
            if now >= wanted:
                best, gain = k, now
        if best < 0:
            break
        start, length, target = desk.found[best, 0], desk.found[best, 1], desk.found[best, 2]
        low, middle, high = as_rotation(start, length, target, n_hyp)
        _rotate(words, low, middle, high, desk.moved)
        before = distance.fill_beam(words, ref, low, lows, highs, costs)
        shifted += 1
    return shifted + before


@njit(cache=True, nogil=True)
def _precedes(found: NDArray[np.int64], k: int, best: int) -> bool:
    """Say whether shift k wins where both gain the same: the longer block, the first, the first target."""
    if found[k, 1] != found[best, 1]:
        return bool(found[k, 1] > found[best, 1])
    if found[k, 0] != found[best, 0]:
        return bool(found[k, 0] < found[best, 0])
    return bool(found[k, 2] < found[best, 2])


@njit(cache=True, nogil=True)
def _least_distance(masks: Masks, n_ref: int) -> int:
    """Give the distance that no order of the words can get below: that of the bags of words."""
    used = np.uint64(0)
    equal = 0
    for mask in masks:
        free = mask & ~used
        if free:
            used |= free & (~free + np.uint64(1))
            equal += 1
    return max(len(masks), n_ref) - equal


@njit(cache=True, nogil=True)
def _clear(desk: _Desk, n_hyp: int, n_ref: int) -> None:
    desk.hyp_errors[: n_hyp + 1] = 0
    desk.ref_errors[: n_ref + 1] = 0


@njit(cache=True, nogil=True)
def _sum_up(desk: _Desk, n_hyp: int, n_ref: int) -> None:
    for i in range(n_hyp):
        desk.hyp_errors[i + 1] += desk.hyp_errors[i]
    for j in range(n_ref):
        desk.ref_errors[j + 1] += desk.ref_errors[j]


@njit(cache=True, nogil=True)
def _rotate(
    values: NDArray[np.unsignedinteger], low: int, middle: int, high: int, room: NDArray[np.unsignedinteger]
) -> None:
    """Let values low to middle and middle to high change places."""
    room[low:high] = values[low:high]
    values[low : low + high - middle] = room[middle:high]
    values[low + high - middle : high] = room[low:middle]
