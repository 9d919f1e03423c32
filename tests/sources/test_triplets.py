"""PASCAL-50S as JSON: a label is one vote on a pair of captions."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from auditor import sources
from auditor.errors import SourceError
from auditor.model import Part


def read(*paths: Path, **options: Any) -> pl.DataFrame:
    return pl.concat(list(sources.read(Part(paths, options=options), "triplets")))


def pair(image: Any, first: Any, second: Any, label: Any) -> dict[str, Any]:
    return {"image": image, "captions": [first, second], "label": label, "references": ["a kite in the sky"]}


def write(path: Path, **lists: Any) -> Path:
    path.write_text(json.dumps(lists))
    return path


def test_label_is_a_vote_for_the_caption_at_that_place(tmp_path: Path) -> None:
    path = write(
        tmp_path / "pairs.json",
        HI=[pair("set/a.jpg", "a kite", "two mugs", 0)],
        MM=[pair("set/b.jpg", "a mug", " a table", 1)],
    )
    rows = read(path, basename=True)
    assert rows.select("image", "text").rows() == [
        ("a.jpg", "a kite"), ("a.jpg", "two mugs"), ("b.jpg", "a mug"), ("b.jpg", " a table")
    ]  # fmt: skip
    assert [tuple(side.values()) for side in rows["pair"]] == [
        (1, "B", "HI", None, 1), (1, "C", "HI", None, 0), (2, "B", "MM", None, 0), (2, "C", "MM", None, 1)
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        (pair("b.jpg", "a mug", "a table", 2), "label 2; expected 0"),
        (pair("b.jpg", "a mug", "a table", True), "label true; expected 0"),
        (pair("b.jpg", "a mug", "a table", None), "label null; expected 0"),
        (pair("b.jpg", "a mug", 5, 0), "the second caption is missing, or not a string"),
        (pair("b.jpg", "", "a table", 0), "the first caption is empty"),
        (pair(7, "a mug", "a table", 0), "image is missing, or not a string"),
        (pair("b.jpg", "a \ud800 mug", "a table", 0), "not UTF-8"),
        ({"image": "b.jpg", "captions": ["one"], "label": 0}, "not an image with two captions"),
        ("text", "not an image with two captions"),
        (None, "not an image with two captions"),
    ],
)
def test_faulty_pair_is_refused_with_its_list_and_number(tmp_path: Path, record: Any, reason: str) -> None:
    path = write(tmp_path / "pairs.json", HC=[pair("a.jpg", "x y", "y z", 0), record, pair("c.jpg", "p", "q", 1)])
    rows = read(path)
    assert rows.filter(pl.col("reason").is_null())["image"].to_list() == ["a.jpg", "a.jpg", "c.jpg", "c.jpg"]
    fault = rows.filter(pl.col("reason").is_not_null()).row(0, named=True)
    assert (fault["unit"], fault["line"]) == ("HC record", 2)
    assert reason in fault["reason"]


def test_list_of_another_kind_is_refused_record_by_record(tmp_path: Path) -> None:
    rows = read(write(tmp_path / "pairs.json", HC=[pair("a.jpg", "x", "y", 0)], XX=[pair("b.jpg", "x", "y", 0)], n=3))
    assert rows["reason"].drop_nulls().item().startswith('in list "XX"; expected {HC, HI, HM, MM')


def test_pairs_of_several_files_are_numbered_on(tmp_path: Path) -> None:
    paths = [write(tmp_path / name, HM=[pair("a.jpg", "x", "y", 0)]) for name in ("one.json", "two.json")]
    assert read(*paths)["pair"].struct.field("pair").to_list() == [1, 1, 2, 2]


@pytest.mark.parametrize(
    "content", [b"{}", b"[]", b"7", b'{"annotations": [{}]}', b'{"HC": {}}', b'{"HC": [', b"\x1f\x8b"]
)
def test_file_of_another_format_is_refused_whole(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "file.json"
    path.write_bytes(content)
    with pytest.raises(SourceError):
        read(path)


def test_gzipped_triplets_are_guessed(tmp_path: Path) -> None:
    path = tmp_path / "pairs.json.gz"
    path.write_bytes(gzip.compress(json.dumps({"HI": [pair("a.jpg", "x", "y", 1)]}).encode()))
    assert sources.guess(Part((path,))) == "triplets"
    assert read(path)["text"].to_list() == ["x", "y"]


def test_pascal50s_labels_are_those_of_the_first_caption_more_often_than_not(data: Path) -> None:
    rows = read(data / "pascal50s" / "pascal_50s.json.gz").with_columns(pl.col("pair").struct.unnest())
    first = rows.filter(pl.col("side") == "B")
    assert rows["reason"].null_count() == rows.height == 8000
    assert first.group_by("category").agg(pl.col("votes").sum()).sort("category").rows() == [
        ("HC", 512), ("HI", 499), ("HM", 511), ("MM", 503)
    ]  # fmt: skip


def test_pascal50s_labels_differ_from_the_pairwise_votes_on_356_pairs_of_two_humans(data: Path) -> None:
    """The two studies asked different questions; label 0 is the first caption, else half of all pairs would differ."""
    key = ["image", "text", "text_c", "category"]

    def winners(rows: pl.DataFrame) -> pl.DataFrame:
        sides = rows.with_columns(pl.col("pair").struct.unnest(), text=pl.col("text").str.strip_chars(" "))
        b, c = (sides.filter(pl.col("side") == side) for side in "BC")
        both = b.join(c.select("pair", text_c="text", votes_c="votes"), on="pair")
        return both.select(*key, first=pl.col("votes") > pl.col("votes_c")).unique(
            key, keep="first", maintain_order=True
        )

    folder = data / "pascal50s"
    votes = pl.concat(list(sources.read(Part((folder / "pair_pascal.mat",), options={"basename": True}), "mat")))
    both = winners(read(folder / "pascal_50s.json.gz", basename=True)).join(winners(votes), on=key, suffix="_voted")
    differing = both.filter(pl.col("first") != pl.col("first_voted"))
    assert both.filter(pl.col("category") == "HC").height == 1000
    assert differing.filter(pl.col("category") == "HC").height == 356
    assert differing.filter(pl.col("category") == "HI").height == 3
