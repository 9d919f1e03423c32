"""Words that A uses more, less or never: log-likelihood by the formula, with its sign; settings of one comparison."""

from __future__ import annotations

import json
import math
from collections import Counter
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from conftest import ingest_rows
from hypothesis import given
from hypothesis import strategies as st
from sizes import examples

from auditor.api import Auditor
from auditor.errors import MetricError, UsageError
from auditor.store.connection import MEMORY, Store
from auditor.studies.words import words
from auditor.studies.words.study import keyness

captions = st.lists(st.sampled_from(["dog", "cat", "naïve", "日本"]), min_size=1, max_size=40)


def filled(store: Store, a: list[str], b: list[str]) -> None:
    ingest_rows(store, [("p", slot, word) for slot, word in enumerate(a)], "one", kind="candidates")
    ingest_rows(store, [("p", slot, word) for slot, word in enumerate(b)], "other", kind="candidates")


@examples(5)
@given(a=captions, b=captions)
def test_log_likelihood_is_that_of_rayson_and_garside(a: list[str], b: list[str]) -> None:
    with Store.open(MEMORY) as store:
        filled(store, a, b)
        frame = keyness(store, "one", against="other", tokenizer="bare", minimum=1).frame
    c, d = len(a), len(b)
    seen = Counter(a), Counter(b)
    assert set(frame["word"]) == set(a) | set(b)
    for row in frame.iter_rows(named=True):
        o = [side[row["word"]] for side in seen]
        e = [size * sum(o) / (c + d) for size in (c, d)]
        likelihood = 2 * sum(x * math.log(x / y) for x, y in zip(o, e, strict=True) if x)
        sign = {True: 1, False: -1}[o[0] * d > o[1] * c] if o[0] * d != o[1] * c else 0
        assert row["occurrences"] == o[0]
        assert row["expected"] == pytest.approx(e[0])
        assert row["log_likelihood"] == pytest.approx(sign * likelihood, abs=1e-9)
        assert row["log_ratio"] == pytest.approx(math.log2((max(o[0], 0.5) / c) / (max(o[1], 0.5) / d)))
        assert row["p"] == pytest.approx(math.erfc(math.sqrt(max(likelihood, 0) / 2)), abs=1e-7)
        assert row["direction"] == {1: "over", -1: "under", 0: "even"}[sign]


def test_a_published_example_of_the_formula_holds(store: Store) -> None:
    """UCREL's log-likelihood wizard: 20 of 100 against 10 of 100 is 3.40, log ratio 1."""
    filled(store, ["dog"] * 20 + ["cat"] * 80, ["dog"] * 10 + ["cat"] * 90)
    dog = keyness(store, "one", against="other").frame.filter(pl.col("word") == "dog").row(0, named=True)
    assert round(dog["log_likelihood"], 2) == 3.40
    assert dog["log_ratio"] == pytest.approx(1.0)
    assert dog["ratio"] == pytest.approx(2.0)


def test_rare_words_are_left_out_unless_they_are_watched(store: Store) -> None:
    filled(store, ["dog"] * 6 + ["cat"], ["dog"] * 6)
    assert keyness(store, "one", against="other").frame["word"].to_list() == ["dog"]
    watched = keyness(store, "one", against="other", words=["Cat", "cow"])
    assert set(watched.frame["word"]) == {"dog", "cat"}
    assert watched.frame.filter(pl.col("word") == "cat")["ratio"].to_list() == [None]
    assert "these words are in neither dataset (tokenizer bare): cow" in watched.sentences


def test_a_side_without_words_and_a_minimum_of_none_are_refused(store: Store) -> None:
    filled(store, ["dog"], ["..."])
    with pytest.raises(MetricError, match="other: no caption has a token"):
        keyness(store, "one", against="other")
    with pytest.raises(UsageError, match="expected 1 or more"):
        keyness(store, "one", against="other", minimum=0)


def test_library_and_json_have_the_same_rows(tmp_path: Path) -> None:
    path = tmp_path / "audit.duckdb"
    with Store.open(path, write=True) as store:
        filled(store, ["dog"] * 6, ["dog"] * 3 + ["cat"] * 9)
    with Auditor(path) as audit:
        result = audit.words("one", against="other")
    rows = json.loads(result.to_json())["auditor.words/v3"]["rows"]
    columns = "dataset against word occurrences expected log_likelihood log_ratio p direction".split()
    assert [list(row)[: len(columns)] for row in rows] == [columns] * 2
    assert [(row["word"], row["direction"]) for row in rows] == [("cat", "under"), ("dog", "over")]


@pytest.mark.parametrize(
    ("by", "settings", "refused"),
    [
        ("corpus", {"importance": 2}, "--importance: only for --by image"),
        ("corpus", {"all_images": True}, "--all-images: only for --by training"),
        (
            "training",
            {"evaluation": "other", "minimum": 2},
            "--minimum: only for --by corpus or --by image; leave out for --by training",
        ),
        ("image", {"words": ["dog"]}, "--word: only for --by corpus"),
        ("training", {}, "--by training: add --eval"),
        ("nothing", {}, "expected corpus, training or image"),
    ],
)
def test_setting_that_a_comparison_does_not_read_is_refused(
    by: str, settings: dict[str, Any], refused: str, store: Store
) -> None:
    filled(store, ["dog"], ["cat"])
    with pytest.raises(UsageError, match=refused):
        words(store, "one", against="other", by=by, **settings)


def test_a_setting_of_another_comparison_does_not_choose_it(store: Store) -> None:
    with pytest.raises(UsageError, match="--seed: only for --by image; leave out for --by corpus"):
        words(store, "one", against="other", seed=1)


def test_words_of_two_datasets_are_not_compared_with_a_third_at_once(store: Store) -> None:
    filled(store, ["dog"], ["cat"])
    with pytest.raises(UsageError, match="--by corpus: expected one dataset, not 2"):
        words(store, "one", "other", against="other")
