"""Karpathy's JSON: images with their splits and sentences, each fault with its image."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from auditor import sources
from auditor.errors import SourceError
from auditor.model import Option, Part
from auditor.sources import coco, karpathy


def sentence(sentid: Any, raw: Any) -> dict[str, Any]:
    return {"tokens": str(raw).lower().split(), "raw": raw, "imgid": 0, "sentid": sentid}


IMAGES = [
    {
        "filepath": "val2014",
        "sentids": [3, 1],
        "filename": "COCO_val2014_000000000042.jpg",
        "imgid": 0,
        "split": "restval",
        "sentences": [sentence(3, "A grey cat on a stool. "), sentence(1, "Cat, sitting")],
        "cocoid": 42,
    },
    {"filename": "b.jpg", "imgid": 1, "split": "test", "sentences": [sentence(2, "A kite")], "cocoid": 7},
]


@pytest.fixture
def dataset(tmp_path: Path) -> Path:
    path = tmp_path / "dataset_coco.json"
    write(path, IMAGES)
    return path


def write(path: Path, images: object) -> None:
    path.write_text(json.dumps({"images": images, "dataset": "coco"}))


def read(path: Path, **options: Option) -> pl.DataFrame:
    return pl.concat(sources.read(Part((path,), options=options), "karpathy"))


def reasons(rows: pl.DataFrame) -> list[tuple[int, str]]:
    return rows.filter(pl.col("reason").is_not_null()).select("line", "reason").rows()


def test_sentences_keep_raw_text_split_and_sentid(dataset: Path) -> None:
    assert read(dataset).select("image", "rank", "identifier", "split", "text").rows() == [
        ("COCO_val2014_000000000042.jpg", 3, "sentid 3", "restval", "A grey cat on a stool. "),
        ("COCO_val2014_000000000042.jpg", 1, "sentid 1", "restval", "Cat, sitting"),
        ("b.jpg", 2, "sentid 2", "test", "A kite"),
    ]


@pytest.mark.parametrize(("key", "images"), [("cocoid", ["42", "42", "7"]), ("imgid", ["0", "0", "1"])])
def test_images_are_named_by_the_key_that_is_asked_for(dataset: Path, key: str, images: list[str]) -> None:
    assert read(dataset, image_key=key)["image"].to_list() == images


def test_key_that_no_image_has_is_named(dataset: Path) -> None:
    with pytest.raises(SourceError, match=r"all 2 records were rejected.*record 1: nocaps_id is missing"):
        read(dataset, image_key="nocaps_id")


def test_split_of_the_part_comes_first(dataset: Path) -> None:
    rows = pl.concat(sources.read(Part((dataset,), split="all"), "karpathy"))
    assert rows["split"].unique().to_list() == ["all"]


def test_every_fault_is_refused_with_its_image_and_stops_no_other(dataset: Path) -> None:
    faulty = [
        "no object",
        {"filename": True, "sentences": [sentence(10, "a")]},
        {"filename": "c.jpg"},
        {"filename": "d.jpg", "sentences": []},
        {"filename": "e.jpg", "split": 5, "sentences": [sentence(11, "a")]},
        {"filename": "\ud800.jpg", "sentences": [sentence(12, "a")]},
        {
            "filename": "f.jpg",
            "sentences": [
                sentence(13, "fine"),
                {"tokens": ["no", "raw"]},
                "no object",
                sentence([], "a list"),
                sentence(14, "\udcff"),
                sentence(10**30, "too large to be a rank"),
                {"raw": "no sentid"},
            ],
        },
    ]
    write(dataset, faulty)
    rows = read(dataset)
    utf8 = "not UTF-8 (a broken byte or a lone surrogate)"
    assert reasons(rows) == [
        (1, "not an object; expected filename and sentences"),
        (2, "filename is missing, or neither a whole number nor a string"),
        (3, "sentences is missing, empty, or not a list"),
        (4, "sentences is missing, empty, or not a list"),
        (5, "split is not a string"),
        (6, utf8),
        (7, "sentence 2: raw is missing, or not a string"),
        (7, "sentence 3: raw is missing, or not a string"),
        (7, "sentence 4: sentid is neither a number nor a string"),
        (7, f"sentence 5: {utf8}"),
    ]
    assert rows.filter(pl.col("reason").is_null()).select("rank", "identifier", "text").rows() == [
        (13, "sentid 13", "fine"),
        (None, f"sentid {10**30}", "too large to be a rank"),
        (None, None, "no sentid"),
    ]
    assert rows["raw"][0] == '"no object"'


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ('{"annotations": []}', 'an object with a list "images"'),
        ("[]", 'an object with a list "images"'),
        ('{"images": []}', "it holds no record"),
        ('{"images": [\n{"filename": "cut', ":2: not JSON"),
    ],
)
def test_file_of_another_format_is_refused_whole(dataset: Path, content: str, words: str) -> None:
    dataset.write_text(content)
    with pytest.raises(SourceError, match=words):
        read(dataset)


def test_file_is_recognized_before_coco(dataset: Path) -> None:
    head = dataset.read_bytes()
    assert karpathy.recognizes(dataset, head)
    assert not coco.recognizes(dataset, head)
    assert sources.guess(Part((dataset,))) == "karpathy"


def test_coco_annotations_are_not_claimed(dataset: Path) -> None:
    assert not karpathy.recognizes(dataset, b'{"images": [{"id": 1}], "annotations": [{"caption": "two sentences"}]}')
