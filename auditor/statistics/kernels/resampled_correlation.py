"""Correlations of rows that count several times each, for every resample of a bootstrap over images.

A resample has the number of times that each image was drawn; a row counts as often as its image. Ranks and pairs are
counted in integers, separately for every resample, so that neither the order of rows nor the number of threads changes
a bit.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from auditor.compiled import compiled

_THREADS = 2

#: With at most this many values in a column, every cell of the table of both columns is read; otherwise the rows.
_FEW_VALUES = 32

#: Sums of products of ranks of more rows than this could overflow.
MOST_ROWS = 2_000_000

Integers = NDArray[np.int64]

Floats = NDArray[np.float64]

Times = NDArray[np.uint16]


class Ranked(NamedTuple):
    """A column of n rows: `rank` are dense ranks from 0, `distinct` is their number, `order` are the rows by rank."""

    rank: Integers
    distinct: int
    order: Integers


def ranked(values: Floats) -> Ranked:
    """Rank a column without NaN."""
    distinct, rank = np.unique(values, return_inverse=True)
    return Ranked(rank.astype(np.int64), len(distinct), np.argsort(values, kind="stable").astype(np.int64))


def spearman(a: Ranked, b: Ranked, image: Integers, times: Times, threads: int = _THREADS) -> Floats:
    """Return Spearman's rho of two columns in each resample; NaN if one of them has a single value there.

    `image` numbers the image of each row from 0; `times` (resamples × images) is how often each was drawn.
    """
    rhos = np.full(len(times), np.nan)
    _in_parts(
        len(times),
        lambda first, last: _spearman(first, last, a.rank, a.distinct, b.rank, b.distinct, image, times, rhos),
        threads,
    )
    return rhos


def kendall(
    a: Ranked, b: Ranked, image: Integers, times: Times, threads: int = _THREADS, few_values: int = _FEW_VALUES
) -> tuple[Floats, Floats]:
    """Return Kendall's tau-b and tau-c as `spearman` returns rho. It is fastest if `b` has few values."""
    taus = np.full((2, len(times)), np.nan)

    def run(first: int, last: int) -> None:
        if b.distinct <= few_values:
            _by_cells(first, last, a.rank, a.distinct, b.rank, b.distinct, image, times, taus)
        else:
            ordered = (a.rank[a.order], b.rank[a.order], image[a.order])
            _by_rows(first, last, *ordered, b.distinct, times, taus)

    _in_parts(len(times), run, threads)
    return taus[0], taus[1]


def pearson(sums: Floats, times: Times) -> Floats:
    """Return Pearson's r in each resample from sums by image: n, Σa, Σb, Σa², Σb², Σab (images × 6)."""
    coefficients = np.full(len(times), np.nan)
    _pearson(sums, times, coefficients)
    return coefficients


def _in_parts(size: int, run: Callable[[int, int], None], threads: int) -> None:
    edges = [size * part // threads for part in range(threads + 1)]
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(lambda edge: run(*edge), pairwise(edges)))


@compiled
def _centerd(counts: Integers) -> int:
    """Replace the count of each value by twice its mean rank minus that of all rows; return the sum of squares."""
    rows = 0
    for count in counts:
        rows += count
    before = squares = 0
    for value in range(len(counts)):
        count = counts[value]
        counts[value] = 2 * before + count - rows
        squares += count * counts[value] * counts[value]
        before += count
    return squares


@compiled
def _spearman(
    first: int,
    last: int,
    a: Integers,
    distinct_a: int,
    b: Integers,
    distinct_b: int,
    image: Integers,
    times: Times,
    out: Floats,
) -> None:
    for resample in range(first, last):
        drawn = times[resample]
        of_a = np.zeros(distinct_a, np.int64)
        of_b = np.zeros(distinct_b, np.int64)
        for row in range(len(a)):
            count = int(drawn[image[row]])
            of_a[a[row]] += count
            of_b[b[row]] += count
        squares_a = _centerd(of_a)
        squares_b = _centerd(of_b)
        product = 0
        for row in range(len(a)):
            product += int(drawn[image[row]]) * of_a[a[row]] * of_b[b[row]]
        if squares_a > 0 and squares_b > 0:
            out[resample] = product / np.sqrt(np.float64(squares_a)) / np.sqrt(np.float64(squares_b))


