"""Permutation tests: p of an exact enumeration, Holm's own example, Cliff's delta by counting every pair."""

from __future__ import annotations

from itertools import combinations, product
from statistics import fmean, variance

import numpy as np
import polars as pl
import pytest
from compared import parted
from conftest import ingest_rows
from hypothesis import given
from hypothesis import strategies as st

from auditor.statistics import permutation
from auditor.statistics.permutation import cliffs_delta, permutation_ps
from auditor.statistics.significance import holm
from auditor.store.connection import Store
from auditor.studies.compare.study import compare

A, B = [0.9, 0.7, 0.8, 0.6], [0.1, 0.5, 0.65, 0.2]


def p_of(a: list[float], b: list[float], *, paired: bool, deals: int = 4000) -> float | None:
    (p,) = permutation_ps(np.array([a]).T, np.array([b]).T, deals, ("a test",), paired=paired)
    return p


def in_standard_errors(a: list[float], b: list[float]) -> float:
    return abs(fmean(a) - fmean(b)) / (variance(a) / len(a) + variance(b) / len(b)) ** 0.5


@pytest.mark.parametrize("size", [3, 4])
def test_unpaired_p_is_that_of_every_way_to_deal_out_the_images(size: int) -> None:
    """The difference is studentized, so that with sides of unequal sizes other deals are as far apart."""
    pooled = A + B
    observed = in_standard_errors(pooled[:size], pooled[size:])
    every = [
        in_standard_errors([pooled[n] for n in taken], [pooled[n] for n in range(8) if n not in taken])
        >= observed - 1e-9
        for taken in combinations(range(8), size)
    ]
    assert p_of(pooled[:size], pooled[size:], paired=False) == pytest.approx(fmean(every), abs=0.02)


@pytest.mark.parametrize(("sizes", "spreads"), [((500, 50), (1, 3)), ((50, 500), (1, 3)), ((200, 200), (1, 1))])
def test_equal_means_are_called_different_as_often_as_the_level_says(
    sizes: tuple[int, int], spreads: tuple[int, int]
) -> None:
    """200 pairs of datasets of equal means, each a column: bare differences of means reject 38, 0 and 5 % of them."""
    draw = np.random.default_rng(1997)
    a, b = (draw.normal(0.5, spread / 10, (n, 200)) for n, spread in zip(sizes, spreads, strict=True))
    ps = permutation_ps(a, b, 199, sizes, paired=False)
    assert 0.02 <= fmean(p <= 0.05 for p in ps) <= 0.08


def test_a_side_of_one_image_or_a_value_that_is_none_has_no_p() -> None:
    assert p_of([0.5], [0.1, 0.2], paired=False) is None
    assert p_of([0.5, np.nan], [0.1, 0.2], paired=False) is None
    assert p_of([0.5, np.nan], [0.1, 0.2], paired=True) is None
    assert p_of([0.5, 0.4], [0.1, 0.2], paired=False, deals=0) is None


def test_paired_p_is_that_of_every_way_to_change_places() -> None:
    observed = abs(fmean(A) - fmean(B))
    every = [
        abs(fmean(sign * (a - b) for sign, a, b in zip(signs, A, B, strict=True))) >= observed - 1e-12
        for signs in product((1, -1), repeat=4)
    ]
    assert p_of(A, B, paired=True) == pytest.approx(fmean(every), abs=0.02)


def test_equal_sides_differ_in_every_deal_as_much() -> None:
    assert p_of(A, A, paired=True, deals=50) == 1.0
    assert p_of(A, A, paired=False, deals=50) == 1.0


def test_deals_are_a_function_of_their_key() -> None:
    draw = np.random.default_rng(1)
    a, b = draw.normal(0, 1, (2, 30, 5))
    once, again, other = (permutation_ps(a, b, 50, (key,), paired=False) for key in "xxy")
    assert once == again != other


