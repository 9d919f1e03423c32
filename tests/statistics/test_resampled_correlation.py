"""Correlations of resamples are those of the rows written out, on any number of threads and for any order of rows."""

from __future__ import annotations

import warnings

import numpy as np
import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from numpy.typing import NDArray
from plain_draws import drawn_images
from scipy import stats
from sizes import examples

from auditor.statistics import cluster_bootstrap
from auditor.statistics.cluster_bootstrap import difference, interval
from auditor.statistics.kernels.resampled_correlation import kendall, ranked, spearman
from auditor.statistics.resampling import drawn_times

rows = st.lists(
    st.tuples(st.integers(0, 3), st.integers(0, 6).map(lambda n: n / 7), st.integers(1, 4).map(float)),
    min_size=3,
    max_size=30,
)
times = st.lists(st.integers(0, 3), min_size=4, max_size=4)

Floats = NDArray[np.float64]


def columns(some: list[tuple[int, float, float]]) -> tuple[NDArray[np.int64], Floats, Floats]:
    image, a, b = zip(*some, strict=True)
    return np.array(image, np.int64), np.array(a), np.array(b)


def written_out(image: NDArray[np.int64], drawn: list[int], *values: Floats) -> list[Floats]:
    """Repeat each row as often as its image was drawn."""
    return [np.repeat(some, np.array(drawn)[image]) for some in values]


def by_scipy(statistic: str, a: Floats, b: Floats) -> float:
    if len(np.unique(a)) < 2 or len(np.unique(b)) < 2:
        return float("nan")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return float(
            {
                "spearman": lambda: stats.spearmanr(a, b),
                "kendall-b": lambda: stats.kendalltau(a, b),
                "kendall-c": lambda: stats.kendalltau(a, b, variant="c"),
                "pearson": lambda: stats.pearsonr(a, b),
            }[statistic]().statistic
        )


@given(rows, times)
@example([(0, 0.5, 1.0), (1, 0.5, 2.0), (2, 0.5, 3.0)], [1, 1, 1, 0])
@examples(60)
def test_weights_are_rows_written_out(some: list[tuple[int, float, float]], drawn: list[int]) -> None:
    image, a, b = columns(some)
    weights = np.array([drawn], np.uint16)
    expected = written_out(image, drawn, a, b)
    both = ranked(a), ranked(b)
    assert spearman(*both, image, weights)[0] == pytest.approx(by_scipy("spearman", *expected), nan_ok=True)
    for few_values in (0, 32):  # by rows, and by cells
        tau_b, tau_c = kendall(*both, image, weights, few_values=few_values)
        assert tau_b[0] == pytest.approx(by_scipy("kendall-b", *expected), nan_ok=True)
        assert tau_c[0] == pytest.approx(by_scipy("kendall-c", *expected), nan_ok=True)


def scores(seed: int = 1) -> pl.DataFrame:
    draw = np.random.default_rng(seed)
    human = draw.integers(1, 5, 400).astype(float)
    return pl.DataFrame(
        {
            "image": [f"image {n % 37}" for n in range(400)],
            "human": human,
            "fine": np.round(draw.random(400) + human / 5, 12),
            "coarse": np.round(draw.integers(0, 4, 400) / 3, 12),
        }
    )


STATISTICS = ["spearman", "kendall-b", "kendall-c", "pearson"]
KEY = (1, "set")


def test_each_resample_correlates_the_images_that_were_drawn() -> None:
    table = scores()
    found = cluster_bootstrap.resampled(table, "human", ["fine", "coarse"], STATISTICS, 5, KEY)
    images = table["image"].unique().sort().to_list()
    for resample, places in enumerate(drawn_images(len(images), 5, KEY)):
        drawn = pl.concat(table.filter(image=images[place]) for place in places)
        for (metric, statistic), values in found.items():
            expected = by_scipy(statistic, drawn[metric].to_numpy(), drawn["human"].to_numpy())
            assert values[resample] == pytest.approx(expected, rel=1e-9)
    assert list(found) == [(metric, statistic) for metric in ("fine", "coarse") for statistic in STATISTICS]


