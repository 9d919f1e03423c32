"""Correlations: scipy's to the last bit where counts are integers, and for any order of rows and number of threads."""

from __future__ import annotations

import math
import warnings

import numpy as np
import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import stats

from auditor.statistics import significance
from auditor.statistics.correlation import STATISTICS, at_level, constants, correlate
from auditor.statistics.kernels.discordance import discordances, ranking
from auditor.statistics.significance import SMALLEST_P

#: Pairs of scores: sevenths, of which many are equal, and others.
values = st.integers(0, 7).map(lambda n: round(n / 7, 12)) | st.integers(0, 10**12).map(lambda n: n / 1e12)
rows = st.lists(st.tuples(values, values), min_size=3, max_size=60)

SCIPY = {"kendall-b": stats.kendalltau, "spearman": stats.spearmanr, "pearson": stats.pearsonr}


def frame(pairs: list[tuple[float, float]]) -> pl.DataFrame:
    return pl.DataFrame(pairs, schema={"a": pl.Float64, "b": pl.Float64}, orient="row")


def scores(size: int, columns: int, distinct: int, seed: int = 1) -> pl.DataFrame:
    """Draw columns that correlate, each rounded to so many values."""
    draw = np.random.default_rng(seed)
    common = draw.random(size)
    mixed = {f"m{column}": (common + column * draw.random(size)) / (1 + column) for column in range(columns)}
    return pl.DataFrame({name: np.round(np.round(some * distinct) / distinct, 12) for name, some in mixed.items()})


def by_scipy(statistic: str, a: pl.Series, b: pl.Series) -> tuple[float, float]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", stats.NearConstantInputWarning)
        found = SCIPY[statistic](a, b)
    return float(found.statistic), float(found.pvalue)


@given(rows)
@example([(n / 8, n / 8) for n in range(8)])
@example([(n / 8, -n / 8) for n in range(8)])
@example([(n / 40, n * 7 % 41 / 41) for n in range(40)])
@example([(n / 40, n / 40) for n in range(40)])
def test_kendall_is_scipys_to_the_last_bit(pairs: list[tuple[float, float]]) -> None:
    table = frame(pairs)
    if constants(table):
        return
    found = correlate(table, ["kendall-b"]).row(0, named=True)
    tau, p = by_scipy("kendall-b", table["a"], table["b"])
    assert found["value"] == tau
    assert found["p"] == pytest.approx(max(p, SMALLEST_P), rel=1e-12)
    assert found["n"] == len(pairs)


@given(rows)
def test_spearman_and_pearson_are_scipys(pairs: list[tuple[float, float]]) -> None:
    table = frame(pairs)
    if any(column.max() - column.min() < 1e-3 for column in table):  # scipy's own digits go first
        return
    for row in correlate(table, ["spearman", "pearson"]).iter_rows(named=True):
        value, p = by_scipy(row["statistic"], table["a"], table["b"])
        assert row["value"] == pytest.approx(value, abs=1e-12)
        if abs(value) < 0.95:  # nearer to 1 the last digit of a coefficient moves p by more
            assert row["p"] == pytest.approx(p, rel=1e-12)


@given(rows)
def test_p_of_scipys_coefficient_is_scipys(pairs: list[tuple[float, float]]) -> None:
    table = frame(pairs)
    if constants(table):
        return
    for statistic, ours in (("spearman", significance.spearman), ("pearson", significance.pearson)):
        value, p = by_scipy(statistic, table["a"], table["b"])
        assert ours(value, len(pairs)) == pytest.approx(max(p, SMALLEST_P), rel=1e-12)


@given(rows, st.randoms(use_true_random=False))
def test_row_order_changes_no_bit(pairs: list[tuple[float, float]], random: object) -> None:
    shuffled = list(pairs)
    random.shuffle(shuffled)
    assert correlate(frame(pairs)).equals(correlate(frame(shuffled)))


