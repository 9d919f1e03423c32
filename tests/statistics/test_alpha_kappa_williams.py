"""Alpha, kappa, tests of dependent correlations: published examples, and plain code from the definitions."""

from __future__ import annotations

from collections import Counter
from itertools import permutations

import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from auditor.statistics.correlation import correlate, steiger, williams
from auditor.statistics.rater_agreement import kappa, krippendorff, strength
from auditor.statistics.significance import holm

#: Krippendorff 2011, "Computing Krippendorff's alpha-reliability", section E: four observers, twelve units.
OBSERVERS = ["123321412...", "1233224125.3", ".3332342251.", "12332441251."]
UNITS = [[float(each[unit]) for each in OBSERVERS if each[unit] != "."] for unit in range(12)]


def pairs_of(units: list[list[float]]) -> pl.DataFrame:
    counted = Counter((len(unit), a, b) for unit in units for a, b in permutations(unit, 2))
    return pl.DataFrame(
        [(*key, count) for key, count in counted.items()],
        schema={"ratings": pl.Int64, "score_a": pl.Float64, "score_b": pl.Float64, "pairs": pl.Int64},
        orient="row",
    )


def plain_alpha(units: list[list[float]], level: str) -> float:
    """Write alpha out: the mean distance within units against that of all pairs of ratings."""
    rated = [unit for unit in units if len(unit) > 1]
    ratings = [score for unit in rated for score in unit]
    frequency = Counter(ratings)

    def distance(a: float, b: float) -> float:
        if level == "interval":
            return (a - b) ** 2
        low, high = min(a, b), max(a, b)
        between = sum(count for score, count in frequency.items() if low <= score <= high)
        return (between - (frequency[a] + frequency[b]) / 2) ** 2

    n = len(ratings)
    observed = sum(distance(a, b) / (len(unit) - 1) for unit in rated for a, b in permutations(unit, 2)) / n
    expected = sum(distance(a, b) for a, b in permutations(ratings, 2)) / (n * (n - 1))
    return 1 - observed / expected


def test_alpha_is_that_of_krippendorffs_example() -> None:
    assert krippendorff(pairs_of(UNITS), "ordinal") == pytest.approx(0.815, abs=5e-4)
    assert krippendorff(pairs_of(UNITS), "interval") == pytest.approx(0.849, abs=5e-4)


ratings = st.lists(st.lists(st.integers(1, 4).map(float), max_size=4), min_size=1, max_size=12)


@given(ratings, st.sampled_from(["ordinal", "interval"]))
def test_alpha_follows_the_definition(units: list[list[float]], level: str) -> None:
    found = krippendorff(pairs_of(units), level)
    different = {score for unit in units if len(unit) > 1 for score in unit}
    if len(different) < 2:
        assert found is None
    else:
        assert found == pytest.approx(plain_alpha(units, level))
        assert found == krippendorff(pairs_of(units[::-1]), level)


def plain_kappa(a: list[bool], b: list[bool]) -> float:
    n = len(a)
    observed = sum(x == y for x, y in zip(a, b, strict=True)) / n
    chance = sum((sum(x == value for x in a) / n) * (sum(y == value for y in b) / n) for value in (True, False))
    return (observed - chance) / (1 - chance)


judged = st.lists(st.tuples(st.integers(0, 5).map(float), st.booleans()), min_size=2, max_size=25)


@given(judged, st.booleans())
def test_kappa_is_the_highest_there_is_and_follows_the_definition(
    some: list[tuple[float, bool]], lower_is_better: bool
) -> None:
    values, good = map(list, zip(*some, strict=True))
    found = kappa(pl.Series(values), pl.Series(good), lower_is_better=lower_is_better)
    if len(set(good)) == 1:
        assert found is None
        return
    assert found is not None

    def at(cut: float) -> float:
        return plain_kappa([value <= cut if lower_is_better else value >= cut for value in values], good)

    assert found.kappa == pytest.approx(max(map(at, values)))
    assert found.kappa == pytest.approx(at(found.cut))
    given_cut = kappa(pl.Series(values), pl.Series(good), 2.5, lower_is_better=lower_is_better)
    assert given_cut is not None
    assert given_cut.kappa == pytest.approx(at(2.5))