def test_order_of_rows_and_threads_change_no_bit() -> None:
    table = scores()
    found = cluster_bootstrap.resampled(table, "human", ["fine"], STATISTICS, 20, KEY)
    turned = cluster_bootstrap.resampled(
        table.sample(fraction=1, shuffle=True, seed=3), "human", ["fine"], STATISTICS, 20, KEY
    )
    for named, values in found.items():
        assert values.tobytes() == turned[named].tobytes()
    image = (table["image"].rank("dense").cast(pl.Int64) - 1).to_numpy()
    a, b, drawn = ranked(table["fine"].to_numpy()), ranked(table["human"].to_numpy()), drawn_times(37, 20, KEY)
    for few_values in (0, 32):
        one, two, three = (kendall(a, b, image, drawn, threads, few_values) for threads in (1, 2, 3))
        assert one[0].tobytes() == two[0].tobytes() == three[0].tobytes() == found["fine", "kendall-b"].tobytes()
    assert spearman(a, b, image, drawn, 1).tobytes() == spearman(a, b, image, drawn, 2).tobytes()


def test_times_are_the_images_that_are_drawn() -> None:
    drawn = drawn_times(9, 4, KEY)
    assert drawn.sum(axis=1).tolist() == [9] * 4
    assert [np.bincount(places, minlength=9).tolist() for places in drawn_images(9, 4, KEY)] == drawn.tolist()


def test_one_image_or_no_resamples_give_no_interval() -> None:
    alone = scores().filter(image="image 3")
    assert cluster_bootstrap.resampled(alone, "human", ["fine"], STATISTICS, 5, KEY) == {}
    assert cluster_bootstrap.resampled(scores(), "human", ["fine"], STATISTICS, 0, KEY) == {}
    assert cluster_bootstrap.interval(0.1, None, 37, 0.95) is None
    assert cluster_bootstrap.interval(0.1, np.array([0.1, np.nan]), 37, 0.95) is None
    assert cluster_bootstrap.interval(0.1, np.array([0.1, 0.2, 1.0]), 37, 0.95) is None
    assert cluster_bootstrap.difference(0.1, np.array([0.1, np.nan]), 37, 0.95) is None


def test_an_interval_is_students_of_one_degree_of_freedom_less_than_images() -> None:
    values = np.array([0.1, 0.3, 0.4])
    reach = stats.t.ppf(0.975, 8) * np.std(np.arctanh(values), ddof=1) * np.sqrt(9 / 8)
    ends = np.tanh([np.arctanh(0.2) - reach, np.arctanh(0.2) + reach])
    assert interval(0.2, values, 9, 0.95) == pytest.approx(tuple(ends), abs=1e-9)
    assert interval(0.2, values, 7, 0.95) is None


def test_equal_coefficients_of_equal_resamples_do_not_differ() -> None:
    alike = np.zeros(3)
    assert difference(0.0, alike, 8, 0.95) == (0.0, 0.0, 1.0)
    apart = difference(0.5, alike, 8, 0.95)
    assert apart is not None
    assert apart.p < 1e-9


def test_sums_of_an_image_are_those_of_whole_numbers_to_the_last_bit() -> None:
    scores = pl.DataFrame(
        {"image": ["b", "a", "b"], "people": [3.0, 4.0, 2.5], "metric": [0.513417119033, 1 / 3, 0.707106781187]}
    )
    a, b = 333333333333 / 10**12, (513417119033, 707106781187)
    assert cluster_bootstrap._sums(scores, "people", "metric").tolist() == [
        [1, 4.0, a, 16.0, 333333333333**2 / 10**24, 4 * 333333333333 / 10**12],
        [2, 5.5, sum(b) / 10**12, 15.25, (b[0] ** 2 + b[1] ** 2) / 10**24, (6 * b[0] + 5 * b[1]) / (2 * 10**12)],
    ]
