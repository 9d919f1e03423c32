"""One decision for each pair: a plain step-down, and letters, ranks and p that agree on generated datasets."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import polars as pl
import pytest
from conftest import ingest_rows
from hypothesis import given, settings
from hypothesis import strategies as st

from auditor.statistics.decisions import Spread, decisions
from auditor.statistics.intervals import ANY, POSITIVE
from auditor.statistics.studentized import Estimate, Measured, estimates
from auditor.store.connection import Store
from auditor.studies.compare import compare
from auditor.studies.compare.answer import answer
from auditor.studies.compare.indices import Index, ranks

RESAMPLES = 200


def estimate(scores: np.ndarray, key: object, ends: tuple[float, float] = POSITIVE) -> Estimate:
    without = (scores.sum() - scores) / (len(scores) - 1)
    (one,) = estimates([Measured(float(scores.mean()), without, ends)], RESAMPLES, (key,))
    return one


def estimated(means: list[float], seed: int = 1) -> list[Estimate]:
    draw = np.random.default_rng(seed)
    return [estimate(draw.gamma(8, mean / 8, 20 + 7 * n), n) for n, mean in enumerate(means)]


def test_adjusted_ps_are_those_of_a_plain_step_down() -> None:
    made = estimated([1, 1.1, 1.6, 2.5])
    found = decisions(made)
    every = [*combinations(range(4), 2)]
    far, drawn = {}, {}
    for a, b in every:
        one, other = made[a], made[b]
        far[a, b] = abs(one.place - other.place) / (one.error**2 + other.error**2) ** 0.5
        spread = (one.errors**2 + other.errors**2) ** 0.5
        drawn[a, b] = abs(one.moved - other.moved) / spread
    left, highest = sorted(every, key=lambda pair: -far[pair]), 0.0
    while left:
        largest = [max(drawn[pair][b] for pair in left) for b in range(RESAMPLES)]
        highest = max(highest, (1 + sum(one >= far[left[0]] for one in largest)) / (1 + RESAMPLES))
        alone = (1 + sum(drawn[left[0]] >= far[left[0]])) / (1 + RESAMPLES)
        assert found[left[0]][:2] == pytest.approx((alone, highest))
        left.pop(0)


def test_a_pair_on_the_same_images_has_the_spread_of_its_difference() -> None:
    draw = np.random.default_rng(3)
    content = draw.gamma(2, 1, 40)
    a, b = (estimate(content * by, "same") for by in (1.0, 1.05))
    apart = a.apart - b.apart
    drawn = estimate(apart - apart.min() + 1, "same", ANY)
    assert not decisions([a, estimate(content * 1.05, "other")])[0, 1].is_sure(0.95)
    close = Spread(float(np.std(apart, ddof=1)) / 40**0.5 + 1e-6, drawn.errors + 1e-6)
    assert decisions([a, b], {(0, 1): close})[0, 1].is_sure(0.95)


def test_equal_values_have_a_p_of_1_and_a_few_images_none() -> None:
    a = estimate(np.arange(1.0, 20.0), "a")
    assert decisions([a, a])[0, 1].p == 1.0
    assert decisions([a, estimate(np.arange(1.0, 8.0), "b")]) == {}
    assert decisions([a, estimate(np.ones(20), "b")]) == {}, "equal images show no spread"
    assert decisions([estimate(np.arange(1.0, 20.0), key, ANY) for key in "ab"]) == {}, "signed values need 30 images"


@settings(max_examples=30)
@given(st.lists(st.sampled_from([1.0, 1.1, 1.3, 2.0, 4.0]), min_size=2, max_size=12), st.integers(0, 99))
def test_letters_ranks_and_ps_are_one_decision(means: list[float], seed: int) -> None:
    made = estimated(means, seed)
    labels = [f"d{n:02}" for n in range(len(means))]
    found = decisions(made)
    indices = {n: Index(labels[n], "m", "homogeneity", one.value, None, None, True, one) for n, one in enumerate(made)}
    placed = ranks(indices, found, 0.95)
    rows = pl.DataFrame(
        [{"label": labels[n], "metric": "m", "statistic": "homogeneity", "value": made[n].value} for n in indices]
    )
    pairs = pl.DataFrame(
        [
            {
                "label": labels[a], "against_label": labels[b], "metric": "m", "statistic": "homogeneity",
                "difference": made[a].value - made[b].value, "p_adjusted": one.adjusted,
            }
            for (a, b), one in found.items()
        ]
    )  # fmt: skip
    (order,) = answer("homogeneity", rows, pairs, ()).orders
    better = dict.fromkeys(labels, 0)
    for (a, b), one in found.items():
        is_sure = one.adjusted < 0.05
        assert is_sure == set(order.groups[labels[a]]).isdisjoint(order.groups[labels[b]])
        assert one.adjusted >= one.p >= 1 / (1 + RESAMPLES)
        if is_sure:
            better[labels[a] if made[a].value < made[b].value else labels[b]] += 1
        if placed[a].worst < placed[b].best or placed[b].worst < placed[a].best:
            assert is_sure, "ranges that are apart"
    assert [one.best for one in placed] == [1 + better[label] for label in labels]


@pytest.mark.parametrize("number", [2, 11])
def test_datasets_that_differ_clearly_are_told_apart_however_many_they_are(store: Store, number: int) -> None:
    """Of set k all captions share 2k words; 8 others are those of the image."""
    names = [f"s{n:02}" for n in range(number)]
    for k, name in enumerate(names):
        common = " ".join(f"c{n}" for n in range(2 * k))
        texts = [
            (f"{name}-{image}", slot, f"{common} {' '.join(f'x{(image * 8 + n + slot) % 170}' for n in range(8))}")
            for image in range(20)
            for slot in range(3)
        ]
        ingest_rows(store, texts, name)
    frame = compare(store, *names, metrics=["rouge-1", "bleu-1"], resamples=300).frame
    tested = frame.filter(pl.col("against").is_not_null(), metric="rouge-1", statistic="homogeneity")
    ends = tested.filter(dataset=names[0], against=names[-1])
    assert ends["p_adjusted"].item() < 0.05
    if number > 2:
        return
    alone = compare(store, *names, metrics=["rouge-1"], resamples=300).frame
    again = alone.filter(pl.col("against").is_not_null(), metric="rouge-1", statistic="homogeneity")
    assert again["p_adjusted"].to_list() == tested["p_adjusted"].to_list(), "other metrics change no decision"