@pytest.mark.parametrize("distinct", [2, 9, 100, 10**9])
def test_discordant_pairs_are_counted_exactly(distinct: int) -> None:
    table = scores(2_000, 3, distinct).select(pl.all().rank("dense").cast(pl.UInt32) - 1)
    rankings = [ranking(column.to_numpy()) for column in table]
    pairs = [(0, 1), (1, 2), (2, 2)]
    for (a, b), count in zip(pairs, discordances(rankings, pairs), strict=True):
        first, second = (table.to_series(place).cast(pl.Int64).to_numpy() for place in (a, b))
        signs = np.sign(np.subtract.outer(first, first)) * np.sign(np.subtract.outer(second, second))
        equal = (np.equal.outer(first, first) & np.equal.outer(second, second)).sum()
        assert count == ((signs < 0).sum() // 2, (equal - len(first)) // 2)


def test_threads_change_nothing() -> None:
    table = scores(5_000, 5, 700).select(pl.all().rank("dense").cast(pl.UInt32) - 1)
    rankings = [ranking(column.to_numpy()) for column in table]
    pairs = [(a, b) for a in range(5) for b in range(5)]
    assert discordances(rankings, pairs, 1) == discordances(rankings, pairs, 2) == discordances(rankings, pairs, 7)


@pytest.mark.parametrize("distinct", [3, 1_000, 10**9])
def test_many_rows_are_scipys(distinct: int) -> None:
    table = scores(20_000, 3, distinct)
    for row in correlate(table).iter_rows(named=True):
        value, p = by_scipy(row["statistic"], table[row["metric_a"]], table[row["metric_b"]])
        exact = row["statistic"] == "kendall-b"
        assert row["value"] == (value if exact else pytest.approx(value, abs=1e-12))
        assert row["p"] == pytest.approx(max(p, SMALLEST_P), rel=1e-12 if exact else 1e-6)


def test_turned_scores_turn_the_sign_alone() -> None:
    table = scores(300, 2, 50)
    turned = table.with_columns(m1=(1 - pl.col("m1")).round(12))
    forth, back = correlate(table), correlate(turned)
    assert (forth["value"] + back["value"]).to_list() == [0, 0, 0]
    assert forth["p"].equals(back["p"])


def test_perfect_order_is_one_and_p_never_zero() -> None:
    table = pl.DataFrame({"a": [n / 1000 for n in range(2_000)], "b": [n / 250 for n in range(2_000)]})
    found = correlate(table)
    assert found["value"].to_list() == [1, 1, 1]
    assert found["p"].to_list() == [SMALLEST_P] * 3
    assert math.isfinite(1 / SMALLEST_P)


def test_constant_scores_correlate_with_nothing() -> None:
    table = scores(50, 2, 9).with_columns(same=0.25)
    found = correlate(table)
    absent = found.filter((pl.col("metric_a") == "same") | (pl.col("metric_b") == "same"))
    assert constants(table) == ["same"]
    assert absent["value"].to_list() == absent["p"].to_list() == [None] * 6
    assert found.filter(pl.col("value").is_not_null()).height == 3
    assert set(found["n"]) == {50}


@pytest.mark.parametrize("size", [0, 1, 2])
def test_fewer_than_three_rows_have_no_correlation(size: int) -> None:
    found = correlate(frame([(0.1 * n, 0.2 * n) for n in range(size)]))
    assert found.select("statistic", "value", "p", "n").rows() == [(name, None, None, size) for name in STATISTICS]


def test_images_of_equal_means_are_tied() -> None:
    third, two_thirds = round(1 / 3, 12), round(2 / 3, 12)
    table = pl.DataFrame({"image": list("aaabbbc"), "a": [third, third, third, 0.0, third, two_thirds, third]})
    means = at_level(table, "image")
    assert means.columns == ["a"]
    assert means["a"].n_unique() == 1
    assert at_level(table, "caption")["a"].equals(table["a"])
