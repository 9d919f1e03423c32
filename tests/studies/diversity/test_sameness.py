"""Sameness: what captions of different images share, from a table of words whose parts add up."""

from __future__ import annotations

import random
from collections.abc import Mapping

import polars as pl
import pytest
from conftest import ingest_rows
from parts_of_diversity import within_image

from auditor.model import silent
from auditor.statistics.sameness import measured_sameness, sameness
from auditor.store.captions import Captions, select
from auditor.store.connection import Store
from auditor.store.workspace import Workspace
from auditor.studies.compare.study import compare
from auditor.studies.diversity.study import diversity

WORDS = "a the dog cat café 日本 runs sits on grass snow red".split()


def captions(images: int, seed: int = 1) -> dict[str, str]:
    drawn = random.Random(seed)
    return {f"i{image:04}": " ".join(drawn.choices(WORDS, k=drawn.randint(0, 9))) or "..." for image in range(images)}


def ingested(store: Store, texts: Mapping[str, str], dataset: str = "set") -> Workspace:
    ingest_rows(store, [(image, 0, text) for image, text in texts.items()], dataset)
    return select(store, dataset).workspace(lists=1)


def overlap(texts: Mapping[str, str]) -> float:
    """Return the words that two captions share, mean over pairs, by the mean number of words of a caption."""
    sets = [{*text.strip(".").split()} for text in texts.values()]
    shared = [len(one & other) for number, one in enumerate(sets) for other in sets[:number]]
    return sum(shared) / len(shared) / (sum(map(len, sets)) / len(sets))


def test_sameness_is_the_mean_overlap_of_pairs(store: Store) -> None:
    texts = captions(40)
    (value,) = sameness(ingested(store, texts).rows("sameness"))["value"]
    assert value == pytest.approx(overlap(texts), abs=1e-12)


def test_value_without_each_image_is_that_of_the_others(store: Store) -> None:
    texts = captions(15)
    workspace = ingested(store, texts)
    measured = measured_sameness(workspace.rows("image_sameness"), workspace.rows("sameness"))
    without = [overlap({image: text for image, text in texts.items() if image != left}) for left in sorted(texts)]
    assert measured.without.tolist() == pytest.approx(without, abs=1e-12)


def test_integers_of_a_thousand_parts_are_those_of_the_whole(store: Store) -> None:
    workspace = ingested(store, captions(2_000))
    whole = workspace.rows("sameness").row(0)
    # each part is a list of its own: its table of words is made of its captions alone
    parts = workspace.query("select * replace (1 + image_no % 1000 as list_no) from list_caption").cast(
        {"list_no": pl.UInt32}
    )
    workspace.bind_rows("list_caption", parts)
    tables = workspace.rows("list_word")
    assert tables["list_no"].n_unique() > 900
    df = tables.group_by("token_id").agg(pl.col("captions").cast(pl.Int64).sum())["captions"]
    assert (1, workspace.rows("sameness")["captions"].sum(), df.sum(), (df * (df - 1)).sum()) == whole


def test_row_order_and_slots_keep_sameness(store: Store) -> None:
    texts = captions(30)
    first = ingested(store, texts).rows("sameness")
    turned = dict(reversed([(f"z{image}", text) for image, text in texts.items()]))
    assert ingested(store, turned, "turned").rows("sameness").equals(first)


def test_diversity_gives_sameness_an_interval_over_images(store: Store) -> None:
    ingested(store, captions(60))
    rows = diversity(store, "set", statistics=["sameness"]).frame
    (row,) = rows.iter_rows(named=True)
    assert row["low"] < row["value"] < row["high"]
    assert row["spread"] == "images"
    ingest_rows(store, [("a", 0, "dog")], "one")
    (row,) = diversity(store, "one", statistics=["sameness"]).frame.iter_rows(named=True)
    assert (row["value"], row["reason"]) == (None, "fewer than two captions")


def test_datasets_of_single_captions_are_ranked_by_sameness(store: Store) -> None:
    ingested(store, captions(50), "varied")
    ingested(store, {f"i{n}": f"a dog on grass {n % 3}" for n in range(50)}, "uniform")
    several = [(f"i{n}", slot, text) for slot in (0, 1) for n, text in enumerate(captions(50, slot + 5).values())]
    ingest_rows(store, several, "several")
    result = compare(store, "varied", "uniform", "several", metrics=["bleu-1"], resamples=200)
    of = {row["dataset"]: row for row in result.frame.iter_rows(named=True)}
    assert {*result.frame["statistic"]} == {"sameness"}
    assert of["uniform"]["rank"] == 1
    assert of["uniform"]["rank_high"] == 1
    assert of["varied"]["rank"] > 1
    assert "sameness: one caption of each image of several, sampled by seed 1" in result.notes
    assert result.table("sameness").frame["dataset"][0] == "uniform"
    alone = sameness(Captions(store, select(store, "varied").selection, "bare").workspace(lists=1).rows("sameness"))
    assert of["varied"]["value"] == pytest.approx(alone["value"].item(), abs=1e-12)


def test_comparison_of_several_captions_has_no_sameness(store: Store) -> None:
    for dataset in ("one", "other"):
        rows = [(f"i{n}", slot, f"a {dataset} {n} {slot}") for n in range(5) for slot in (0, 1)]
        ingest_rows(store, rows, dataset)
    frame = compare(store, "one", "other", metrics=["bleu-1"], resamples=0, progress=silent).frame
    assert "sameness" not in frame["statistic"].to_list()


def test_div_counts_each_image_once_and_none_with_a_single_caption(store: Store) -> None:
    rows = [("a", 0, "a dog"), ("a", 1, "a dog runs"), ("b", 0, "cats"), ("b", 1, "cats"), ("c", 0, "one caption")]
    ingest_rows(store, rows, "set")
    found = within_image(store, "set", metric_names=["bleu-1"]).frame
    values = dict(found.select("statistic", "value").iter_rows())
    assert values["div-1"] == pytest.approx((3 / 5 + 1 / 2) / 2)
    assert values["div-2"] == pytest.approx((2 / 5 + 0) / 2)
    assert found.filter(statistic="div-1")["images"].item() == 2
