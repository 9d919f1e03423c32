"""Correlation of diversity statistics over systems: scipy's, with a reason where there is none."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import rankdata, spearmanr

from auditor.statistics.correlation import correlate_statistics, heatmap, matrix

#: Columns of table 1 of van Miltenburg et al. 2018 in which no two systems are equal as printed.
TABLE = {
    "types": [598, 1009, 1112, 917, 953, 849, 1334, 1922, 2611],
    "novel": [50.1, 50.0, 43.0, 38.8, 90.5, 44.5, 60.1, 87.7, 80.5],
    "loc5": [0.70, 0.78, 0.74, 0.66, 0.69, 0.72, 0.80, 0.76, 0.71],
}


def rows(columns: dict[str, list[float | None]]) -> pl.DataFrame:
    return pl.DataFrame(
        [(f"s{place}", name, value) for name, some in columns.items() for place, value in enumerate(some)],
        schema={"dataset": pl.String, "statistic": pl.String, "value": pl.Float64},
        orient="row",
    )


@given(
    st.integers(3, 12).flatmap(
        lambda n: st.tuples(*[st.lists(st.integers(0, 6).map(float), min_size=n, max_size=n) for _ in range(2)])
    )
)
def test_rho_is_pearsons_of_mean_ranks_and_scipys(pair: tuple[list[float], list[float]]) -> None:
    a, b = pair
    found = correlate_statistics(rows({"a": list(a), "b": list(b)})).row(0, named=True)
    if len(set(a)) == 1 or len(set(b)) == 1:
        assert found["value"] is None
        assert "is equal for all datasets" in found["reason"]
        return
    x, y = (rankdata(side) - (len(a) + 1) / 2 for side in pair)
    assert found["value"] == pytest.approx((x * y).sum() / ((x * x).sum() * (y * y).sum()) ** 0.5)
    assert (found["value"], found["p"]) == tuple(map(float, spearmanr(a, b)))


def test_table_1_gives_the_correlations_of_figures_2_and_6() -> None:
    found = correlate_statistics(rows({name: list(values) for name, values in TABLE.items()}))
    rho = {(a, b): abs(value) for a, b, value in found.select("statistic_a", "statistic_b", "value").rows()}
    printed = {("types", "novel"): 0.43, ("types", "loc5"): 0.50, ("novel", "loc5"): 0.10}
    assert rho == pytest.approx(printed, abs=0.005)


def test_what_cannot_correlate_says_why() -> None:
    found = correlate_statistics(rows({"a": [1, 2, 3], "b": [3, 2, None], "c": [4, 4, 4]}), ["a", "b", "c"])
    assert found["value"].to_list() == [None, None, None]
    assert found["reason"].to_list() == [
        "fewer than 3 datasets have both",
        "c is equal for all datasets",
        "fewer than 3 datasets have both",
    ]


def test_heatmap_is_a_whole_square() -> None:
    figure = heatmap(correlate_statistics(rows({"a": [1, 2, 3], "b": [3, 1, 2], "c": [1, 3, 2]})))
    assert figure.frame.equals(matrix(correlate_statistics(rows({"a": [1, 2, 3], "b": [3, 1, 2], "c": [1, 3, 2]}))))
    assert figure.frame.height == 9
    assert figure.frame.filter(pl.col("statistic_a") == pl.col("statistic_b"))["value"].to_list() == [1.0] * 3
