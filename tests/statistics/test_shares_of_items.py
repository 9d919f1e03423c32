"""Shares of forced-choice items: the level of the test against the best of many, coverage where items share images."""

from __future__ import annotations

import math
from statistics import fmean

import numpy as np
import pytest
from numpy.random import Generator
from plain_draws import drawn_images

from auditor.statistics.forced_choice import Difference, against_best, difference, resampled_interval, share

BLIND = 13


def benchmark(draw: Generator, own: float, best: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Draw the marks of a scorer and of blind ones, of which the first is better than chance or not; one to three
    items an image, of 60."""
    image = np.repeat(np.arange(60), draw.integers(1, 4, 60))
    blind = (draw.random((len(image), BLIND)) < [best, *[0.5] * (BLIND - 1)]).astype(float)
    return (draw.random(len(image)) < own).astype(float), blind, image


def called(own: float, best: float, benchmarks: int = 120) -> list[Difference]:
    draw, found = np.random.default_rng(2000), []
    for seed in range(benchmarks):
        marks, blind, image = benchmark(draw, own, best)
        found += against_best([(marks, blind)], image, (seed,))
    return [one for one in found if one is not None]


def test_a_scorer_at_chance_is_seldom_below_the_best_of_thirteen_at_chance() -> None:
    """Against the one that is best on the same items it is called below by one benchmark in six."""
    draw, before = np.random.default_rng(2000), 0
    for _ in range(120):
        marks, blind, image = benchmark(draw, 0.5, 0.5)
        found = difference(marks, blind[:, blind.mean(axis=0).argmax()], image)
        before += found.p < 0.05
    assert before > 12
    assert fmean(one.p < 0.05 for one in called(0.5, 0.5)) <= 0.06


def test_a_scorer_that_is_better_or_worse_than_all_is_called_so() -> None:
    assert fmean(one.p < 0.05 and one.value > 0 for one in called(0.9, 0.6, 20)) > 0.9
    assert fmean(one.p < 0.05 and one.value < 0 for one in called(0.5, 0.9, 20)) > 0.9


def test_others_that_differ_on_one_item_hide_no_lead() -> None:
    """Resamples without that item have no spread of one other against the next."""
    image = np.arange(300)
    marks = (np.random.default_rng(1).random(300) < 0.5).astype(float)
    nearly = marks.copy()
    nearly[0] = 1 - nearly[0]
    (found,) = against_best([(marks, np.stack([nearly, np.ones(300)], axis=1))], image, ("key",))
    assert found is not None
    assert found.p < 0.01
    assert found.value < 0


def test_items_without_a_mark_are_left_out_and_few_images_are_never_sure() -> None:
    image = np.array([0, 0, 1])
    marks, other = np.array([1.0, 1.0, 1.0]), np.array([[np.nan], [np.nan], [np.nan]])
    assert against_best([(marks, other)], image, ("key",)) == [None]
    other[2] = 0.0
    (found,) = against_best([(marks, other)], image, ("key",))
    assert found == Difference(1.0, None)


def test_order_of_items_and_scorers_beside_change_no_p() -> None:
    draw = np.random.default_rng(3)
    marks, blind, image = benchmark(draw, 0.5, 0.6)
    (alone,) = against_best([(marks, blind)], image, ("key",))
    beside = against_best([(1 - marks, blind[:, :4]), (marks, blind)], image, ("key",))
    turned = against_best([(marks[::-1], blind[::-1])], image[::-1], ("key",))
    assert beside[1] == alone
    assert turned[0] is not None
    assert alone is not None
    assert turned[0].p == alone.p


@pytest.mark.parametrize("alike", [0.0, 0.3])
def test_shares_of_twelve_images_cover_as_often_as_they_say(alike: float) -> None:
    """Up to six items an image; those of an image are alike, or not. Resamples of the images say the same."""
    draw, covered, by_resamples = np.random.default_rng(1927), [], []
    for seed in range(600):
        image = np.repeat(np.arange(12), draw.integers(1, 7, 12))
        of_image = draw.beta(0.7 * (1 / alike - 1), 0.3 * (1 / alike - 1), 12) if alike else np.full(12, 0.7)
        marks = (draw.random(len(image)) < of_image[image]).astype(float)
        found = share(marks, image)
        if found.low is None or found.high is None:
            continue
        covered.append(found.low <= 0.7 <= found.high)
        if seed < 40:
            places = drawn_images(12, 400, (seed,))
            sums, counts = np.bincount(image, marks, minlength=12), np.bincount(image, minlength=12)
            drawn = sums[places].sum(axis=1) / counts[places].sum(axis=1)
            low, high = resampled_interval(found.value, drawn, 12, len(image), 0.95) or (0.0, 0.0)
            by_resamples.append((high - low) / (found.high - found.low))
    assert 0.92 <= fmean(covered) <= 0.98
    assert fmean(by_resamples) == pytest.approx(1, abs=0.1)


def test_ends_of_an_interval_are_the_shares_that_are_just_not_refused() -> None:
    """Wilson 1927: of a share s, what is observed is so many standard errors of s away, by Student's t of 7 degrees."""
    found = share(np.array([1.0, 1.0, 1.0, 0.0] * 2), np.arange(8))
    assert found.low is not None
    assert found.high is not None
    assert 0 < found.low < found.value < found.high < 1
    for end in (found.low, found.high):
        assert abs(found.value - end) == pytest.approx(
            2.364624 * math.sqrt(end * (1 - end) / found.independent), abs=1e-6
        )
