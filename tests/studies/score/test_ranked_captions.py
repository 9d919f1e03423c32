"""The captions of an image in order: ranks are those of scores, and what favors length is told."""

from __future__ import annotations

import random
from typing import Any

import polars as pl
import pytest
from conftest import Rows, ingest_rows

from auditor.errors import MetricError, UsageError
from auditor.result import Result
from auditor.store.connection import MEMORY, Store
from auditor.studies.score.study import score

#: The metrics whose rankings Vedantam et al. 2015 show; their ROUGE-1 is recall over all references (eq. 9).
PUBLISHED = ("cider", "bleu-1", "bleu-1:bp=none", "rouge-1:measure=recall", "cider:n=1", "cider-d:n=1")

WORDS = ("a", "the", "on", "red", "café", "日本", "dog", "cat", "tree", "house", "runs", "sits")


def random_rows(seed: int, images: int = 6) -> list[tuple[str, int, str]]:
    chance = random.Random(seed)
    return [
        (f"i{image}", slot, " ".join(chance.choice(WORDS) for _ in range(chance.randint(1, 9))))
        for image in range(images)
        for slot in range(chance.randint(1, 6))
    ]


def filled(store: Store, rows: Rows, dataset: str = "set") -> Store:
    ingest_rows(store, rows, dataset)
    return store


def ranked(store: Store, metrics: list[str] | None = None, **settings: Any) -> Result:
    return score(store, "set", metrics=metrics or list(PUBLISHED), rank=True, **settings)


def test_rank_counts_the_captions_of_the_image_that_score_better(store: Store) -> None:
    rows = random_rows(1)
    frame = ranked(filled(store, rows), ["cider", "ter"]).frame
    scores = score(store, "set", metrics=["cider", "ter"]).frame
    keys = ["image", "slot", "metric", "value"]
    assert frame.select(keys).sort(keys).equals(scores.select(keys).sort(keys))
    lengths = {(image, slot): len(text.split()) for image, slot, text in rows}
    for row in frame.iter_rows(named=True):
        own = frame.filter(image=row["image"], metric=row["metric"])["value"]
        better = own < row["value"] if row["metric"] == "ter" else own > row["value"]
        assert row["rank"] == 1 + better.sum()
        assert row["length"] == lengths[row["image"], row["slot"]]


def test_length_is_correlated_with_rank_within_images(store: Store) -> None:
    from scipy.stats import spearmanr

    result = ranked(filled(store, random_rows(2)))
    summary = result.table("first-captions").frame
    assert summary["metric"].to_list() == list(PUBLISHED)
    for metric, images, rho in summary.select("metric", "images", "length_rho").rows():
        found = [
            spearmanr(-own["rank"].cast(pl.Int64).to_numpy(), own["length"].to_numpy()).statistic
            for _, own in result.frame.filter(metric=metric).group_by("image")
            if own["rank"].n_unique() > 1 and own["length"].n_unique() > 1
        ]
        assert images == len(found)
        assert rho == pytest.approx(sum(found) / len(found))
    assert summary["like_first"][0] == pytest.approx(1)


def test_recall_favors_long_captions_and_precision_without_brevity_penalty_short_ones(store: Store) -> None:
    captions = [
        "a red dog",
        "a red dog on grass",
        "a red dog on grass by one tall tree",
        "a red",
        "some red dog on the grass",
    ]
    rows = [(f"i{n}", slot, f"{text} {n}") for n in range(5) for slot, text in enumerate(captions)]
    result = ranked(filled(store, rows))
    rho = dict(result.table("first-captions").frame.select("metric", "length_rho").rows())
    assert rho["rouge-1:measure=recall"] > 0.8
    assert rho["bleu-1:bp=none"] < 0
    assert result.sentences == tuple(
        f"{metric} favors {which} captions most (rho of rank and length {rho[metric]:+.2f})"
        for metric, which in (("rouge-1:measure=recall", "long"), ("bleu-1:bp=none", "short"))
    )


def test_best_and_worst_caption_of_an_image_stand_beside_each_other(store: Store) -> None:
    rows = [*random_rows(3), ("日本 1", 0, "a red dog"), ("日本 1", 1, "a red cat"), ("日本 1", 2, "a red dog")]
    ends = ranked(filled(store, rows), ["cider"]).table("best-and-worst").frame
    assert ends.filter(image="日本 1").select("best", "worst").rows() == [("a red dog", "a red cat")]


def test_output_of_a_system_is_not_ranked(store: Store) -> None:
    filled(store, random_rows(3))
    with pytest.raises(UsageError, match="--rank: only for leave-one-out; leave out for --candidates"):
        ranked(store, ["cider"], candidates=["system"])


def test_images_that_cannot_be_ranked_are_explained(store: Store) -> None:
    rows = [("a", 0, "alone"), ("b", 0, "same same"), ("b", 1, "same same")]
    result = ranked(filled(store, rows))
    assert set(result.frame["image"]) == {"b"}
    assert set(result.frame["rank"]) == {1}
    assert result.table("first-captions").frame["length_rho"].null_count() == len(PUBLISHED)
    assert any("1 image has a single caption" in note for note in result.sentences)
    with pytest.raises(MetricError, match="needs two captions per image; this dataset has one"):
        score(filled(store, [("a", 0, "alone"), ("b", 0, "too")], "lonely"), "lonely", rank=True)
    one = score(filled(store, rows[1:], "one"), "one", rank=True)
    assert one.frame.filter(pl.col("metric").is_in(["cider", "cider-d"]))["rank"].null_count() == 2
    assert any("cider-d not available" in note for note in one.sentences)


def test_ranks_depend_on_the_seed_and_the_captions_alone(store: Store) -> None:
    rows = random_rows(5)
    first = ranked(filled(store, rows), ["cider", "bleu-1"], references=1, seed=2)
    with Store.open(MEMORY) as second:
        second.execute("set threads = 1")
        filled(second, random_rows(6), "unrelated")
        other = ranked(filled(second, list(reversed(rows))), ["cider", "bleu-1"], references=1, seed=2)
    assert other.frame.equals(first.frame)
    assert other.table("first-captions").frame.equals(first.table("first-captions").frame)