@pytest.mark.parametrize(
    ("value", "name"),
    [
        (0.1, "uncorrelated"), (-0.104, "uncorrelated"), (0.105001, "weak"), (0.4, "weak"), (0.41, "moderate"),
        (-0.7, "moderate"), (0.71, "strong"), (0.9, "strong"), (0.91, "perfect"), (-1.0, "perfect"), (None, None),
    ],
)  # fmt: skip
def test_every_coefficient_has_a_name(value: float | None, name: str | None) -> None:
    assert strength(value) == name


def test_williams_and_steiger_give_published_values() -> None:
    # Silver, Hittner & May 2006, by way of the tests of R's cocor; Steiger 1980, page 249, whose -.8913 has a covariance
    # of two digits, by cocor -.8887185; psych's r.test(100, .2, .45, .8): t = -4.56
    t, z = williams(0.3, 0.4, 0.5, 100), steiger(0.3, 0.4, 0.5, 100)
    assert t is not None
    assert z is not None
    assert (round(t.value, 4), round(t.p, 4)) == (-1.0767, 0.2843)
    assert (round(z.value, 4), round(z.p, 4)) == (-1.0718, 0.2838)
    case_a, t = steiger(0.4, 0.5, 0.1, 103), williams(0.2, 0.45, 0.8, 100)
    assert case_a is not None
    assert t is not None
    assert round(case_a.value, 7) == -0.8887185
    assert round(t.value, 2) == -4.56


coefficients = st.floats(-0.9, 0.9)


@given(coefficients, coefficients, coefficients, st.integers(4, 1000))
def test_a_test_turned_round_has_the_other_sign(a: float, b: float, ab: float, n: int) -> None:
    assume(1 - a * a - b * b - ab * ab + 2 * a * b * ab > 0)
    for test in (williams, steiger):
        one, other = test(a, b, ab, n), test(b, a, ab, n)
        assert one is not None
        assert other is not None
        assert one.value == pytest.approx(-other.value, abs=1e-9)
        assert one.p == pytest.approx(other.p)


def test_without_a_degree_of_freedom_there_is_no_test() -> None:
    assert williams(0.5, 0.4, 0.3, 3) is steiger(0.5, 0.4, 0.3, 3) is None
    assert williams(0.5, 0.5, 1.0, 50) is steiger(0.5, 0.5, 1.0, 50) is steiger(1.0, 0.5, 0.5, 50) is None


def test_holm_corrects_the_smallest_for_all_and_never_turns_an_order_round() -> None:
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([0.6, 0.5]) == [1.0, 1.0]
    assert holm([]) == []


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(1, 4)), min_size=3, max_size=40))
def test_tau_c_is_scipys_to_the_last_bit(some: list[tuple[int, int]]) -> None:
    table = pl.DataFrame([(a / 7, float(b)) for a, b in some], schema={"a": pl.Float64, "b": pl.Float64}, orient="row")
    row = correlate(table, ["kendall-c"]).row(0, named=True)
    if table["a"].n_unique() == 1 or table["b"].n_unique() == 1:
        assert row["value"] is None
        return
    expected = stats.kendalltau(table["a"], table["b"], variant="c")
    assert row["value"] == expected.statistic
    assert row["p"] == pytest.approx(expected.pvalue, rel=1e-12)


def test_pairs_that_are_asked_for_are_those_that_come() -> None:
    table = pl.DataFrame({"a": [1.0, 2.0, 3.0, 5.0], "b": [2.0, 1.0, 3.0, 3.0], "c": [1.0, 1.0, 1.0, 1.0]})
    found = correlate(table, ["spearman"], [("b", "a"), ("c", "a")])
    assert found.select("metric_a", "metric_b").rows() == [("b", "a"), ("c", "a")]
    assert found["value"][0] == correlate(table, ["spearman"])["value"][0]
    assert found["value"][1] is None
