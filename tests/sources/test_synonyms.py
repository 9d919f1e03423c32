"""Synonyms of objects: a line per object; and lists of objects by image, where some images have none."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from auditor import sources
from auditor.model import Part
from auditor.sources import synonyms


def test_every_name_of_an_object_is_read_once_in_its_order(tmp_path: Path) -> None:
    path = tmp_path / "names.txt"
    path.write_text("bicycle, bike, bicycle,two-wheeler\ncat\n\n, kitten\nhot dog, \n", encoding="utf-8")
    rows = pl.concat(sources.read(Part((path,)), "synonyms"))
    kept = rows.filter(pl.col("reason").is_null())
    assert kept.select("image", "text").rows() == [
        ("bicycle", "bicycle"), ("bicycle", "bike"), ("bicycle", "two-wheeler"), ("cat", "cat"), ("hot dog", "hot dog"),
    ]  # fmt: skip
    assert rows.filter(pl.col("reason").is_not_null()).select("line", "reason").rows() == [
        (3, "no object"), (4, "no object"),
    ]  # fmt: skip


def test_only_lines_of_names_are_recognized(tmp_path: Path) -> None:
    def recognized(text: str) -> bool:
        return synonyms.recognizes(tmp_path, text.encode())

    assert recognized("person, man, woman\ntraffic light\nteddy bear, teddy\n")
    assert not recognized("image,caption\na,dog\n")
    assert not recognized("A dog, a cat and a large cow\nA man\nA boy, a girl, a dog\n")
    assert not recognized("a dog, a cat, a cow\n1.jpg, a, b, c\n")
    assert not recognized("one line\nanother line\n")
    assert not recognized("")


def test_image_with_an_empty_list_has_the_text_of_option_none(tmp_path: Path) -> None:
    path = tmp_path / "things.json"
    path.write_text('{"1.jpg": ["dog", "cat"], "2.jpg": [], "3.jpg": ["cow"]}', encoding="utf-8")
    read = {
        none: pl.concat(sources.read(Part((path,), options={"none": none} if none else {}), "mapping"))
        for none in ("-", "")
    }
    assert read["-"].select("image", "text").rows() == [
        ("1.jpg", "dog"), ("1.jpg", "cat"), ("2.jpg", "-"), ("3.jpg", "cow"),
    ]  # fmt: skip
    assert read[""].filter(pl.col("reason").is_not_null()).select("image", "reason").rows() == [("2.jpg", "no caption")]
