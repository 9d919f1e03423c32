"""Ids of images: whole numbers are ids however JSON writes them, and options change them alike in every format."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from auditor import sources
from auditor.model import Part

CAPTION = "a dog runs"


def held(file_format: str, image: Any) -> Any:
    """Return a document of one caption."""
    return {
        "list": [{"image_id": image, "caption": CAPTION}],
        "table": [{"image": image, "caption": CAPTION}],
        "coco": {"images": [{"id": image}], "annotations": [{"id": 1, "image_id": image, "caption": CAPTION}]},
        "karpathy": {"images": [{"filename": image, "sentences": [{"raw": CAPTION}]}]},
        "choices": [{"image": image, "caption": CAPTION, "negative_caption": "a cat runs"}],
    }[file_format]


def read(folder: Path, file_format: str, image: Any, **options: Any) -> list[str]:
    path = folder / "x.json"
    path.write_text(json.dumps(held(file_format, image)))
    return pl.concat(sources.read(Part((path,), options=options), file_format))["image"].unique().to_list()


@pytest.mark.parametrize("file_format", ["list", "table", "coco", "karpathy"])
@pytest.mark.parametrize("image", [42, 42.0, "42"])
def test_whole_numbers_are_ids(tmp_path: Path, file_format: str, image: Any) -> None:
    assert read(tmp_path, file_format, image) == ["42"]


@pytest.mark.parametrize("file_format", ["list", "table", "karpathy", "choices"])
def test_ids_of_coco_are_an_option_of_every_format(tmp_path: Path, file_format: str) -> None:
    assert read(tmp_path, file_format, "val2014/COCO_val2014_000000000042.jpg", coco_ids=True) == ["42"]
