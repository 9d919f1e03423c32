"""The overlap of two distributions of scores, against a search over every threshold."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor.studies.compare.overlap import figures, overlaps, table


def scores(own: list[float], other: list[float]) -> pl.DataFrame:
    return pl.DataFrame(
        {
            "candidate": ["human"] * len(own) + ["intra"] * len(other),
            "image": ["i"] * (len(own) + len(other)),
            "slot": range(len(own) + len(other)),
            "bleu-1": [*own, *other],
        },
        schema_overrides={"bleu-1": pl.Float64},
    )


shares = st.lists(st.sampled_from([0.0, 0.1, 0.25, 0.5, 1.0]), min_size=1, max_size=9)


@given(shares, shares)
def test_overlap_is_the_least_sum_of_both_errors_over_all_thresholds(own: list[float], other: list[float]) -> None:
    (one,) = overlaps("set", scores(own, other))
    sums = [
        sum(value <= at for value in own) / len(own) + sum(value > at for value in other) / len(other)
        for at in (-1.0, *own, *other)
    ]
    flipped = [2 - one for one in sums]
    assert one.value == pytest.approx(min(*sums, *flipped))


def test_equal_scores_overlap_wholly_and_apart_ones_not_at_all() -> None:
    assert [overlaps("set", scores(own, [0.1, 0.2]))[0].value for own in ([0.1, 0.2], [0.5, 0.9])] == [1.0, 0.0]
    assert overlaps("set", scores([0.1], [])) == []
    assert table([]) == tuple(figures([])) == ()


def test_a_figure_of_each_dataset_has_human_captions_above_and_the_mean_of_others_is_homogeneity() -> None:
    measured = [*overlaps("a", scores([0.5, 0.7] * 50, [0.1, 0.2] * 50)), *overlaps("b", scores([0.9], [0.2, 0.9]))]
    first, second = figures(measured)
    assert (first.name, second.name) == ("scores-1", "scores-2")
    assert first.title == "Scores of a: overlap bleu-1 0%"
    sides = first.frame.group_by("metric").agg(pl.col("share").sum(), mean=(pl.col("score") * pl.col("share")).sum())
    found = {name: (share, mean) for name, share, mean in sides.iter_rows()}
    assert found["bleu-1"] == pytest.approx((1, 1), abs=1 / 8)
    assert found["bleu-1, another image"] == pytest.approx((-1, -0.25), abs=1 / 8)