@compiled
def _by_cells(
    first: int,
    last: int,
    a: Integers,
    distinct_a: int,
    b: Integers,
    distinct_b: int,
    image: Integers,
    times: Times,
    out: Floats,
) -> None:
    """Count concordant minus discordant pairs from the table of both ranks; `of_b` are the rows of lower a."""
    for resample in range(first, last):
        drawn = times[resample]
        cells = np.zeros((distinct_a, distinct_b), np.int64)
        for row in range(len(a)):
            cells[a[row], b[row]] += int(drawn[image[row]])
        of_b = np.zeros(distinct_b, np.int64)
        before = surplus = ties_a = 0
        values_a = 0
        for rank in range(distinct_a):
            equal = lower = 0
            for other in range(distinct_b):
                surplus += cells[rank, other] * (2 * lower + of_b[other] - before)
                lower += of_b[other]
                equal += cells[rank, other]
            for other in range(distinct_b):
                of_b[other] += cells[rank, other]
            before += equal
            ties_a += equal * (equal - 1) // 2
            values_a += equal > 0
        _taus(resample, surplus, before, ties_a, values_a, of_b, out)


@compiled
def _by_rows(
    first: int,
    last: int,
    a: Integers,
    b: Integers,
    image: Integers,
    distinct_b: int,
    times: Times,
    out: Floats,
) -> None:
    """Count the same from rows in the order of `a`, with the rows before a row in a tree by b (Fenwick 1994).

    The tree counts how many of them have a lower rank. Rows with equal `a` enter it together.
    """
    for resample in range(first, last):
        drawn = times[resample]
        tree = np.zeros(distinct_b + 1, np.int64)
        of_b = np.zeros(distinct_b, np.int64)
        before = surplus = ties_a = 0
        values_a = start = 0
        while start < len(a):
            end = start
            equal = 0
            while end < len(a) and a[end] == a[start]:
                count = int(drawn[image[end]])
                lower = 0
                position = b[end]
                while position > 0:
                    lower += tree[position]
                    position &= position - 1
                surplus += count * (2 * lower + of_b[b[end]] - before)
                equal += count
                end += 1
            for row in range(start, end):
                count = int(drawn[image[row]])
                of_b[b[row]] += count
                position = b[row] + 1
                while position <= distinct_b:
                    tree[position] += count
                    position += position & -position
            before += equal
            ties_a += equal * (equal - 1) // 2
            values_a += equal > 0
            start = end
        _taus(resample, surplus, before, ties_a, values_a, of_b, out)


@compiled
def _taus(resample: int, surplus: int, rows: int, ties_a: int, values_a: int, of_b: Integers, out: Floats) -> None:
    """Compute tau-b and tau-c from the surplus of concordant pairs, by the operations of scipy."""
    ties_b = 0
    values_b = 0
    for count in of_b:
        ties_b += count * (count - 1) // 2
        values_b += count > 0
    if values_a > 1 and values_b > 1:
        pairs = rows * (rows - 1) // 2
        out[0, resample] = surplus / np.sqrt(np.float64(pairs - ties_a)) / np.sqrt(np.float64(pairs - ties_b))
        fewest = min(values_a, values_b)
        out[1, resample] = 2.0 * surplus / (np.float64(rows) * np.float64(rows) * (fewest - 1) / fewest)


@compiled
def _pearson(sums: Floats, times: Times, out: Floats) -> None:
    """Compute r from the sums of the drawn images, added in their order, so that every machine gets the same bits."""
    for resample in range(len(times)):
        n = a = b = aa = bb = ab = 0.0
        for image in range(len(sums)):
            count = np.float64(times[resample, image])
            if count > 0:
                n += count * sums[image, 0]
                a += count * sums[image, 1]
                b += count * sums[image, 2]
                aa += count * sums[image, 3]
                bb += count * sums[image, 4]
                ab += count * sums[image, 5]
        spread_a, spread_b = n * aa - a * a, n * bb - b * b
        if spread_a > 1e-12 * n * aa and spread_b > 1e-12 * n * bb:
            out[resample] = min(1.0, max(-1.0, (n * ab - a * b) / np.sqrt(spread_a) / np.sqrt(spread_b)))
