"""Judgement sets as their authors publish them are read by their declarations alone: Composite, THumB, references of -CF."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from auditor import config, sources
from auditor.errors import UsageError
from auditor.model import Part

CAPTIONS = (
    "a.jpg#0\tA kite .\na.jpg#1\tTwo mugs .\na.jpg#2\tA kite .\nb.jpg#0\tA boat .\nb.jpg#1\tSea .\nc.jpg#0\tSky .\n"
)

COMPOSITE = (
    "HITId;Input.image_url;Input.text1;Input.text2;Input.text3;Input.text4;"
    "Answer.Q1Answer;Answer.Q2Answer;Answer.Q3Answer;Answer.Q4Answer\n"
    "x1;http://h/coco/COCO_val2014_000000000042.jpg;a dog;a cat;two dogs;a red dog;5;1;4;4\n"
    "x2;http://h/coco/COCO_val2014_000000391895.jpg;a man; a bike ;;;2;3;;\n"
    ";;;;;;;;;\n"
)

THUMB = [
    {"SYS": "Up-Down", "seg_id": "974", "hyp": "An elephant.", "image": "COCO_val2014_000000000974.jpg", "P": 4.0,
     "R": 3.0, "Fl": -0.0, "human_score": 3.5},
    {"SYS": "VinVL-base", "seg_id": "974", "hyp": "An elephant.", "image": "COCO_val2014_000000000974.jpg", "P": 4.0,
     "R": 3.0, "Fl": -0.0, "human_score": 3.4},
    {"SYS": "Human", "seg_id": "974", "hyp": "A man on an elephant.", "image": "COCO_val2014_000000000974.jpg",
     "P": 5.0, "R": 5.0, "Fl": -0.0, "human_score": 5.0},
]  # fmt: skip


def declared(name: str, path: Path, **more: Any) -> pl.DataFrame:
    """Read a file by the options of its declaration."""
    part = config.sources(None)[name].parts[0]
    part = dataclasses.replace(part, paths=(path,), options={**part.options, **more})
    return pl.concat(list(sources.read(part, config.sources(None)[name].format)))


def ratings(rows: pl.DataFrame) -> list[tuple[Any, ...]]:
    kept = rows.filter(pl.col("reason").is_null(), pl.col("left_out").is_null())
    return [(image, text, [one["score"] for one in some]) for image, text, some in kept.select(
        "image", "text", "judgements").iter_rows()]  # fmt: skip


def test_composite_is_one_declaration_a_file(tmp_path: Path) -> None:
    path = tmp_path / "coco_correctness.csv"
    path.write_text(COMPOSITE)
    rows = declared("composite-coco", path)
    assert ratings(rows) == [
        ("42", "a dog", [5]), ("42", "a cat", [1]), ("42", "two dogs", [4]), ("42", "a red dog", [4]),
        ("391895", "a man", [2]), ("391895", " a bike ", [3]),
    ]  # fmt: skip
    assert rows.filter(pl.col("reason").is_not_null())["line"].to_list() == [4]


def test_composite_of_flickr_names_images_by_their_files(tmp_path: Path) -> None:
    path = tmp_path / "30k_correctness.csv"
    path.write_text(COMPOSITE.replace("COCO_val2014_000000000042", "36979"))
    assert ratings(declared("composite-30k", path))[0] == ("36979.jpg", "a dog", [5])


def test_thumb_keeps_the_same_words_of_two_systems_apart(tmp_path: Path) -> None:
    path = tmp_path / "thumb.jsonl"
    path.write_text("\n".join(map(json.dumps, THUMB)) + "\n[1]\n")
    rows = declared("thumb", path)
    assert ratings(rows) == [
        ("974", "An elephant.", [3.5]), ("974", "An elephant.", [3.4]), ("974", "A man on an elephant.", [5.0]),
    ]  # fmt: skip
    assert rows["identifier"].drop_nulls().to_list()[:2] == [
        "the rating of Up-Down for 974", "the rating of VinVL-base for 974",
    ]  # fmt: skip
    faults = rows.filter(pl.col("reason").is_not_null()).select("line", "reason").rows()
    assert faults == [(4, "not an object")]
    assert ratings(declared("thumb", path, score_col="P"))[2][2] == [5.0]


def test_an_image_that_is_no_file_of_coco_is_refused_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "thumb.jsonl"
    path.write_text(json.dumps({**THUMB[0], "image": "elephant.png"}) + "\n" + json.dumps(THUMB[1]) + "\n")
    rows = declared("thumb", path)
    faults = rows.filter(pl.col("reason").is_not_null()).select("line", "reason").rows()
    assert faults == [(1, "the image is not named like a file of COCO")]


def test_references_of_thumb_are_a_list_a_record(tmp_path: Path) -> None:
    # Its repository calls the file .json, though each line is a record.
    assert config.sources(None)["thumb-refs"].parts[0].paths[0].name == "mscoco_references.json"
    path = tmp_path / "mscoco_references.json"
    path.write_text(json.dumps({"seg_id": "974", "refs": ["An elephant", "Two men"]}) + "\n")
    assert declared("thumb-refs", path).select("image", "text").rows() == [("974", "An elephant"), ("974", "Two men")]


@pytest.fixture
def crowd(tmp_path: Path) -> Path:
    (tmp_path / "captions.token").write_text(CAPTIONS)
    path = tmp_path / "crowd.txt"
    path.write_text("a.jpg\ta.jpg#2\t1\t3\t0\na.jpg\tb.jpg#0\t0\t0\t3\nb.jpg\tc.jpg#0\t1\t3\t0\nb.jpg\tx\t1\t3\t0\n")
    return path


def test_a_caption_that_is_rated_at_its_own_image_is_no_reference_of_it(crowd: Path) -> None:
    rows = declared("flickr8k-crowd-refs", crowd, captions_file=crowd.parent / "captions.token")
    kept = rows.filter(pl.col("left_out").is_null(), pl.col("reason").is_null())
    # one of a.jpg's two kites is rated there, as its program takes out one; c.jpg has no ratings, and so no references
    assert kept.select("image", "text").rows() == [
        ("a.jpg", "Two mugs ."), ("a.jpg", "A kite ."), ("b.jpg", "A boat ."), ("b.jpg", "Sea ."),
    ]  # fmt: skip
    assert rows.filter(pl.col("left_out").is_not_null())["text"].to_list() == ["A kite ."]
    assert rows["reason"].drop_nulls().to_list() == ["caption x is not in captions.token"]


def test_references_are_asked_for_by_one_word(crowd: Path) -> None:
    with pytest.raises(UsageError, match='references = "all": expected "unrated"'):
        sources.read(
            Part((crowd,), options={"references": "all", "captions_file": crowd.parent / "captions.token"}),
            "judgements",
        ).__next__()
