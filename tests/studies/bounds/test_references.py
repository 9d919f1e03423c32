"""Drawn references: equally many for every caption, the same on every machine, named in the signature."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from conftest import Rows, ingest_rows

from auditor.errors import MetricError
from auditor.store.connection import MEMORY, Store
from auditor.studies.bounds.study import bounds
from auditor.studies.score.study import score

WORDS = "a dog cat man runs sits on the red bench".split()
#: Ten images with 1 to 10 captions.
ROWS: Rows = [
    (f"image {i}", slot, f"{WORDS[slot]} {WORDS[(i + slot) % 10]} {WORDS[(i * slot) % 10]}")
    for i in range(1, 11)
    for slot in range(i)
]


def scored(references: int | None, seed: int = 1, candidates: str | None = None) -> pl.DataFrame:
    with Store.open(MEMORY) as store:
        ingest_rows(store, ROWS, "set")
        ingest_rows(store, [(f"image {i}", 0, "a red dog") for i in range(1, 11)], "system", kind="candidates")
        return score(store, "set", metrics=["bleu-1"], candidates=candidates, references=references, seed=seed).frame


def test_each_image_holds_out_one_caption_more_than_the_references() -> None:
    counts = scored(3).group_by("image").len().sort("image")
    assert sorted(counts.rows()) == sorted((f"image {i}", 4) for i in range(4, 11))


def test_system_is_scored_where_there_are_enough_references() -> None:
    assert scored(4, candidates="system").height == 7


def test_draw_follows_its_seed_alone() -> None:
    assert scored(3).equals(scored(3))
    assert not scored(3).equals(scored(3, seed=2))


def test_as_many_references_as_there_are_change_nothing() -> None:
    drawn, every = scored(9), scored(None).filter(pl.col("image") == "image 10")
    assert drawn.equals(every)


def test_drawn_scores_are_those_of_the_drawn_captions(tmp_path: Path) -> None:
    kept = {(image, slot) for image, slot in scored(2).select("image", "slot").iter_rows()}
    with Store.open(tmp_path / "a.duckdb", write=True) as store:
        ingest_rows(store, [row for row in ROWS if row[:2] in kept], "set")
        alone = score(store, "set", metrics=["bleu-4", "cider-d"]).frame
    with Store.open(tmp_path / "b.duckdb", write=True) as store:
        ingest_rows(store, ROWS, "set")
        drawn = score(store, "set", metrics=["bleu-4", "cider-d"], references=2)
        again = score(store, "set", metrics=["bleu-4", "cider-d"]).frame
    assert drawn.frame["value"].equals(alone["value"])
    assert again.height > drawn.frame.height
    assert drawn.signatures["bleu-4"].startswith("bleu-4|tok:bare|refs:loo|k:2|seed:1|")
    assert drawn.sentences == ("set: 2 images have fewer than 3 captions and no score",)


def test_more_references_than_any_image_has_are_refused() -> None:
    with Store.open(MEMORY) as store:
        ingest_rows(store, ROWS, "set")
        with pytest.raises(MetricError, match="needs 11 captions per image; this dataset has"):
            bounds(store, "set", references=10)
