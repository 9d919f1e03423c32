"""Walks over tokens give what loops over words give, for any tokens, any order and any lengths."""

from __future__ import annotations

import numpy as np
import plain_diversity as plain
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sizes import examples

from auditor.statistics.diversity import Walk, compression_ratio, walk
from auditor.statistics.kernels import walks

CAPTIONS = st.lists(st.lists(st.integers(0, 6), max_size=7), min_size=1, max_size=30)


def _walk(captions: list[list[int]], order: list[int]) -> Walk:
    flat = np.array([token for caption in captions for token in caption], np.int64)
    types, codes = np.unique(flat, return_inverse=True)
    starts = np.cumsum([0, *map(len, captions)], dtype=np.int64)
    return Walk(1, 0, codes.astype(np.uint32), starts, types.astype(np.uint32), np.array(order, np.uint32))


@examples(60)
@given(CAPTIONS, st.integers(1, 9), st.randoms(use_true_random=False))
def test_segments_curve_and_mtld_are_those_of_the_plain_loops(captions, segment, random) -> None:
    order = random.sample(range(len(captions)), len(captions))
    words = plain.stream([[str(token) for token in captions[place]] for place in order])
    positions = [1, 2, 5, 40]
    rows, curve = walk([_walk(captions, order)], segment, positions)
    values = dict(rows.select("statistic", "value").iter_rows())
    for n in (1, 2, 3):
        assert values[f"ttr-{n}"] == pytest.approx(plain.msttr(plain.grams(words, n), segment), abs=1e-12)
    assert values["mtld"] == pytest.approx(plain.mtld(words), abs=1e-9)
    assert curve.select("tokens", "types").rows() == [(p, plain.curve(words, p)) for p in positions if p <= len(words)]
    assert rows.filter(pl.col("value").is_null() != pl.col("reason").is_not_null()).is_empty()


@examples(60)
@given(st.lists(st.integers(0, 5), max_size=40), st.integers(1, 12))
def test_a_moving_window_counts_the_types_of_every_window(tokens, window) -> None:
    total, windows = walks.window_types(np.array(tokens, np.int64), 6, window)
    wanted = plain.mattr([str(token) for token in tokens], window)
    assert (total / (windows * window) if windows else None) == pytest.approx(wanted, abs=1e-12)


def test_walks_of_one_thread_or_two_come_in_the_order_asked_for() -> None:
    captions = [[1, 2, 3], [1], [], [4, 4]]
    asked = [_walk(captions, order) for order in ([0, 1, 2, 3], [3, 2, 1, 0])]
    together, _ = walk(asked, 2, [])
    apart = pl.concat(walk([one], 2, [])[0] for one in asked)
    assert together.equals(apart)


def test_compression_is_that_of_gzip_without_its_header() -> None:
    captions = [["a", "dog", "runs"], ["a", "café"], []] * 30
    spelled = sorted({word for caption in captions for word in caption})
    coded = [[spelled.index(word) for word in caption] for caption in captions]
    value, reason = compression_ratio(_walk(coded, list(range(len(coded)))), pl.Series(spelled))
    text = len(" ".join(plain.stream(captions)).encode())
    assert reason is None
    assert text / value == pytest.approx(text / plain.gzip_ratio(captions) - 12)  # header and trailer: 18 bytes, not 6
