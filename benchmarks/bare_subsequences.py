"""Longest common subsequences of one image's captions: ROUGE-L and ROUGE-W of the bare pass, see `bare_pass.py`."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

WEIGHT = 1.2  # ROUGE-W's exponent


class Board(NamedTuple):
    """What subsequences are aligned on: bits of words, cells of one row, and ROUGE-W's weights, cells and runs."""

    masks: NDArray[np.uint64]
    cells: NDArray[np.int64]
    weights: NDArray[np.float64]
    weighted: NDArray[np.float64]
    runs: NDArray[np.int64]
    matched: NDArray[np.bool_]


@njit
def _common(row_of, a, b, board):
    """Length of the longest common subsequence of words `row_of[a[0]:a[1]]` and b: in bits, or cell by cell."""
    masks, cells = board.masks, board.cells
    if a[1] - a[0] <= 64:
        free = ~np.uint64(0)
        for at in range(a[0], a[1]):
            masks[row_of[at]] |= np.uint64(1) << np.uint64(at - a[0])
        for at in range(b[0], b[1]):
            hit = free & masks[row_of[at]]
            free = (free + hit) | (free - hit)
        length = 0
        for at in range(a[0], a[1]):
            masks[row_of[at]] = 0
            length += (free >> np.uint64(at - a[0])) & np.uint64(1) == 0
        return length
    cells[: b[1] - b[0] + 1] = 0
    for left in range(a[0], a[1]):
        diagonal = 0
        for right in range(b[0], b[1]):
            place = right - b[0] + 1
            above = cells[place]
            cells[place] = diagonal + 1 if row_of[left] == row_of[right] else max(above, cells[place - 1])
            diagonal = above
    return cells[b[1] - b[0]]


@njit
def _weighted(row_of, reference, candidate, board):
    """Hits of ROUGE-W as ROUGE-1.5.5 counts them: runs of matched words that stand side by side in the reference."""
    weights, cells, runs, matched = board.weights, board.weighted, board.runs, board.matched
    high, wide = reference[1] - reference[0], candidate[1] - candidate[0]
    for i in range(1, high + 1):
        word = row_of[reference[0] + i - 1]
        for j in range(1, wide + 1):
            if word == row_of[candidate[0] + j - 1]:
                run = runs[i - 1, j - 1]
                cells[i, j] = cells[i - 1, j - 1] + weights[run + 1] - weights[run]
                runs[i, j] = run + 1
            else:
                cells[i, j] = max(cells[i - 1, j], cells[i, j - 1])
                runs[i, j] = 0
    matched[: high + 1] = False
    i, j = high, wide
    while i > 0 and j > 0:
        if runs[i, j] > 0:
            matched[i - 1] = True
            i, j = i - 1, j - 1
        elif cells[i - 1, j] >= cells[i, j - 1]:
            i -= 1
        else:
            j -= 1
    hits, run = 0.0, 0
    for at in range(high + 1):
        if matched[at]:
            run += 1
        else:
            hits += weights[run]
            run = 0
    return hits


@njit
def pooled_f(hits, totals, out, column):
    """Write F of hits and totals pooled over the references."""
    together = totals.sum()
    for mine in range(totals.size):
        both = together - totals[mine] + (totals.size - 1) * totals[mine]
        out[mine, column] = 2 * hits[mine] / both if both > 0 else 0.0


@njit
def subsequences(row_of, starts, board, out):
    """Write ROUGE-L and ROUGE-W of one image's captions: columns 6 and 7."""
    width, weights = starts.size - 1, board.weights
    hits, totals, weighted = np.zeros(width), np.diff(starts), np.zeros(width)
    for a in range(width):
        mine = (starts[a], starts[a + 1])
        for b in range(width):
            theirs = (starts[b], starts[b + 1])
            if a < b:
                common = _common(row_of, mine, theirs, board)
                hits[a] += common
                hits[b] += common
            if a != b:
                weighted[a] += _weighted(row_of, theirs, mine, board)
    pooled_f(hits, totals, out, 6)
    references = (weights[totals] ** WEIGHT).sum()
    for mine in range(width):
        if weighted[mine] > 0:
            pooled = references - weights[totals[mine]] ** WEIGHT
            recall = (weighted[mine] / pooled) ** (1 / WEIGHT)
            precision = (weighted[mine] / ((width - 1) * weights[totals[mine]])) ** (1 / WEIGHT)
            out[mine, 7] = 2 * precision * recall / (precision + recall)
