"""Permutation tests: p of an exact enumeration, Holm's own example, Cliff's delta by counting every pair."""

from __future__ import annotations

from itertools import combinations, product
from statistics import fmean

import numpy as np
import polars as pl
import pytest
from conftest import ingest_rows
from hypothesis import given
from hypothesis import strategies as st

from auditor.statistics.permutation import cliffs_delta, dealt_means, two_sided_p
from auditor.statistics.resampling import ImageSums, image_sums
from auditor.statistics.significance import holm
from auditor.store.connection import Store
from auditor.studies.compare.pairs import parted
from auditor.studies.compare.study import compare

A, B = [0.9, 0.7, 0.8, 0.6], [0.1, 0.5, 0.65, 0.2]


def sums(values: list[float]) -> ImageSums:
    rows = {"candidate": "human", "image": [f"i{n}" for n in range(len(values))], "slot": 0, "score": values}
    return image_sums(pl.DataFrame(rows))


def p_of(a: list[float], b: list[float], *, paired: bool, deals: int = 4000) -> float | None:
    first, second = dealt_means(sums(a), sums(b), deals, ("a test",), paired=paired)
    return two_sided_p(fmean(a) - fmean(b), first[:, 0] - second[:, 0])


def test_unpaired_p_is_that_of_every_way_to_deal_out_the_images() -> None:
    observed, pooled = abs(fmean(A) - fmean(B)), A + B
    every = [
        abs(fmean(pooled[n] for n in taken) - fmean(pooled[n] for n in range(8) if n not in taken)) >= observed - 1e-12
        for taken in combinations(range(8), 4)
    ]
    assert p_of(A, B, paired=False) == pytest.approx(fmean(every), abs=0.02)


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
    once, again, other = (dealt_means(sums(A), sums(B), 20, (key,), paired=False)[0] for key in "xxy")
    assert (once == again).all()
    assert (once != other).any()


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
    result = compare(store, "alike@v1", "alike@v2", "apart", metrics=["bleu-1"], resamples=60, pairs=True)
    upper = result.frame.filter(pl.col("against").is_not_null(), statistic="upper")
    assert upper["test"].to_list() == ["paired", "unpaired", "unpaired"]
    assert upper.select("dataset", "against").rows() == [("alike", "alike"), ("alike", "apart"), ("alike", "apart")]
    assert upper["delta"][1] == 1.0
    assert (upper["p_holm"] >= upper["p"]).all()
    assert upper["difference"].to_list() == pytest.approx((upper["value"] - upper["value_against"]).to_list())
    assert "label" not in result.frame.columns
    assert result.tables[-1].frame["against"].to_list()[:2] == ["alike@v2", "apart"]
    alone = compare(store, "alike", "apart", metrics=["bleu-1"], resamples=0, pairs=True).frame
    assert alone["p"].null_count() == alone.height


def test_pairs_come_beside_the_values_of_one_run(store: Store) -> None:
    for name in ("one", "two"):
        ingest_rows(
            store, [(image, slot, f"a {name} {image} {slot % 2}") for image in "abcd" for slot in range(3)], name
        )
    asked = {"metrics": ["bleu-1", "ter"], "resamples": 40}
    alone, both = (compare(store, "one", "two", **asked, pairs=pairs) for pairs in (False, True))
    of_pairs = pl.col("against").is_not_null()
    assert both.frame.filter(~of_pairs).select(alone.frame.columns).equals(alone.frame)
    assert set(both.frame.filter(of_pairs)["statistic"]) == {"upper", "homogeneity", "specificity"}
    assert [one.title for one in both.tables] == [*(one.title for one in alone.tables), "differences between datasets"]
    assert (both.sentences, both.figures[0].title) == (alone.sentences, alone.figures[0].title)
    values, differences = parted(both)
    assert values.frame.equals(alone.frame)
    assert differences.frame.height == both.frame.height - alone.frame.height
    assert differences.frame["difference"].null_count() == 0
    assert [one.title for one in differences.tables] == ["differences between datasets"]