def test_blocks_of_deals_change_no_p(monkeypatch: pytest.MonkeyPatch) -> None:
    draw = np.random.default_rng(1)
    a, b = draw.normal(0, 1, (2, 30, 5))
    for paired in (True, False):
        whole = permutation_ps(a, b, 50, ("key",), paired=paired)
        with monkeypatch.context() as small:
            small.setattr(permutation, "AT_A_TIME", 70)
            assert permutation_ps(a, b, 50, ("key",), paired=paired) == whole


def test_holm_corrects_as_in_the_textbook() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.9, 0.8]) == [1.0, 1.0]
    assert holm([]) == []


scores = st.lists(st.sampled_from([0.0, 0.1, 0.5, 0.9]), min_size=1, max_size=9)


@given(scores, scores)
def test_cliffs_delta_counts_every_pair(a: list[float], b: list[float]) -> None:
    expected = fmean((x > y) - (x < y) for x in a for y in b)
    assert cliffs_delta(np.array(a), np.array(b)) == pytest.approx(expected)


def test_pairs_of_datasets_are_tested_and_versions_of_one_are_paired(store: Store) -> None:
    kite = [(image, slot, f"a red kite {image if slot else 'up'}") for image in "abcd" for slot in range(3)]
    ingest_rows(store, kite, "alike")
    ingest_rows(store, [(f"{image}{image}", slot, f"{image}{slot} x{slot}") for image, slot, _ in kite], "apart")
    ingest_rows(store, [(image, slot, f"{text} {slot}") for image, slot, text in kite], "alike")
    result = compare(store, "alike@v1", "alike@v2", "apart", metrics=["bleu-1"], resamples=60)
    upper = result.frame.filter(pl.col("against").is_not_null(), statistic="upper")
    assert upper["test"].to_list() == ["paired", "unpaired-studentized", "unpaired-studentized"]
    assert upper.select("dataset", "against").rows() == [("alike", "alike"), ("alike", "apart"), ("alike", "apart")]
    assert upper["delta"][1] == 1.0
    assert (upper["p_holm"] >= upper["p"]).all()
    assert upper["difference"].to_list() == pytest.approx((upper["value"] - upper["value_against"]).to_list())
    assert "label" not in result.frame.columns
    assert result.tables[-1].frame["against"].to_list()[:2] == ["alike@v2", "apart"]
    alone = compare(store, "alike", "apart", metrics=["bleu-1"], resamples=0).frame
    assert alone["p"].null_count() == alone.height


def test_pairs_come_beside_the_values_of_one_run(store: Store) -> None:
    for name in ("one", "two"):
        ingest_rows(
            store, [(image, slot, f"a {name} {image} {slot % 2}") for image in "abcd" for slot in range(3)], name
        )
    asked = {"metrics": ["bleu-1", "ter"], "resamples": 40}
    both = compare(store, "one", "two", **asked)
    of_pairs = pl.col("against").is_not_null()
    assert set(both.frame.filter(of_pairs)["statistic"]) == {"upper", "homogeneity", "specificity"}
    assert both.tables[-1].title == "differences between datasets"
    values, differences = parted(both)
    assert values.frame.equals(both.frame.filter(~of_pairs).select(values.frame.columns))
    assert differences.frame.height == both.frame.height - values.frame.height
    assert differences.frame["difference"].null_count() == 0
    assert [one.title for one in differences.tables] == ["differences between datasets"]


def test_equal_random_words_deal_as_many_images_to_each_side() -> None:
    class Tied:
        def random_raw(self, images: int) -> np.ndarray:
            return np.arange(images, dtype=np.uint64) // np.uint64(4)

    a, b = np.arange(6.0).reshape(6, 1), np.ones((5, 1))
    _, apart = permutation._dealt(a, b, 3, Tied())  # type: ignore[arg-type]
    assert np.isfinite(apart).all()
    taken: list[float] = []
    permutation._added(np.ones((11, 1)), 2, lambda row: row.fill(len(taken)) or taken.append(row.sum()))
    assert taken == [0.0, 11.0]
