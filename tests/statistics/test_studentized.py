"""Bootstrap-t over images: a plain loop's numbers, intervals of ten images that cover, none where nothing can be said."""

from __future__ import annotations

import statistics

import numpy as np
import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from plain_draws import drawn_images

from auditor.ranges import Ends
from auditor.statistics import resampling
from auditor.statistics.intervals import ANY, POSITIVE, SHARE
from auditor.statistics.resampling import GIVER, image_sums, left_out_means
from auditor.statistics.studentized import Estimate, Measured, estimates

KEY = (1, "set", "3f9c1a", None)


def mean_of(scores: list[float], ends: Ends | None = None) -> Measured:
    values = np.array(scores)
    without = (values.sum() - values) / (len(values) - 1 or np.nan)
    return Measured(float(values.mean()), without, ends or (POSITIVE if min(scores) >= 0 else ANY))


def estimated(scores: list[float], resamples: int = 200, ends: Ends | None = None) -> Estimate:
    (one,) = estimates([mean_of(scores, ends)], resamples, KEY)
    return one


def test_resamples_are_those_of_a_plain_loop() -> None:
    scores = [-0.3, 0.1, 0.4, 0.2, 0.9, 0.35, 0.5, 0.6]
    found = estimated(scores, 30)
    assert found.error == pytest.approx(statistics.stdev(scores) / 8**0.5)
    assert (found.value + found.apart).tolist() == pytest.approx(scores)
    for places, moved, error in zip(drawn_images(8, 30, KEY).tolist(), found.moved, found.errors, strict=True):
        drawn = [scores[place] for place in places]
        assert moved == pytest.approx(statistics.fmean(drawn) - found.value)
        assert error == pytest.approx(statistics.pstdev(drawn) / 7**0.5, abs=1e-9)
    low, high = np.quantile(found.moved / found.errors, [0.025, 0.975])
    assert found.interval(0.95) == pytest.approx((found.value - high * found.error, found.value - low * found.error))


@pytest.mark.parametrize("images", [10, 30])
def test_intervals_of_few_images_of_skewed_scores_cover_as_often_as_they_say(images: int) -> None:
    """2,000 datasets of exponential scores: percentiles of resampled means cover 85 and 91 % of the true means."""
    scores = np.random.default_rng(1993).exponential(1, (2000, images))
    found = [one.interval(0.95) for one in estimates([mean_of(some.tolist()) for some in scores], 999, KEY)]
    assert 0.93 <= statistics.fmean(ends is not None and ends[0] <= 1 <= ends[1] for ends in found) <= 0.97


def test_block_size_changes_no_bit(monkeypatch: pytest.MonkeyPatch) -> None:
    scores = np.random.default_rng(5).random(40).tolist()
    whole = estimated(scores)
    monkeypatch.setattr(resampling, "AT_A_TIME", 90)
    again = estimated(scores)
    assert (again.moved.tobytes(), again.errors.tobytes()) == (whole.moved.tobytes(), whole.errors.tobytes())


@pytest.mark.parametrize(("value", "low", "high"), [(0.0, 0.0, 0.3085), (1.0, 0.6915, 1.0), (0.2, 0.1383, 0.4468)])
def test_equal_images_say_how_rare_others_may_be(value: float, low: float, high: float) -> None:
    """Of ten images with 0, at most 1 - 0.025^(1/10) may have another score (Clopper & Pearson)."""
    assert estimated([value] * 10, ends=SHARE).interval(0.95) == pytest.approx((low, high), abs=1e-4)
    assert estimated([value] * 10, ends=POSITIVE).interval(0.95) is None, "nothing limits the score of another image"


def test_a_few_images_or_one_that_differs_have_no_interval_and_no_test() -> None:
    for scores in ([0.0] * 8 + [0.5], [0.5], [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7]):
        assert estimated(scores, ends=SHARE).interval(0.95) is None
        assert not estimated(scores, ends=SHARE).is_tested
    assert estimated([0.1, 0.2, 0.4, 0.3] * 3, 0).interval(0.95) is None


shares = st.lists(st.sampled_from([0.0, 1e-9, 0.2, 0.5, 0.9, 1.0]), min_size=1, max_size=30)


@given(shares)
def test_intervals_hold_their_value_and_stay_in_the_range(scores: list[float]) -> None:
    for ends in (SHARE, POSITIVE):
        found = estimated(scores, 100, ends)
        if (reach := found.interval(0.95)) is not None:
            assert ends[0] <= reach[0] <= found.value + 1e-12
            assert found.value - 1e-12 <= reach[1] <= ends[1]
            assert reach[0] < reach[1], "no interval is without width"


drawn_scores = st.lists(
    st.tuples(st.sampled_from("abcdefgh"), st.sampled_from("abcdefgh"), st.integers(0, 10**9).map(lambda n: n / 10**6)),
    min_size=2,
)


@given(drawn_scores)
@example([(image, "a" if image != "a" else "b", 800.0) for image in "abcd"])
def test_an_image_is_left_out_with_the_captions_that_it_gave(drawn: list[tuple[str, str, float]]) -> None:
    scores = pl.DataFrame(drawn, schema=["image", GIVER, "m"], orient="row").with_columns(
        candidate=pl.lit("intra"), slot=pl.int_range(pl.len())
    )
    scores = scores.filter(pl.col("image") != pl.col(GIVER), pl.col(GIVER).is_in(scores["image"].implode()))
    if scores.is_empty():
        return
    found = left_out_means(image_sums(scores))[:, 0]
    for image, mean in zip(scores["image"].unique().sort(), found, strict=True):
        left = [score for one, giver, score in scores.select("image", GIVER, "m").rows() if image not in (one, giver)]
        assert mean == pytest.approx(statistics.fmean(left)) if left else np.isnan(mean)
