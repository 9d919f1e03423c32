"""Bootstrap-t over images: a plain loop's numbers, intervals of ten images that cover, none where nothing can be said."""

from __future__ import annotations

import statistics

import numpy as np
import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from plain_draws import drawn_images

from auditor.statistics import resampling
from auditor.statistics.resampling import GIVER, image_sums, left_out_means
from auditor.statistics.studentized import Estimate, Measured, estimates

KEY = (1, "set", "3f9c1a", None)


def mean_of(scores: list[float]) -> Measured:
    values = np.array(scores)
    without = (values.sum() - values) / (len(values) - 1 or np.nan)
    return Measured(float(values.mean()), without, is_positive=min(scores) >= 0)


def estimated(scores: list[float], resamples: int = 200) -> Estimate:
    (one,) = estimates([mean_of(scores)], resamples, KEY)
    return one


def test_resamples_are_those_of_a_plain_loop() -> None:
    scores = [-0.3, 0.1, 0.4, 0.2, 0.9, 0.35]
    found = estimated(scores, 30)
    assert found.error == pytest.approx(statistics.stdev(scores) / 6**0.5)
    assert found.pseudo.tolist() == pytest.approx(scores)
    for places, moved, error in zip(drawn_images(6, 30, KEY).tolist(), found.moved, found.errors, strict=True):
        drawn = [scores[place] for place in places]
        assert moved == pytest.approx(statistics.fmean(drawn) - found.value)
        assert error == pytest.approx(statistics.pstdev(drawn) / 5**0.5, abs=1e-9)
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


def test_identical_images_have_an_interval_without_width() -> None:
    assert estimated([0.2] * 4).interval(0.95) == (0.2, 0.2)
    assert estimated([0.0] * 4).interval(0.95) == (0.0, 0.0)


def test_no_interval_is_said_of_a_few_images_most_of_which_tie() -> None:
    assert estimated([0.0] * 8 + [0.5]).interval(0.95) is None
    assert estimated([0.5], 200).interval(0.95) is None
    assert estimated([0.1, 0.2, 0.4, 0.3], 0).interval(0.95) is None


def test_one_image_that_decides_a_score_gives_no_interval_beyond_all_scores() -> None:
    rest = np.random.default_rng(7).exponential(1e-3, 198).tolist()
    assert estimated([*rest, 2.0]).interval(0.95) is None
    assert estimated([1e-12] * 40 + [2e-12, 9.0]).interval(0.95) is None
    assert estimated([*rest, 0.003]).interval(0.95) is not None


def test_a_value_is_above_another_where_their_difference_is_surely_above_0() -> None:
    low, high = estimated([0.1, 0.12, 0.15, 0.11, 0.13]), estimated([0.8, 0.9, 0.85, 0.7, 0.75])
    nothing = estimated([0.0] * 5)
    assert high.is_above(low, 0.95)
    assert not low.is_above(high, 0.95)
    assert low.is_above(nothing, 0.95)
    assert not nothing.is_above(low, 0.95)
    assert not low.is_above(low, 0.95)
    assert not high.is_above(estimated([0.1]), 0.95)


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
