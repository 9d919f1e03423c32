"""Bootstrap and jackknife over images: the plain loop's numbers, the same on every machine, intervals that cover."""

from __future__ import annotations

import statistics
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from plain_draws import drawn_images

from auditor.statistics import resampling
from auditor.statistics.resampling import (
    ImageSums,
    image_sums,
    jackknife_error,
    left_out_means,
    percentile_interval,
    resampled_means,
)
from auditor.statistics.summary import summarize

KEY = (1, "set", "3f9c1a", None)

rows = st.lists(
    st.tuples(
        st.sampled_from(["human", "intra"]),
        st.sampled_from("abcdé"),
        st.floats(-10, 100).map(lambda value: round(value, 12)),
        st.floats(0, 1).map(lambda value: round(value, 12)),
    ),
    min_size=1,
    max_size=30,
)


def sums(rows: list[tuple[str, str, float, float]]) -> ImageSums:
    frame = pl.DataFrame(rows, schema=["candidate", "image", "chrf", "bleu"], orient="row")
    return image_sums(frame.with_row_index("slot"))


def exact_mean(values: list[float]) -> float:
    """Sum in units of 10^-12, then divide as `summary` does."""
    return float(sum(round(Fraction(value) * 10**12) for value in values)) / 1e12 / len(values) if values else np.nan


@given(rows)
def test_resamples_are_those_of_a_plain_loop(rows: list[tuple[str, str, float, float]]) -> None:
    made = sums(rows)
    images = sorted({image for _, image, _, _ in rows})
    found = resampled_means(made, 7, KEY)
    for resample, places in enumerate(drawn_images(len(images), 7, KEY).tolist()):
        for column, (candidate, metric) in enumerate(made.columns):
            values = [
                value
                for place in places
                for name, image, *both in rows
                if (name, image) == (candidate, images[place])
                for value in [both[metric == "bleu"]]
            ]
            assert found[resample, column] == pytest.approx(exact_mean(values), rel=0, abs=0, nan_ok=True)


@given(rows)
def test_means_are_those_of_the_summary(rows: list[tuple[str, str, float, float]]) -> None:
    frame = pl.DataFrame(rows, schema=["candidate", "image", "chrf", "bleu"], orient="row")
    made = sums(rows)
    for (candidate, metric), mean in zip(made.columns, made.means.tolist(), strict=True):
        summary = summarize(frame.filter(candidate=candidate).select("image", metric))
        assert mean == summary.filter(level="caption")["mean"].item()


@given(rows)
def test_jackknife_is_that_of_a_plain_loop(rows: list[tuple[str, str, float, float]]) -> None:
    of_humans = [("human", *rest) for _, *rest in rows]
    made = sums(of_humans)
    images = sorted({image for _, image, _, _ in of_humans})
    without = [exact_mean([chrf for _, image, chrf, _ in of_humans if image != left_out]) for left_out in images]
    found = left_out_means(made)[:, 0]
    assert found.tolist() == pytest.approx(without, rel=0, abs=0, nan_ok=True)
    error = jackknife_error(found)
    if len(images) < 2:
        assert error is None
    else:
        n = len(images)
        assert error == pytest.approx(((n - 1) ** 2 / n * statistics.variance(without)) ** 0.5, abs=1e-9)


def test_jackknife_of_a_plain_mean_is_its_standard_error() -> None:
    values = [0.1, 0.4, 0.2, 0.9, 0.35]
    made = sums([("human", f"i{place}", value, 0.0) for place, value in enumerate(values)])
    expected = statistics.stdev(values) / len(values) ** 0.5
    assert jackknife_error(left_out_means(made)[:, 0]) == pytest.approx(expected)


@given(st.lists(st.integers(0, 2**60), min_size=1, max_size=50), st.integers(0, 5))
@example([2**62], 1)
def test_any_sums_add_up_exactly(of_image: list[int], seed: int) -> None:
    """Digits of a sum are added as doubles; the total is the whole number's nearest double all the same."""
    n = len(of_image)
    made = ImageSums((("human", "m"),), np.array([of_image]).T, np.ones((n, 1), np.int64), np.array([0]))
    for mean, places in zip(resampled_means(made, 3, (seed,)), drawn_images(n, 3, (seed,)).tolist(), strict=True):
        assert mean[0] == float(sum(of_image[place] for place in places)) / 1e12 / n


def test_block_size_changes_no_bit(monkeypatch: pytest.MonkeyPatch) -> None:
    made = sums([("human", image, ord(image) / 7, 0.5) for image in "abcdefgh"])
    whole = resampled_means(made, 100, KEY)
    monkeypatch.setattr(resampling, "AT_A_TIME", 24)
    assert np.array_equal(resampled_means(made, 100, KEY), whole)


