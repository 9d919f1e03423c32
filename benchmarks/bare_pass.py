"""One plain pass over token arrays that scores every caption against the others of its image, as `auditor score` does.

What the work costs where nothing is stored, joined or written: one thread, images one after another, n-grams counted in
open-addressing tables. Texts are flat: caption c is `tokens[captions[c]:captions[c + 1]]`, image i holds captions
`images[i]` to `images[i + 1] - 1`. ROUGE reads words of its own, which are laid out in the same way.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from bare_subsequences import WEIGHT, Board, pooled_f, subsequences
from numba import njit
from numpy.typing import NDArray

METRICS = (
    *("bleu-1", "bleu-2", "bleu-3", "bleu-4", "rouge-1", "rouge-2", "rouge-l", "rouge-w-1.2", "rouge-su4"),
    *("cider", "cider-d"),
)
_SIGMA, _GAP = 6.0, 5  # CIDEr-D's width in bigrams; SU4's widest step


class Table(NamedTuple):
    """What units (n-grams, words, pairs of words) of one image are counted in.

    `keys`, `rows` and `epochs` are an open-addressing table; entries of earlier epochs count as free, so that nothing
    is cleared. `distinct` is the unit of each row, `counts` what each row counts, a place for every caption.
    """

    units: NDArray[np.uint64]
    owners: NDArray[np.int32]
    keys: NDArray[np.uint64]
    rows: NDArray[np.int32]
    epochs: NDArray[np.int64]
    distinct: NDArray[np.uint64]
    row_of: NDArray[np.int32]
    counts: NDArray[np.int32]
    holders: NDArray[np.int32]


@njit
def mix(key):
    """Spread a 64-bit key over its low bits."""
    mixed = key ^ (key >> np.uint64(32))
    mixed *= np.uint64(0x9E3779B97F4A7C15)
    return mixed ^ (mixed >> np.uint64(29))


@njit
def pair(left, right):
    """Make one unit of two of 32 bits."""
    return (np.uint64(left) << np.uint64(32)) | np.uint64(right)


@njit
def _place(keys, key):
    """Find where a key is, or would be, in a table whose free places hold 0."""
    mask = np.uint64(keys.size - 1)
    at = mix(key) & mask
    while keys[at] != 0 and keys[at] != key:
        at = (at + np.uint64(1)) & mask
    return at


@njit
def _grown(keys, numbers):
    """Move a table into one of twice the size."""
    wider, moved = np.zeros(2 * keys.size, np.uint64), np.zeros(2 * keys.size, np.uint32)
    for old in range(keys.size):
        if keys[old] != 0:
            at = _place(wider, keys[old])
            wider[at], moved[at] = keys[old], numbers[old]
    return wider, moved


@njit
def frequency(images, captions, tokens, shorter, n):
    """Give each n-gram of order n a number from 1 on, by the number of what precedes the last token (`shorter`).

    Gives the number at each position (0 where a caption ends before) and, for each number, how many images hold it.
    """
    keys, numbers = np.zeros(1 << 16, np.uint64), np.zeros(1 << 16, np.uint32)
    grams = np.zeros(tokens.size, np.uint32)
    held, seen = np.zeros(tokens.size + 1, np.int32), np.zeros(tokens.size + 1, np.int32)
    count = 0
    for image in range(images.size - 1):
        for caption in range(images[image], images[image + 1]):
            for at in range(captions[caption], captions[caption + 1] - n + 1):
                key = pair(shorter[at] if n > 1 else 0, tokens[at + n - 1])
                place = _place(keys, key)
                if keys[place] == 0:
                    count += 1
                    keys[place], numbers[place] = key, count
                number = numbers[place]
                if 2 * count > keys.size:
                    keys, numbers = _grown(keys, numbers)
                grams[at] = number
                if seen[number] != image + 1:
                    seen[number] = image + 1
                    held[number] += 1
    return grams, held[: count + 1]


@njit
def _tally(table, total, width):
    """Count the first `total` units by their owners, of which there are `width`; give how many differ."""
    epoch = table.epochs[-1] + 1
    table.epochs[-1] = epoch
    size = 16
    while size < 2 * total:
        size *= 2
    mask = np.uint64(size - 1)
    found = 0
    for unit in range(total):
        key = table.units[unit]
        at = mix(key) & mask
        while table.epochs[at] == epoch and table.keys[at] != key:
            at = (at + np.uint64(1)) & mask
        if table.epochs[at] != epoch:
            table.epochs[at], table.keys[at], table.rows[at], table.distinct[found] = epoch, key, found, key
            table.counts[found * width : (found + 1) * width] = 0
            found += 1
        table.row_of[unit] = table.rows[at]
        table.counts[table.rows[at] * width + table.owners[unit]] += 1
    return found


@njit
def _holders(table, row, width):
    """List who has the unit of a row, and say how many they are."""
    found = 0
    for owner in range(width):
        if table.counts[row * width + owner] > 0:
            table.holders[found] = owner
            found += 1
    return found


@njit
def _clipped(table, rows, width, matches):
    """Clip each count by the highest that any other has of it, and sum by owner (Papineni et al. 2002)."""
    counts, holders = table.counts, table.holders
    matches[:] = 0
    for row in range(rows):
        found = _holders(table, row, width)
        if found < 2:
            continue
        first = second = 0
        for k in range(found):
            tf = counts[row * width + holders[k]]
            if tf > first:
                first, second = tf, first
            elif tf > second:
                second = tf
        for k in range(found):
            tf = counts[row * width + holders[k]]
            matches[holders[k]] += min(tf, second if tf == first else first)


@njit
def _pooled(table, rows, width, hits):
    """Sum what each shares with every other, clipped pair by pair (Lin 2004)."""
    counts, holders = table.counts, table.holders
    hits[:] = 0
    for row in range(rows):
        found = _holders(table, row, width)
        for k in range(found):
            for other in range(k + 1, found):
                common = min(counts[row * width + holders[k]], counts[row * width + holders[other]])
                hits[holders[k]] += common
                hits[holders[other]] += common


@njit
def _cosines(table, rows, width, idf, lengths, out):
    """Add the cosines of one order to columns 9 (CIDEr) and 10 (CIDEr-D) of `out` (Vedantam et al. 2015)."""
    counts, holders = table.counts, table.holders
    dots, clipped, norms = np.zeros(width * width), np.zeros(width * width), np.zeros(width)
    for row in range(rows):
        found = _holders(table, row, width)
        square = idf[table.distinct[row]] ** 2
        for k in range(found):
            mine, tf = holders[k], counts[row * width + holders[k]]
            norms[mine] += tf * tf * square
            for other in range(k + 1, found):
                theirs, reference = holders[other], counts[row * width + holders[other]]
                common = min(tf, reference) * square
                dots[mine * width + theirs] += tf * reference * square
                clipped[mine * width + theirs] += common * reference
                clipped[theirs * width + mine] += common * tf
    for mine in range(width):
        for theirs in range(mine + 1, width):
            if dots[mine * width + theirs] > 0:
                unit = 1 / (math.sqrt(norms[mine] * norms[theirs]) * 4 * (width - 1))
                apart = max(lengths[mine] - 1, 0) - max(lengths[theirs] - 1, 0)
                penalty = math.exp(-(apart * apart) / (2 * _SIGMA * _SIGMA))
                for a, b in ((mine, theirs), (theirs, mine)):
                    out[a, 9] += dots[mine * width + theirs] * unit
                    out[a, 10] += clipped[a * width + b] * unit * penalty


@njit
def _bleu(matches, lengths, out):
    """Write BLEU-1 to 4 of one image's captions: columns 0 to 3 (smoothing: Wang & Gaizauskas 2016, footnote 4)."""
    for mine in range(lengths.size):
        length = lengths[mine]
        if length == 0:
            continue
        closest = -1
        for other in range(lengths.size):
            near, best = abs(lengths[other] - length), abs(closest - length)
            if other != mine and (closest < 0 or near < best or (near == best and lengths[other] < closest)):
                closest = lengths[other]
        penalty = min(0.0, 1 - closest / length)
        logs, smoothing = 0.0, 1.0
        for n in range(1, 5):
            total = max(length - n + 1, 1)
            if matches[n - 1, mine] == 0:
                smoothing *= 2
                logs -= math.log(smoothing * total)
            else:
                logs += math.log(matches[n - 1, mine] / total)
            out[mine, n - 1] = math.exp(logs / n + penalty)


