"""Differences of datasets: Holm's own example, Cliff's delta by counting every pair, the rows of pairs."""

from __future__ import annotations

from statistics import fmean

import numpy as np
import polars as pl
import pytest
from compared import parted
from conftest import ingest_rows
from hypothesis import given
from hypothesis import strategies as st

from auditor.statistics.permutation import cliffs_delta
from auditor.statistics.significance import holm
from auditor.store.connection import Store
from auditor.studies.compare.study import compare


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
    images = "abcdefghij"
    kite = [(image, slot, f"a red kite {image if slot else 'up'}") for image in images for slot in range(3)]
    ingest_rows(store, kite, "alike")
    ingest_rows(store, [(f"{image}{image}", slot, f"{image}{slot} x{slot}") for image, slot, _ in kite], "apart")
    ingest_rows(store, [(image, slot, f"{text} {slot * (image < 'e')}") for image, slot, text in kite], "alike")
    result = compare(store, "alike@v1", "alike@v2", "apart", metrics=["bleu-1"], resamples=60)
    upper = result.frame.filter(pl.col("against").is_not_null(), statistic="upper")
    assert upper["test"].to_list() == ["paired", "unpaired", "unpaired"]
    assert upper.select("dataset", "against").rows() == [("alike", "alike"), ("alike", "apart"), ("alike", "apart")]
    assert upper["delta"][1] == 1.0
    tested = upper.drop_nulls("p")
    assert (tested["p_adjusted"] >= tested["p"]).all()
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
    _, differences = parted(both)
    assert differences.frame.height == both.frame.filter(of_pairs).height
    assert differences.frame["difference"].null_count() == 0
    assert [one.title for one in differences.tables] == ["differences between datasets"]
