"""Both ways to the edit distance of TER give distance and alignment of the plain rules; here without a compiler."""

from __future__ import annotations

import random

import numpy as np
import plain_ter
import pytest

from auditor.metrics.kernels import edit_distance

#: Texts of a few words, and texts longer than the beam and than a row of bits.
LENGTHS = [(1, 1), (1, 4), (4, 1), (5, 5), (7, 3), (3, 8), (6, 6), (60, 40), (40, 70)]


@pytest.fixture(autouse=True)
def _run_as_written(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in vars(edit_distance).items():
        if hasattr(value, "py_func"):
            monkeypatch.setattr(edit_distance, name, value.py_func)


@pytest.mark.parametrize(("n_hyp", "n_ref"), LENGTHS)
def test_both_ways_align_as_the_plain_rules_do(n_hyp: int, n_ref: int) -> None:
    draw = random.Random(n_hyp * 100 + n_ref)
    for _ in range(5):
        words, ref = ([draw.randint(1, 4) for _ in range(length)] for length in (n_hyp, n_ref))
        distance, trace = plain_ter.edit_distance([*map(str, words)], [*map(str, ref)])
        wanted = (distance, *plain_ter._alignment(trace))
        assert by_beam(words, ref) == wanted
        if edit_distance.is_whole(n_hyp, n_ref):
            assert by_bits(words, ref) == wanted


@pytest.mark.parametrize(("low", "middle", "high"), [(0, 1, 2), (0, 2, 5), (1, 2, 6), (3, 5, 6)])
def test_distance_after_words_have_changed_places_is_that_of_the_words_so_placed(
    low: int, middle: int, high: int
) -> None:
    words, ref = [1, 2, 3, 1, 4, 2], [2, 3, 1, 4, 4]
    moved = words[:low] + words[middle:high] + words[low:middle] + words[high:]
    wanted = plain_ter.edit_distance([*map(str, moved)], [*map(str, ref)])[0]
    hyp, against, n = np.array(words, np.uint32), np.array(ref, np.uint32), len(words)
    with np.errstate(over="ignore"):
        masks, bits, distances = np.empty(n, np.uint64), np.empty((n + 1, 4), np.uint64), np.empty(n + 1, np.int64)
        edit_distance.positions(hyp, against, masks)
        edit_distance.fill_bits(masks, 0, n, len(ref), bits, distances)
        assert edit_distance.rotated_by_bits(masks, low, middle, high, n, len(ref), bits, distances) == wanted
    lows, highs = np.empty(n + 1, np.int64), np.empty(n + 1, np.int64)
    width = edit_distance.bounds(n, len(ref), lows, highs)
    costs, rows = np.empty((n + 1, width), np.int64), np.empty((2, width), np.int64)
    edit_distance.fill_beam(hyp, against, 0, lows, highs, costs)
    for limit in (wanted, 99):
        placed = edit_distance.rotated_by_beam(hyp, against, low, middle, high, limit, lows, highs, costs, rows)
        assert placed == wanted
    assert edit_distance.rotated_by_beam(hyp, against, low, middle, high, 0, lows, highs, costs, rows) > 0


def by_bits(words: list[int], ref: list[int]) -> tuple[int, list[int], list[bool], list[bool]]:
    hyp, against, n = np.array(words, np.uint32), np.array(ref, np.uint32), len(words)
    masks, bits, distances = np.empty(n, np.uint64), np.empty((n + 1, 4), np.uint64), np.empty(n + 1, np.int64)
    aligned, of_hyp, of_ref = (np.empty(length, np.int64) for length in (len(ref), n + 1, len(ref) + 1))
    with np.errstate(over="ignore"):  # whole rows of bits are added
        edit_distance.positions(hyp, against, masks)
        edit_distance.fill_bits(masks, 0, n, len(ref), bits, distances)
        edit_distance.align_bits(masks, n, len(ref), bits, aligned, of_hyp, of_ref)
    return int(distances[n]), aligned.tolist(), of_hyp[1:].tolist(), of_ref[1:].tolist()


def by_beam(words: list[int], ref: list[int]) -> tuple[int, list[int], list[bool], list[bool]]:
    hyp, against, n = np.array(words, np.uint32), np.array(ref, np.uint32), len(words)
    lows, highs = np.empty(n + 1, np.int64), np.empty(n + 1, np.int64)
    costs = np.empty((n + 1, edit_distance.bounds(n, len(ref), lows, highs)), np.int64)
    aligned, of_hyp, of_ref = (np.empty(length, np.int64) for length in (len(ref), n + 1, len(ref) + 1))
    distance = edit_distance.fill_beam(hyp, against, 0, lows, highs, costs)
    edit_distance.align_beam(hyp, against, lows, highs, costs, aligned, of_hyp, of_ref)
    return distance, aligned.tolist(), of_hyp[1:].tolist(), of_ref[1:].tolist()
