"""Metric against metric: the rows that people and programs read, and why one is empty."""

from __future__ import annotations

import polars as pl
import pytest
from conftest import Rows, ingest_rows
from scipy.stats import kendalltau

from auditor.errors import UsageError
from auditor.store.connection import Store
from auditor.studies.correlate import correlate
from auditor.studies.score.study import score

WORDS = "a dog cat man runs sits on the red bench".split()
ROWS: Rows = [
    (f"image {i}", slot, " ".join(WORDS[(i * 3 + slot * word) % 10] for word in range(4 + slot)))
    for i in range(9)
    for slot in range(1 + i % 4)
]
COLUMNS = ["dataset", "level", "metric_a", "metric_b", "statistic", "value", "p", "n"]
METRICS = ["bleu-1", "rouge-l", "ter"]


def test_every_pair_has_a_row_for_each_level_and_statistic(store: Store) -> None:
    ingest_rows(store, ROWS)
    found = correlate(store, "set", metrics=METRICS)
    assert found.frame.columns == [*COLUMNS, "version", "split", "signature_a", "signature_b"]
    assert found.frame.select("level", "metric_a", "metric_b", "statistic").rows() == [
        (level, a, b, statistic)
        for level in ("image", "caption")
        for a, b in (("bleu-1", "rouge-l"), ("bleu-1", "ter"), ("rouge-l", "ter"))
        for statistic in ("kendall-b", "spearman", "pearson")
    ]
    assert (
        found.frame.select("metric_b", "signature_b")
        .unique()
        .filter(pl.col("metric_b") == "ter")
        .row(0)[1]
        .startswith("ter|tok:bare|refs:loo|")
    )
    assert dict(found.frame.select("level", "n").rows()) == {"image": 6, "caption": 18}
    assert "set: 3 images have a single caption and no score; 18 captions of 6 images are scored" in found.sentences
    assert any(note.startswith("ter: counts errors") for note in found.sentences)


def test_values_are_those_of_the_scores(store: Store) -> None:
    ingest_rows(store, ROWS)
    wide = score(store, "set", metrics=METRICS).frame.pivot("metric", index=["image", "slot"], values="value")
    means = wide.group_by("image").mean().with_columns(pl.col(METRICS).round(10))
    rows = correlate(store, "set", metrics=METRICS, statistics=["kendall-b"]).frame
    for level, scores in (("caption", wide), ("image", means)):
        for a, b, value in rows.filter(pl.col("level") == level).select("metric_a", "metric_b", "value").rows():
            assert value == kendalltau(scores[a], scores[b]).statistic


def test_constant_metric_is_named_and_its_rows_are_empty(store: Store) -> None:
    ingest_rows(store, [(f"{i}", slot, "a dog b cat "[: 6 + i + slot]) for i in range(4) for slot in range(3)])
    found = correlate(store, "set", metrics=["bleu-1", "bleu-4:smooth=none", "rouge-l"])
    empty = found.frame.filter(pl.col("metric_b") == "bleu-4:smooth=none")
    assert empty["value"].null_count() == empty["p"].null_count() == empty.height == 6
    assert "set: no correlations of bleu-4:smooth=none per image, because all values are equal" in found.sentences


def test_too_few_images_are_said(store: Store) -> None:
    ingest_rows(store, [(image, slot, f"{image} {slot} dog {'runs' * slot}") for image in "ab" for slot in range(3)])
    found = correlate(store, "set", metrics=["bleu-1", "rouge-l"])
    assert "set: no correlations per image: 2 with scores, fewer than 3" in found.sentences
    assert found.frame.filter(pl.col("level") == "image")["value"].null_count() == 3


def test_one_metric_or_an_unknown_statistic_is_refused(store: Store) -> None:
    ingest_rows(store, ROWS)
    with pytest.raises(UsageError, match="two or more metrics"):
        correlate(store, "set", metrics=["bleu-1", "bleu-1"])
    with pytest.raises(
        UsageError, match=r"--statistic kendall: did you mean kendall-b. expected kendall-b, spearman or pearson"
    ):
        correlate(store, "set", metrics=METRICS, statistics=["kendall"])


def test_pictures_and_tables_show_the_first_statistic(store: Store) -> None:
    ingest_rows(store, ROWS)
    found = correlate(store, "set", metrics=METRICS, statistics=["pearson", "spearman"])
    assert [figure.name for figure in found.figures] == ["correlation-set-image", "correlation-set-caption"]
    drawn = found.figures[0].frame
    assert found.figures[0].span == (-1, 1)
    assert drawn.height == 9
    assert drawn.filter(pl.col("metric_a") == pl.col("metric_b"))["value"].to_list() == [1, 1, 1]
    assert [table.title for table in found.tables] == [
        "spearman of set, per image",
        "spearman of set, per caption",
        "pairs of set",
    ]
    assert found.tables[0].frame.columns == ["", "bleu-1", "rouge-l"]
    assert [row.count(None) for row in found.tables[0].frame.rows()] == [1, 0]
    pairs = found.tables[2].frame
    for statistic in ("spearman", "pearson"):
        shown = pairs.select("level", "metric_a", "metric_b", value=statistic, p=f"p of {statistic}")
        rows = found.frame.filter(statistic=statistic).select(shown.columns)
        assert sorted(shown.rows()) == sorted(rows.rows())


def test_several_datasets_have_ranges(store: Store) -> None:
    ingest_rows(store, ROWS)
    ingest_rows(store, [(image, slot, text[::-1]) for image, slot, text in ROWS[:20]], "other")
    found = correlate(store, "set", "other", metrics=METRICS, references=1, seed=3)
    ranges = found.tables[-2].frame
    values = found.frame.filter((pl.col("level") == "image") & (pl.col("statistic") == "kendall-b"))
    assert ranges.columns == ["metric_a", "metric_b", "selections", "low", "lowest", "high", "highest"]
    assert (
        ranges["low"].to_list() == values.group_by("metric_a", "metric_b", maintain_order=True).min()["value"].to_list()
    )
    assert all("|k:1|seed:3|" in signature for signature in found.signatures.values())
