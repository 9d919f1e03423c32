"""Abstract Scenes: the sentences of both sets stand on one scene, in their order."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from auditor import sources
from auditor.errors import SourceError
from auditor.model import Part
from auditor.sources import scenes

SET_1 = "0\t0\tThe duck is on the slide. \n0\t1\tAnna waves.\n3\t0\tIt rains. \n"
SET_2 = "0\t1\tAnna sees a duck. \n0\t0\tThe sun shines. \n12\t0\tBen\tsits. \n"


def read(*paths: Path) -> pl.DataFrame:
    return pl.concat(sources.read(Part(paths), "scenes"))


def reasons(rows: pl.DataFrame) -> list[tuple[object, ...]]:
    return rows.filter(pl.col("reason").is_not_null()).select("source", "line", "reason").rows()


@pytest.fixture
def sets(tmp_path: Path) -> list[Path]:
    paths = [tmp_path / "one" / "set.txt", tmp_path / "two" / "set.txt"]
    for path, content in zip(paths, (SET_1, SET_2), strict=True):
        path.parent.mkdir()
        path.write_text(content)
    return paths


def test_sentences_stand_in_the_order_of_sets_then_numbers(sets: list[Path]) -> None:
    ordered = read(*sets).sort("image", "rank").select("image", "text").rows()
    assert ordered == [
        ("0", "The duck is on the slide. "),
        ("0", "Anna waves."),
        ("0", "The sun shines. "),
        ("0", "Anna sees a duck. "),
        ("12", "Ben\tsits. "),
        ("3", "It rains. "),
    ]


def test_scenes_keep_their_names(sets: list[Path]) -> None:
    sets[0].write_text("007\t0\tA ball\n")
    assert read(sets[0])["image"].to_list() == ["007"]


def test_same_number_in_both_sets_is_no_repetition(sets: list[Path]) -> None:
    assert not read(*sets)["identifier"].is_duplicated().any()


def test_same_number_in_one_set_is(sets: list[Path]) -> None:
    sets[0].write_text(SET_1 + "0\t01\tAnna waves again.\n")
    again = read(*sets).filter(pl.col("identifier").is_duplicated())
    assert again.select("identifier", "line").rows() == [("set 1, scene 0, sentence 1", line) for line in (2, 4)]


def test_every_fault_is_named_with_its_line(sets: list[Path]) -> None:
    sets[0].write_bytes(
        b"\xef\xbb\xbf0\t0\tgood\r\n1\tone tab\n\n2\tx\tno number\n2\t-1\tnegative\n2\t1000\ttoo large\n"
        b"2\t99999999999999999999\thuge\n\t0\tno scene\n4\t0\tcaf\xe9\n"
    )
    tabs, number = (
        "fewer than two tabs; expected SCENE<TAB>N<TAB>SENTENCE",
        "N is not a whole number below 1000; expected SCENE",
    )
    found = reasons(read(sets[0]))
    assert [line for _, line, _ in found] == [2, 3, 4, 5, 6, 7, 8, 9]
    assert [reason for _, _, reason in found[:2]] == [tabs, tabs]
    assert all(str(reason).startswith(number) for _, _, reason in found[2:6])
    assert [reason for _, _, reason in found[6:]] == ["no image", "not UTF-8 (byte 0xe9 at column 8)"]


def test_file_of_another_format_is_refused_whole(sets: list[Path]) -> None:
    sets[0].write_text("a.jpg#0\tA duck\n")
    with pytest.raises(SourceError, match=r"set\.txt:1: fewer than two tabs"):
        read(sets[0])


@pytest.mark.parametrize(
    ("head", "recognized"),
    [
        (b"0\t0\tA duck. \n0\t1\tRain.\n", True),
        (b"\xef\xbb\xbf17\t5\tA duck.\r\n", True),
        (b"the\t5\t7\n", False),
        (b"0\t0\t17\n", False),
        (b"0\t0\n", False),
        (b"a.jpg#0\tA duck\n", False),
        (b"image\tn\tsentence\n", False),
    ],
)
def test_format_is_recognized_by_its_first_line(head: bytes, recognized: bool) -> None:
    assert scenes.recognizes(Path("file"), head) is recognized


def test_abstract_scenes_are_10020_scenes_with_the_sentences_of_both_sets(data: Path) -> None:
    rows = read(data / "abstract-scenes" / "SimpleSentences*_clean.txt.gz")
    assert (rows["image"].n_unique(), rows.height, rows["reason"].count()) == (10_020, 60_396, 0)
    assert rows.group_by("source").len().sort("source")["len"].to_list() == [30_249, 30_147]
    assert not rows["identifier"].is_duplicated().any()
    assert sources.guess(Part((data / "abstract-scenes" / "SimpleSentences1_clean.txt.gz",))) == "scenes"
