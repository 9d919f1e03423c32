"""Matches of n-grams, of characters or words, between candidates and each of their references (Popović 2015).

Every position in a text has a key: the following symbols, as many as the longest gram has, in one or two 64-bit
numbers, with 0 after the end of the text. The positions in all texts of an image are sorted once. Positions with the
same gram are then adjacent, for every n. Longer grams are searched among the positions that share a shorter one, whose
number decreases.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from auditor.compiled import compiled, part
from auditor.metrics.kernels.columns import Sides, Texts, in_parts, offsets

_RUN = 12  # positions that are sorted by insertion, before runs are merged

_REST = 3  # bits of a position's mark below those of its text: how many symbols follow, up to the longest gram

Places = NDArray[np.int64]

Counts = NDArray[np.uint32]

Keys = NDArray[np.uint64]

Table = NDArray[np.uint32]  # of two dimensions


def lengths(texts: Texts, parts: Texts) -> Counts:
    """Return how many symbols each text has; text t of `parts` has the symbols of token t."""
    ends = offsets(np.diff(parts.starts)[texts.tokens])
    return np.diff(ends[texts.starts]).astype(np.uint32)


def matches(both: Sides, parts: Texts, most: int) -> Table:
    """Count, for n = 1 to `most` (6 or less), the n-grams that candidate and reference share, clipped.

    Returns a row for each n, with the pairs of `meetings(both)`. Text t of `parts` has the symbols of token t, each
    less than 2 ** 21, or less than 2 ** 32 if `most` is 2.
    """
    starts = offsets(both.last - both.first - (both.held >= 0))
    matched = np.zeros((most, starts[-1]), np.uint32)
    step = int(parts.tokens.max(initial=0) + 1).bit_length()  # symbols count from 1: 0 is what follows a text
    ours, theirs = (lengths(side, parts).astype(np.int64) for side in (both.candidates, both.references))
    in_parts(
        len(both.first),
        lambda first, last: _count(
            both.candidates.tokens, both.candidates.starts, both.references.tokens, both.references.starts,
            both.first, both.last, both.held, parts.tokens, parts.starts, ours, theirs, starts, first, last, step,
            matched,
        ),
    )  # fmt: skip
    return matched


@compiled
def _count(
    tokens: Counts, token_starts: Places, their_tokens: Counts, their_starts: Places, first_of: Places, last_of: Places,
    held_of: Places, parts: Counts, part_starts: Places, lengths: Places, their_lengths: Places, pairs: Places,
    begin: int, finish: int, step: int, matched: Table,
) -> None:  # fmt: skip
    """Count for candidates begin to finish - 1, image by image, as these share their references."""
    most = len(matched)
    room, texts = 0, 0
    keys, marks = np.empty((4, room), np.uint64), np.empty((2, room), np.int64)
    owner, count, touched = np.empty(texts, np.int64), np.empty(texts, np.int64), np.empty(texts, np.int64)
    until = begin
    while until < finish:
        some, first, last = until, first_of[until], last_of[until]
        size = 0
        for reference in range(first, last):
            size += their_lengths[reference]
        while until < finish and first_of[until] == first and last_of[until] == last:
            size += lengths[until]
            until += 1
        references = last - first
        if size > room:
            room = 2 * size
            keys, marks = np.empty((4, room), np.uint64), np.empty((2, room), np.int64)
        if references + until - some > texts:
            texts = 2 * (references + until - some)
            owner, count = np.empty(texts, np.int64), np.zeros(texts, np.int64)
            touched = np.empty(texts, np.int64)
        at = 0
        for text in range(references):
            owner[text] = -1
            at = _spell(
                their_tokens, their_starts[first + text], their_starts[first + text + 1], parts, part_starts, text,
                step, most, keys, marks, at,
            )  # fmt: skip
        for candidate in range(some, until):
            held = held_of[candidate] - first
            text = references + candidate - some
            if held >= 0 and owner[held] < 0 and _is_same(
                tokens, token_starts[candidate], token_starts[candidate + 1],
                their_tokens, their_starts[first + held], their_starts[first + held + 1],
            ):  # fmt: skip
                owner[held], owner[text] = candidate, -1
                continue
            owner[text] = candidate
            at = _spell(
                tokens, token_starts[candidate], token_starts[candidate + 1], parts, part_starts, text, step, most,
                keys, marks, at,
            )  # fmt: skip
        side = _sort(keys, marks, at)
        for n in range(1, most + 1):
            at = _share(
                keys[2 * side], keys[2 * side + 1], marks[side], at, n, step, references, first, owner, held_of, pairs,
                count, touched, matched[n - 1],
            )  # fmt: skip


@part
def _is_same(ours: Counts, first: int, last: int, theirs: Counts, their_first: int, their_last: int) -> bool:
    at = 0
    while first + at < last and their_first + at < their_last and ours[first + at] == theirs[their_first + at]:
        at += 1
    return first + at == last and their_first + at == their_last


@part
def _mask(symbols: int, step: int) -> np.uint64:
    """Return the mask of the first symbols of a key."""
    return ~np.uint64(0) << np.uint64(64 - symbols * step) if symbols > 0 else np.uint64(0)


@part
def _spell(
    tokens: Counts, first: int, last: int, parts: Counts, part_starts: Places, text: int, step: int, most: int,
    keys: Keys, marks: Places, at: int,
) -> int:  # fmt: skip
    """Append the positions of a text, from the last to the first: each key is the next key, shifted by a symbol."""
    held = min(most, 64 // step)
    shift, top = np.uint64(step), np.uint64(64 - step)
    mask, more = _mask(held, step), _mask(most - held, step)
    key, rest, following = np.uint64(0), np.uint64(0), 0
    for position in range(last - 1, first - 1, -1):
        token = tokens[position]
        for symbol in range(part_starts[token + 1] - 1, part_starts[token] - 1, -1):
            if more:
                rest = (rest >> shift | (key >> np.uint64(64 - held * step)) << top) & more
            key = (key >> shift | (np.uint64(parts[symbol]) + np.uint64(1)) << top) & mask
            following = min(following + 1, most)
            keys[0, at], keys[1, at], marks[0, at] = key, rest, text << _REST | following
            at += 1
    return at


@part
def _sort(keys: Keys, marks: Places, size: int) -> int:
    """Sort positions by key; return the half of the rows that they are in afterward."""
    for begin in range(0, size, _RUN):
        for item in range(begin + 1, min(begin + _RUN, size)):
            key, rest, mark, at = keys[0, item], keys[1, item], marks[0, item], item
            while at > begin and (keys[0, at - 1] > key or (keys[0, at - 1] == key and keys[1, at - 1] > rest)):
                keys[0, at], keys[1, at], marks[0, at] = keys[0, at - 1], keys[1, at - 1], marks[0, at - 1]
                at -= 1
            keys[0, at], keys[1, at], marks[0, at] = key, rest, mark
    side, width = 0, _RUN
    while width < size:
        here, there = 2 * side, 2 - 2 * side
        for begin in range(0, size, 2 * width):
            left, middle, end = begin, min(begin + width, size), min(begin + 2 * width, size)
            right = middle
            for to in range(begin, end):
                item, other = keys[here, min(left, middle - 1)], keys[here, min(right, end - 1)]
                earlier = item < other or (
                    item == other and keys[here + 1, left] <= keys[here + 1, min(right, end - 1)]
                )
                taken = left if left < middle and (right == end or earlier) else right
                left, right = left + (taken == left), right + (taken == right)
                keys[there, to], keys[there + 1, to] = keys[here, taken], keys[here + 1, taken]
                marks[1 - side, to] = marks[side, taken]
        side, width = 1 - side, 2 * width
    return side


@part
def _share(
    keys: Keys, rests: Keys, marks: Places, size: int, n: int, step: int, references: int, first: int, owner: Places,
    held_of: Places, pairs: Places, count: Places, touched: Places, matched: Counts,
) -> int:  # fmt: skip
    """Count the n-grams that texts share, and keep their positions in order; return the number of positions."""
    held = 64 // step
    mask, more = _mask(min(n, held), step), _mask(n - held, step)
    kept, begin = 0, 0
    while begin < size:
        key, rest, end = keys[begin] & mask, rests[begin] & more, begin + 1
        while end < size and keys[end] & mask == key and rests[end] & more == rest:
            end += 1
        several = 0
        if end - begin > 1:
            for at in range(begin, end):
                if marks[at] & ((1 << _REST) - 1) >= n:
                    text = marks[at] >> _REST
                    if count[text] == 0:
                        touched[several] = text
                        several += 1
                    count[text] += 1
        if several > 1:
            for number in range(several):
                candidate = owner[touched[number]]
                if candidate >= 0:
                    held_out, ours, to = held_of[candidate] - first, count[touched[number]], pairs[candidate]
                    for other in range(several):
                        text = touched[other]
                        if text < references and text != held_out:
                            matched[to + text - (0 <= held_out < text)] += min(ours, count[text])
            for at in range(begin, end):
                keys[kept], rests[kept], marks[kept] = keys[at], rests[at], marks[at]
                kept += 1
        for number in range(several):
            count[touched[number]] = 0
        begin = end
    return kept
