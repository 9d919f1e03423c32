"""Summaries: exact means in any order, macro means of images, nothing for nothing."""

from __future__ import annotations

import statistics
from fractions import Fraction

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor.statistics.summary import summarize

scores = st.lists(
    st.tuples(st.sampled_from("abcd"), st.floats(0, 10).map(lambda value: round(value, 12))), min_size=1, max_size=40
)


def frame(rows: list[tuple[str, float]]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema={"image": pl.String, "value": pl.Float64}, orient="row")


@given(scores)
def test_summary_equals_the_standard_library(rows: list[tuple[str, float]]) -> None:
    levels = {row["level"]: row for row in summarize(frame(rows)).to_dicts()}
    micro, macro = levels["caption"], levels["image"]
    images: dict[str, list[float]] = {}
    for image, value in rows:
        images.setdefault(image, []).append(value)
    spreads = [statistics.stdev(values) for values in images.values() if len(values) > 1]
    assert ("image-sd" in levels) == bool(spreads)
    pairs = [(micro, [v for _, v in rows]), (macro, [statistics.fmean(v) for v in images.values()])]
    if spreads:
        pairs.append((levels["image-sd"], spreads))
    for found, values in pairs:
        assert found["n"] == len(values)
        assert found["mean"] == pytest.approx(float(Fraction(sum(map(Fraction, values))) / len(values)), abs=1e-12)
        assert found["median"] == pytest.approx(statistics.median(values), abs=1e-12)
        assert (found["min"], found["max"]) == pytest.approx((min(values), max(values)), abs=1e-12)
        if len(values) > 1:
            assert found["sd"] == pytest.approx(statistics.stdev(values), abs=1e-9)
        else:
            assert found["sd"] is None


@given(scores, st.randoms(use_true_random=False))
def test_order_changes_no_bit(rows: list[tuple[str, float]], random: object) -> None:
    shuffled = list(rows)
    random.shuffle(shuffled)
    assert summarize(frame(rows)).equals(summarize(frame(shuffled)))


def test_metrics_are_summarized_each_for_itself_in_their_order() -> None:
    scores = pl.DataFrame({"image": ["a", "a", "b"], "z": [0.25, 0.75, 1.0], "a": [1.0, 1.0, 1.0]})
    rows = summarize(scores).select("metric", "level", "n", "mean").rows()
    assert rows == [
        ("z", "caption", 3, pytest.approx(2 / 3)),
        ("z", "image", 2, 0.75),
        ("z", "image-sd", 1, pytest.approx(0.5**0.5 / 2)),
        ("a", "caption", 3, 1.0),
        ("a", "image", 2, 1.0),
        ("a", "image-sd", 1, 0.0),
    ]


def test_nothing_summarizes_to_nothing() -> None:
    assert summarize(frame([])).is_empty()