@njit
def _score_tokens(captions, grams, idfs, table, out):
    """Write BLEU, CIDEr and CIDEr-D of one image's captions."""
    width = captions.size - 1
    lengths, matches = np.diff(captions), np.empty((4, width), np.int64)
    for n in range(4):
        total = 0
        for caption in range(width):
            for at in range(captions[caption], captions[caption + 1] - n):
                table.units[total], table.owners[total] = grams[n][at], caption
                total += 1
        rows = _tally(table, total, width)
        _clipped(table, rows, width, matches[n])
        _cosines(table, rows, width, idfs[n], lengths, out)
    _bleu(matches, lengths, out)


@njit
def _score_words(starts, words, table, board, out):
    """Write ROUGE-SU4, ROUGE-2, ROUGE-1, ROUGE-L and ROUGE-W of one image's captions."""
    width = starts.size - 1
    lengths, hits, totals = np.diff(starts), np.empty(width, np.int64), np.zeros(width, np.int64)
    total = 0
    for caption in range(width):
        before = total
        for at in range(starts[caption], starts[caption + 1] - 1):  # the last word starts nothing, says the script
            table.units[total], table.owners[total] = words[at], caption
            total += 1
            for to in range(at + 1, min(at + _GAP + 1, starts[caption + 1])):
                table.units[total], table.owners[total] = pair(words[at], words[to]), caption
                total += 1
        totals[caption] = total - before
    _pooled(table, _tally(table, total, width), width, hits)
    pooled_f(hits, totals, out, 8)
    for order in (2, 1):  # ROUGE-1 comes last, since subsequences are of its rows
        total = 0
        for caption in range(width):
            for at in range(starts[caption], starts[caption + 1] - order + 1):
                table.units[total] = pair(words[at], words[at + 1]) if order == 2 else words[at]
                table.owners[total] = caption
                total += 1
        _pooled(table, _tally(table, total, width), width, hits)
        pooled_f(hits, np.maximum(lengths - order + 1, 0), out, 3 + order)
    subsequences(table.row_of, starts - starts[0], board, out)


