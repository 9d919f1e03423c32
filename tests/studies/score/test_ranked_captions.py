"""The captions of an image in order: ranks are those of scores, and what favours length is told."""

from __future__ import annotations

import random

import polars as pl
import pytest
from conftest import Rows, ingest_rows

from auditor.errors import MetricError, UsageError
from auditor.store.connection import MEMORY, Store
from auditor.studies.score.ranked import PUBLISHED, ranked_captions
from auditor.studies.score.study import score

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


def test_rank_counts_the_captions_of_the_image_that_score_better(store: Store) -> None:
    rows = random_rows(1)
    frame = ranked_captions(filled(store, rows), "set", metrics=["cider", "ter"]).frame
    scores = score(store, "set", metrics=["cider", "ter"]).frame
    keys = ["image", "slot", "metric", "value"]
    assert frame.select(keys).sort(keys).equals(scores.select(keys).sort(keys))
    lengths = {(image, slot): len(text.split()) for image, slot, text in rows}
    for row in frame.iter_rows(named=True):
        own = frame.filter(image=row["image"], metric=row["metric"])["value"]
        better = own < row["value"] if row["metric"] == "ter" else own > row["value"]
        assert row["rank"] == 1 + better.sum()
        assert row["length"] == lengths[row["image"], row["slot"]]
    assert frame["image"].is_sorted()


def test_length_is_correlated_with_rank_within_images(store: Store) -> None:
    from scipy.stats import spearmanr

    result = ranked_captions(filled(store, random_rows(2)), "set")
    summary = result.tables[0].frame
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


def test_recall_favours_long_captions_and_precision_without_brevity_penalty_short_ones(store: Store) -> None:
    captions = [
        "a red dog",
        "a red dog on grass",
        "a red dog on grass by one tall tree",
        "a red",
        "some red dog on the grass",
    ]
    rows = [(f"i{n}", slot, f"{text} {n}") for n in range(5) for slot, text in enumerate(captions)]
    result = ranked_captions(filled(store, rows), "set")
    rho = dict(result.tables[0].frame.select("metric", "length_rho").rows())
    assert rho["rouge-1:measure=recall"] > 0.8
    assert rho["bleu-1:bp=none"] < 0
    assert result.sentences == tuple(
        f"{metric} favours {which} captions most (rho of rank and length {rho[metric]:+.2f})"
        for metric, which in (("rouge-1:measure=recall", "long"), ("bleu-1:bp=none", "short"))
    )


def test_one_image_is_ranked_among_all_and_shown_alone(store: Store) -> None:
    rows = [*random_rows(3), ("日本 1", 0, "a red dog"), ("日本 1", 1, "a red cat"), ("日本 1", 2, "a red dog")]
    every = ranked_captions(filled(store, rows), "set").frame
    one = ranked_captions(store, "set", images=["日本 1"])
    assert one.frame.equals(every.filter(image="日本 1"))
    assert one.tables[1].frame.select("cider", "slot", "length", "text").rows() == [
        (1, 0, 3, "a red dog"), (1, 2, 3, "a red dog"), (3, 1, 3, "a red cat")
    ]  # fmt: skip
    with pytest.raises(UsageError, match="--image j: set has no captions to rank for it; it has those of i"):
        ranked_captions(store, "set", images=["j"])


def test_images_that_cannot_be_ranked_are_explained(store: Store) -> None:
    rows = [("a", 0, "alone"), ("b", 0, "same same"), ("b", 1, "same same")]
    result = ranked_captions(filled(store, rows), "set")
    assert set(result.frame["image"]) == {"b"}
    assert set(result.frame["rank"]) == {1}
    assert result.tables[0].frame["length_rho"].null_count() == len(PUBLISHED)
    assert any("1 image has one caption only" in note for note in result.sentences)
    with pytest.raises(MetricError, match="needs two captions per image; this dataset has one"):
        ranked_captions(filled(store, [("a", 0, "alone"), ("b", 0, "too")], "lonely"), "lonely")
    one = ranked_captions(filled(store, rows[1:], "one"), "one")
    assert set(one.frame["metric"]) == {"bleu-1", "bleu-1:bp=none", "rouge-1:measure=recall"}
    assert any("no cider" in note for note in one.sentences)


def test_ranks_depend_on_the_seed_and_the_captions_alone(store: Store) -> None:
    rows = random_rows(5)
    first = ranked_captions(filled(store, rows), "set", metrics=["cider", "bleu-1"], references=1, seed=2)
    with Store.open(MEMORY) as second:
        second.execute("set threads = 1")
        filled(second, random_rows(6), "unrelated")
        other = ranked_captions(
            filled(second, list(reversed(rows))), "set", metrics=["cider", "bleu-1"], references=1, seed=2
        )
    assert other.frame.equals(first.frame)
    assert other.tables[0].frame.equals(first.tables[0].frame)