@pytest.mark.parametrize("columns", [1, 3, 21])
@pytest.mark.parametrize("hole", [0.0, np.nan])
def test_kernel_for_many_draws_changes_no_bit(monkeypatch: pytest.MonkeyPatch, columns: int, hole: float) -> None:
    """Totals near 2^53 and below 0, a column without a value, more columns than the kernel takes."""
    values = np.rint(np.linspace(-(2.0**45), 2.0**45, 101 * columns)).reshape(101, columns)
    values[:, 0] += hole
    plain = resampling.resampled_totals(values, 57, KEY)
    monkeypatch.setattr(resampling, "_MANY_DRAWS", 0)
    monkeypatch.setattr(resampling, "_WORDS", 1010)
    assert np.array_equal(resampling.resampled_totals(values, 57, KEY), plain, equal_nan=True)


def test_order_of_rows_changes_no_bit() -> None:
    some = [(name, image, ord(image) / 7, 0.5) for name in ("human", "intra") for image in "badcé"]
    backwards = [*reversed(some[:5]), *reversed(some[5:])]
    assert np.array_equal(resampled_means(sums(some), 50, KEY), resampled_means(sums(backwards), 50, KEY))


def test_draw_is_the_same_on_every_machine() -> None:
    """Philox4x64-10 by sha256 of the key: a change here changes every published interval."""
    assert drawn_images(10, 2, KEY).tolist() == [
        [4, 2, 3, 4, 0, 0, 9, 8, 6, 8],
        [0, 8, 3, 0, 3, 1, 1, 3, 0, 6],
    ]


def test_draws_of_other_keys_differ_and_reach_every_image_alike() -> None:
    draw = drawn_images(20, 1000, KEY)
    assert not np.array_equal(draw, drawn_images(20, 1000, (2, *KEY[1:])))
    counts = np.bincount(draw.ravel(), minlength=20)
    assert len(counts) == 20
    assert np.abs(counts - 1000).max() < 5 * 1000**0.5


def test_columns_of_one_dataset_stay_paired() -> None:
    made = sums([(name, image, ord(image) / 7, ord(image) / 7) for name in ("human", "intra") for image in "abcd"])
    found = resampled_means(made, 50, KEY)
    assert np.array_equal(found, np.repeat(found[:, :1], 4, axis=1))


def test_identical_images_have_an_interval_without_width() -> None:
    made = sums([("human", image, value, 0.25) for image in "abcd" for value in (0.1, 0.3)])
    assert percentile_interval(resampled_means(made, 100, KEY)[:, 0], 0.95) == (0.2, 0.2)
    assert jackknife_error(left_out_means(made)[:, 0]) == 0


def test_images_weigh_by_their_captions() -> None:
    made = sums([("human", "a", 1.0, 0.0), *[("human", "b", 0.0, 0.0)] * 3])
    assert made.means[0] == 0.25
    assert set(resampled_means(made, 50, KEY)[:, 0]) == {0.0, 0.25, 1.0}


def test_percentiles_interpolate_and_a_resample_without_value_leaves_no_interval() -> None:
    assert percentile_interval(np.arange(5.0), 0.9) == pytest.approx((0.2, 3.8))
    assert percentile_interval(np.array([0.0, np.nan]), 0.9) is None
    assert percentile_interval(np.array([]), 0.9) is None


def test_intervals_cover_the_truth_as_often_as_they_say() -> None:
    """1,000 datasets of 120 images with 1 to 5 captions, which vary by image and within: intraclass correlation 0.5.

    The mean over captions is 0.5 whatever the sizes; an interval that took captions for independent would cover in
    about 80 %.
    """
    covered = captions_covered = 0
    made = np.random.default_rng(20160)
    for dataset in range(1000):
        counts = made.integers(1, 6, 120)
        level = np.clip(made.normal(0.5, 0.1, 120), 0, 1)
        sums = np.round((counts * level + made.normal(0, 0.1, 120) * counts**0.5) * 1e12).astype(np.int64)
        one = ImageSums((("human", "m"),), sums[:, None], counts[:, None], np.array([0]))
        low, high = percentile_interval(resampled_means(one, 250, (dataset,))[:, 0], 0.95)
        covered += low <= 0.5 <= high
        captions_covered += abs(one.means[0] - 0.5) <= 1.96 * (0.02 / counts.sum()) ** 0.5
    assert 0.93 <= covered / 1000 <= 0.97
    assert captions_covered / 1000 < 0.85
