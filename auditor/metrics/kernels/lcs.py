"""Longest common subsequences, plain (ROUGE-L) and weighted by runs (ROUGE-W), of each candidate with each reference.

Lin 2004, sections 3 and 4, as computed by ROUGE-1.5.5.pl (subs lcs, wlcs, wlcs_inner, markLCS).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from auditor.compiled import compiled, part, uncompiled
from auditor.metrics.kernels.columns import Meetings, Sides, in_parts

_Tokens = NDArray[np.uint32]

_Places = NDArray[np.int64]

_Weights = NDArray[np.float64]

#: Tokens and starts of the candidates, and of the references.
_Flat = tuple[_Tokens, _Places, _Tokens, _Places]


class _Row(NamedTuple):
    """A row of the weighted table: values, the runs that end in its cells, and the runs on the way back from each."""

    values: _Weights
    runs: _Places
    ended: _Weights
    last: _Places


class WeightedSubsequences(NamedTuple):
    """The common subsequences of candidates and references, pair by pair, in weights of runs.

    `weighted_lcs` is the value of the weighted table, `weighted_runs` the weight of the runs of matches on the way back
    through it.
    """

    weighted_lcs: NDArray[np.float64]
    weighted_runs: NDArray[np.float64]


def common_subsequences(sides: Sides, met: Meetings) -> NDArray[np.uint32]:
    """Compute the length of the longest common subsequence of every pair, in tokens."""
    lcs = np.empty(len(met.candidate), np.uint32)
    longest = int(np.diff(sides.candidates.starts).max(initial=0))
    align = uncompiled(len(lcs))(_align)
    in_parts(len(lcs), lambda start, stop: align(_flat(sides), met, longest, start, stop, lcs))
    return lcs


def weighted_subsequences(sides: Sides, met: Meetings, exponent: float) -> WeightedSubsequences:
    """Compute the weight of the common subsequence of every pair; a run of k tokens weighs k ** exponent."""
    longest = int(max(np.diff(side.starts).max(initial=0) for side in (sides.candidates, sides.references)))
    # powers by the C library, as in the script: vector units may differ in the last bit, and so in ties
    weights = np.array([float(run) ** exponent for run in range(longest + 2)])
    size = len(met.candidate)
    made = WeightedSubsequences(np.empty(size), np.empty(size))
    in_parts(size, lambda start, stop: _weigh(_flat(sides), met, weights, start, stop, made))
    return made


def _flat(sides: Sides) -> _Flat:
    return (*sides.candidates, *sides.references)


@compiled
def _align(texts: _Flat, met: Meetings, longest: int, start: int, stop: int, lcs: _Tokens) -> None:
    candidate_tokens, candidate_starts, reference_tokens, reference_starts = texts
    row = np.empty(longest + 1, np.int64)
    for at in range(start, stop):
        i, j = met.candidate[at], met.reference[at]
        ours = candidate_tokens[candidate_starts[i] : candidate_starts[i + 1]]
        theirs = reference_tokens[reference_starts[j] : reference_starts[j + 1]]
        lcs[at] = _lcs_of_words(ours, theirs) if len(ours) <= 64 else _lcs_of_rows(ours, theirs, row)


@compiled
def _weigh(texts: _Flat, met: Meetings, weights: _Weights, start: int, stop: int, made: WeightedSubsequences) -> None:
    candidate_tokens, candidate_starts, reference_tokens, reference_starts = texts
    size = len(weights)
    row = _Row(np.empty(size), np.empty(size, np.int64), np.empty(size), np.empty(size, np.int64))
    for at in range(start, stop):
        i, j = met.candidate[at], met.reference[at]
        ours = candidate_tokens[candidate_starts[i] : candidate_starts[i + 1]]
        theirs = reference_tokens[reference_starts[j] : reference_starts[j + 1]]
        made.weighted_lcs[at], made.weighted_runs[at] = _weighted(ours, theirs, weights, row)


@compiled
def _lcs_of_words(ours: _Tokens, theirs: _Tokens) -> int:
    """Count in one machine word, with a bit per token of `ours` (at most 64): Hyyrö 2004, figure 3."""
    state = ~np.uint64(0)
    for token in theirs:
        matches = np.uint64(0)
        for position in range(len(ours)):
            matches |= np.uint64(ours[position] == token) << np.uint64(position)
        met = state & matches
        state = (state + met) | (state - met)
    length = len(ours)
    for position in range(len(ours)):
        length -= int((state >> np.uint64(position)) & np.uint64(1))
    return length


@part
def _lcs_of_rows(ours: _Tokens, theirs: _Tokens, row: _Places) -> int:
    """Count by the table, keeping one row: for candidates too long for a machine word."""
    row[: len(ours) + 1] = 0
    for token in theirs:
        diagonal = 0
        for position in range(len(ours)):
            above = row[position + 1]
            if ours[position] == token:
                row[position + 1] = diagonal + 1
            elif row[position] > above:
                row[position + 1] = row[position]
            diagonal = above
    return int(row[len(ours)])


@part
def _weighted(ours: _Tokens, theirs: _Tokens, weights: _Weights, row: _Row) -> tuple[float, float]:
    """Return the weighted table's value, and the weight of the runs of reference tokens on the way back through it.

    The table is filled row by row, one reference token per row, keeping one row. A match always takes both tokens and
    adds the weight by which it extends the run before it. Otherwise the larger neighbor counts; if equal, the one
    without the reference's token. Gaps in the candidate do not end a run. When a cell is filled, the way back from it
    is known: the weight of the runs that have ended, in the order of the reference, and the length of the last.
    """
    values, runs, ended, last = row
    for position in range(len(ours) + 1):
        values[position], runs[position], ended[position], last[position] = 0.0, 0, 0.0, 0
    for token in theirs:
        value, run, before, length = 0.0, 0, 0.0, 0  # of the cell above and to the left
        for j in range(len(ours)):
            above, run_above, before_above, length_above = values[j + 1], runs[j + 1], ended[j + 1], last[j + 1]
            if token == ours[j]:
                values[j + 1], runs[j + 1] = value + weights[run + 1] - weights[run], run + 1
                ended[j + 1], last[j + 1] = before, length + 1
            else:
                runs[j + 1] = 0
                if above >= values[j]:
                    ended[j + 1], last[j + 1] = before_above + weights[length_above], 0
                else:
                    values[j + 1], ended[j + 1], last[j + 1] = values[j], ended[j], last[j]
            value, run, before, length = above, run_above, before_above, length_above
    return values[len(ours)], ended[len(ours)] + weights[last[len(ours)]]
