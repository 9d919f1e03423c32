"""A system's output scored: CIDEr in both scales, each signed, and tables that say of what their numbers are."""

from __future__ import annotations

import json

import polars as pl
import pytest
from conftest import ingest_rows

from auditor.scoring.registry import METRICS, in_scales, request
from auditor.store.connection import Store
from auditor.studies.metrics import metric_cards
from auditor.studies.score.study import score

TEXTS = {"a": ["a red kite", "the red kite flies", "a kite"], "b": ["two dogs run", "a dog runs in snow", "dogs"]}


@pytest.fixture
def described(store: Store) -> Store:
    ingest_rows(store, [(image, slot, text) for image, texts in TEXTS.items() for slot, text in enumerate(texts)])
    ingest_rows(store, [("a", 0, "a red kite in snow"), ("b", 0, "two dogs")], "system", "candidates")
    return store


@pytest.mark.parametrize("asked", ["cider", "cider:scale=x10", "cider-d", "cider-d:sigma=4"])
def test_system_has_cider_in_both_scales(described: Store, asked: str) -> None:
    result = score(described, "set", metrics=[asked], candidates="system")
    raw, by_ten = sorted(result.signatures, key=lambda label: "scale" in label)
    assert "|scale:raw|" in result.signatures[raw]
    assert result.signatures[by_ten] == result.signatures[raw].replace("|scale:raw|", "|scale:x10|")
    values = {label: result.frame.filter(metric=label).sort("image")["value"].to_list() for label in (raw, by_ten)}
    assert min(values[raw]) > 0
    assert values[by_ten] == pytest.approx([10 * value for value in values[raw]], abs=1e-11)
    means = dict(result.tables[0].frame.select("metric", "mean").rows())
    assert means[by_ten] == pytest.approx(10 * means[raw], abs=1e-11)
    assert "pycocoevalcap" in str(result.tables[0].caption)


def test_both_scales_asked_for_come_once_and_captions_held_out_have_the_one_asked_for(described: Store) -> None:
    both = score(described, "set", metrics=["cider", "cider:scale=x10"], candidates="system")
    assert both.frame["metric"].unique(maintain_order=True).to_list() == ["cider", "cider:scale=x10"]
    assert set(score(described, "set", metrics=["cider"]).frame["metric"]) == {"cider"}


def test_metrics_without_scales_stay_as_they_are() -> None:
    for name in ("bleu-1", "ter", "rouge-l"):
        assert [one.label for one in in_scales(request(name))] == [name]
    assert [one.label for one in in_scales(request("chrf"))] == ["chrf", "chrf:scale=x100"]


def test_tables_of_a_system_name_it_and_count_the_captions_that_are_not_shown(store: Store) -> None:
    ingest_rows(store, [(f"i{n}", slot, f"w{n} w") for n in range(14) for slot in (0, 1)])
    ingest_rows(store, [(f"i{n}", 0, "dog") for n in range(14)], "system", "candidates")
    summary, least = score(store, "set", metrics=["bleu-1"], candidates="system").tables
    assert summary.title == "scores of the captions of system against those of set"
    assert least.title == "the 10 captions least similar to the references of their image, by bleu-1"
    assert str(least.caption).endswith("; 4 more have the same score as the last")


def test_card_says_which_scale_is_whose() -> None:
    (scale,) = metric_cards("cider").frame.filter(parameter="scale")["meaning"]
    for word in ("raw: at most 1", "Wang & Gaizauskas 2016", "x10: at most 10", "pycocoevalcap", "100 times"):
        assert word in scale


@pytest.mark.parametrize("name", METRICS)
def test_rows_of_a_card_hold_every_parameter(name: str) -> None:
    read = json.loads(metric_cards(name).to_json())["auditor.metrics/v3"]["rows"]
    found = {row["parameter"]: row for row in read if row["property"] == "parameter"}
    declared = METRICS[name].parameters
    assert list(found) == list(declared)
    for key, parameter in declared.items():
        assert found[key]["default"] == str(parameter.default).lower()
        assert found[key]["meaning"] == parameter.meaning
        assert found[key]["choices"] == (parameter.words or None)
        assert (found[key]["range"] is None) == bool(parameter.choices)
    facts = pl.DataFrame(read, orient="row").filter(pl.col("property") != "parameter")
    assert facts["value"].null_count() == 0