@njit
def scores(images, captions, grams, idfs, starts, words):
    """Score every caption: one row each, one column for each of `METRICS`; NaN where it has no reference.

    `grams` and `idfs` are by order what `frequency` numbers, and its idf; `starts` and `words` what ROUGE reads.
    """
    most = max(np.diff(captions[images]).max(), np.diff(starts[images]).max())
    longest = max(np.diff(captions).max(), np.diff(starts).max()) + 1
    widest = np.diff(images).max()
    room = most * (_GAP + 1)
    size = 16
    while size < 2 * room:
        size *= 2
    table = Table(
        *(np.empty(room, np.uint64), np.empty(room, np.int32)),
        *(np.empty(size, np.uint64), np.empty(size, np.int32), np.zeros(size + 1, np.int64)),
        *(np.empty(room, np.uint64), np.empty(room, np.int32), np.empty(room * widest, np.int32)),
        np.empty(widest, np.int32),
    )
    board = Board(
        *(np.zeros(room, np.uint64), np.empty(longest, np.int64), np.arange(longest + 1) ** WEIGHT),
        *(np.zeros((longest, longest)), np.zeros((longest, longest), np.int64), np.empty(longest, np.bool_)),
    )
    out = np.full((captions.size - 1, 11), np.nan)
    for image in range(images.size - 1):
        first, last = images[image], images[image + 1]
        if last - first > 1:
            scored = out[first:last]
            scored[:] = 0
            _score_tokens(captions[first : last + 1], grams, idfs, table, scored)
            _score_words(starts[first : last + 1], words, table, board, scored)
    return out
