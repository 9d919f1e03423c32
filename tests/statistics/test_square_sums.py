"""Sums keep their columns at every number of images and of columns, also where both are equal, and where deals are."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from auditor.metrics import meteor
from auditor.statistics.intervals import POSITIVE, SHARE
from auditor.statistics.paired_systems import (
    SWAPPED,
    Measure,
    Resampling,
    beside_first,
    measured,
    p_of_difference,
    score_of,
)

COLUMNS = range(2, 23)


def sums_of(images: int, columns: int, seed: int) -> pl.DataFrame:
    drawn = np.random.default_rng(seed).integers(0, 9, (columns - 1, images)).astype(np.float64)
    named = {f"c{number}": values for number, values in enumerate(drawn, 1)}
    return pl.DataFrame({"image": [f"{number:02}" for number in range(images)], "images": 1.0, **named})


def mean(sums: pl.DataFrame) -> pl.Series:
    """Return a mean over images, each column with its own weight."""
    assert sums.columns == ["images", *(f"c{number}" for number in range(1, sums.width))]
    weighted = pl.sum_horizontal(pl.col(f"c{number}") * number for number in range(1, sums.width))
    return sums.select(weighted / pl.col("images")).to_series()


@pytest.mark.parametrize("columns", COLUMNS)
def test_score_without_an_image_is_that_of_the_others(columns: int) -> None:
    for images in {2, columns - 1, columns, columns + 1} - {1}:
        sums = sums_of(images, columns, seed=columns)
        without = [score_of(sums.filter(pl.col("image") != image), mean) for image in sums["image"]]
        assert measured(sums, mean, POSITIVE).without.tolist() == pytest.approx(without, rel=1e-12)


@pytest.mark.parametrize("columns", COLUMNS)
def test_deals_keep_the_number_of_images(columns: int) -> None:
    ours, theirs = (sums_of(SWAPPED, columns, seed) for seed in (1, 2))

    def checked(sums: pl.DataFrame) -> pl.Series:
        assert (sums["images"] == SWAPPED).all()
        return mean(sums)

    for deals in (columns - 1, columns, columns + 1):
        p = p_of_difference(ours, theirs, checked, deals, (1,))
        assert p is not None
        assert 0 < p <= 1


def test_interval_of_meteor_stays_at_the_value_at_every_size() -> None:
    """At 21 images, as METEOR has 21 sums, it was 2.9 to 12.6 about a METEOR of 7.6."""
    of_image = dict.fromkeys(meteor.STATISTICS, 0.0) | {
        "length": 9.0, "reference_length": 9.0, "function_words": 3.0, "reference_function_words": 3.0, "chunks": 2.0,
    }  # fmt: skip
    for images in (20, 21, 22):
        rows = [
            {**of_image, "exact_content": kept, "reference_exact_content": kept, "exact_function": 2.0,
             "reference_exact_function": 2.0}
            for kept in (float(2 + number % 4) for number in range(images))
        ]  # fmt: skip
        sums = pl.DataFrame({"image": [f"{number:02}" for number in range(images)]}).hstack(pl.DataFrame(rows))
        measure = Measure({"a": sums}, lambda frame: meteor.TOGETHER.score(frame, {}), SHARE)
        value, low, high = (
            beside_first([measure], Resampling(100, 0.95, 1), (1,), {"a": (1,)})[0]
            .select("value", "low", "high")
            .row(0)
        )
        assert 0 < low < value < high < 1
