"""Flickr30k Entities: captions come out without mark-up, and their phrases stand where they stood."""

from __future__ import annotations

import io
import tarfile
import zipfile
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor import sources
from auditor.errors import SourceError
from auditor.model import Part
from auditor.sources import entities

HENS = (
    "[/EN#12/people A farmer] feeds [/EN#13/animals/other seven hens] .\n"
    "[/EN#0/notvisual It] is « naïve » to feed [/EN#13/animals hens 🐔] by [/EN#14/bodyparts/people hand]\n"
)
PLAIN = ["A farmer feeds seven hens .", "It is « naïve » to feed hens 🐔 by hand"]


def read(path: Path) -> pl.DataFrame:
    return pl.concat(sources.read(Part((path,)), "entities"))


def reasons(rows: pl.DataFrame) -> list[tuple[object, ...]]:
    return rows.filter(pl.col("reason").is_not_null()).select("source", "line", "reason").rows()


def phrases(rows: pl.DataFrame) -> list[tuple[object, ...]]:
    return rows.select("slot", "phrases").explode("phrases").drop_nulls().unnest("phrases").rows()


@pytest.fixture
def sentences(tmp_path: Path) -> Path:
    folder = tmp_path / "Sentences"
    folder.mkdir()
    (folder / "1007.txt").write_text(HENS, encoding="utf-8")
    return folder


def test_captions_lose_their_markup_and_nothing_else(sentences: Path) -> None:
    rows = read(sentences)
    assert rows.select("image", "slot", "text").rows() == [("1007.jpg", 0, PLAIN[0]), ("1007.jpg", 1, PLAIN[1])]
    assert rows.select("source", "unit", "line").rows() == [("Sentences/1007.txt", "line", n) for n in (1, 2)]


def test_phrases_stand_in_order_with_chain_types_and_place_in_characters(sentences: Path) -> None:
    found = phrases(read(sentences))
    assert found == [
        (0, "12", ["people"], 0, 8),
        (0, "13", ["animals", "other"], 15, 10),
        (1, "0", ["notvisual"], 0, 2),
        (1, "13", ["animals"], 24, 6),
        (1, "14", ["bodyparts", "people"], 34, 4),
    ]
    assert [PLAIN[slot][start : start + length] for slot, _, _, start, length in found] == [
        "A farmer",
        "seven hens",
        "It",
        "hens 🐔",
        "hand",
    ]


def test_caption_without_phrases_has_an_empty_list(sentences: Path) -> None:
    (sentences / "1007.txt").write_text("Nothing is marked here\n")
    row = read(sentences).row(0, named=True)
    assert (row["text"], row["phrases"]) == ("Nothing is marked here", [])


def test_two_phrases_may_touch(sentences: Path) -> None:
    (sentences / "1007.txt").write_text("[/EN#1/people Ann][/EN#2/people 's sister] waves")
    rows = read(sentences)
    assert rows["text"].item() == "Ann's sister waves"
    assert phrases(rows) == [(0, "1", ["people"], 0, 3), (0, "2", ["people"], 3, 9)]


WORD = st.text(st.characters(codec="utf-8", exclude_characters="[]\n\r", exclude_categories=["Cs"]), min_size=1)


@given(st.lists(st.tuples(WORD, st.none() | st.tuples(st.integers(0, 999), st.sampled_from(["people", "a/b"])))))
def test_markup_around_any_words_comes_out_as_it_went_in(
    tmp_path_factory: pytest.TempPathFactory, pieces: list[tuple[str, tuple[int, str] | None]]
) -> None:
    path = tmp_path_factory.getbasetemp() / "5.txt"
    marked = "".join(f"[/EN#{mark[0]}/{mark[1]} {words}]" if mark else words for words, mark in pieces)
    path.write_text(marked + "\n", encoding="utf-8", newline="")
    rows = pl.concat(entities.read(Part((path,))))
    text = "".join(words for words, _ in pieces)
    assert rows["text"].to_list() == [text.removeprefix("\ufeff") if marked.startswith("\ufeff") else text]
    assert rows["reason"].to_list() == [None]
    found = [(chain, types, text[start:][:length]) for _, chain, types, start, length in phrases(rows)]
    assert found == [(str(mark[0]), mark[1].split("/"), words) for words, mark in pieces if mark]


@pytest.mark.parametrize(
    "caption",
    [
        "[/EN#1/people A boy runs",
        "[/EN#1/people A boy] runs]",
        "[/EN#1/people A [/EN#2/people boy]] runs",
        "[/EN#1/people ] runs",
        "[/EN#1 A boy] runs",
        "[/EN#/people A boy] runs",
        "[/EN#x/people A boy] runs",
        "[EN#1/people A boy] runs",
        "[A boy] runs",
    ],
)
def test_broken_markup_is_refused_with_its_line(sentences: Path, caption: str) -> None:
    (sentences / "1007.txt").write_text(f"{PLAIN[0]}\n{caption}\n{PLAIN[0]}\n")
    rows = read(sentences)
    reason = "broken markup: brackets are not a phrase [/EN#CHAIN/TYPE WORDS]"
    assert reasons(rows) == [("Sentences/1007.txt", 2, reason)]
    assert rows["raw"].to_list() == [None, caption, None]


def test_blank_line_keeps_the_numbers_of_those_behind_it(sentences: Path) -> None:
    (sentences / "1007.txt").write_bytes(b"\xef\xbb\xbfone\r\n\r\ntwo")
    assert read(sentences).select("slot", "text").rows() == [(0, "one"), (1, ""), (2, "two")]


def test_lines_that_are_not_utf8_are_refused_alone(sentences: Path) -> None:
    (sentences / "1007.txt").write_bytes(b"[/EN#1/people A boy] runs\ncaf\xe9\n")
    (sentences / "1008.txt").write_text("fine")
    (sentences / "1009.txt").write_text("UTF-16", encoding="utf-16")
    rows = read(sentences).sort("image", "slot")
    assert rows.filter(pl.col("reason").is_null())["text"].to_list() == ["A boy runs", "fine"]
    utf16 = "1009.txt:1: UTF-16; convert it to UTF-8 with `iconv -f UTF-16 -t UTF-8`"
    assert reasons(rows) == [
        ("Sentences/1007.txt", 2, "not UTF-8 (byte 0xe9 at column 4)"),
        ("Sentences/1009.txt", 1, f"Sentences/{utf16}"),
    ]


def test_file_that_no_image_names_is_refused(sentences: Path) -> None:
    (sentences / "notes.txt").write_text("not of any image")
    (sentences / "1008.txt").write_bytes(b"x" * (1 << 21))
    (sentences / "boxes.xml").write_text("<annotation/>")
    rows = read(sentences)
    assert sorted(reasons(rows)) == [
        ("Sentences/1008.txt", 1, "longer than 1 MiB: not the captions of an image"),
        ("Sentences/notes.txt", 1, "not named <image id>.txt"),
    ]
    assert rows.height == 4


def packed(path: Path, files: dict[str, bytes]) -> Path:
    if path.suffix == ".zip":
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as zipped:
            for name, content in files.items():
                zipped.writestr(name, content)
    else:
        with tarfile.open(path, "w:gz" if path.suffix == ".gz" else "w") as tarred:
            for name, content in files.items():
                entry = tarfile.TarInfo(name)
                entry.size = len(content)
                tarred.addfile(entry, io.BytesIO(content))
    return path


@pytest.mark.parametrize("name", ["Sentences.tar.gz", "Sentences.tar", "annotations.zip"])
def test_archive_and_folder_hold_the_same_captions(tmp_path: Path, sentences: Path, name: str) -> None:
    files = {"Annotations/1007.xml": b"<annotation/>", "Sentences/1007.txt": HENS.encode(), "../9.txt": b"harm"}
    path = packed(tmp_path / name, files)
    rows = read(path)
    kept = rows.filter(pl.col("reason").is_null())
    assert kept.select("image", "slot", "text", "phrases").equals(
        read(sentences).select("image", "slot", "text", "phrases")
    )
    assert kept["source"].unique().to_list() == [f"{name}/Sentences/1007.txt"]
    assert reasons(rows) == [(f"{name}/../9.txt", 1, "its name leads out of the archive")]
    assert sources.guess(Part((path,))) == "entities"


def test_batches_of_any_size_give_the_same_captions(
    tmp_path: Path, sentences: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(7):
        (sentences / f"{number}.txt").write_text(f"[/EN#{number}/other Kite] number {number}\nanother\n")
    whole = read(sentences)
    monkeypatch.setattr(entities, "_FILES_AT_ONCE", 2)
    assert read(sentences).equals(whole)


def test_truncated_archive_is_named(tmp_path: Path) -> None:
    path = packed(tmp_path / "cut.tar.gz", {f"{number}.txt": HENS.encode() for number in range(50)})
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(SourceError, match=r"cut\.tar\.gz"):
        read(path)


def test_folder_and_file_are_recognized(sentences: Path, tmp_path: Path) -> None:
    assert sources.guess(Part((sentences,))) == "entities"
    assert sources.guess(Part((sentences / "1007.txt",))) == "entities"
    other = tmp_path / "other"
    other.mkdir()
    assert not entities.recognizes(other, b"")
    (other / "5.txt").write_text("no mark-up")
    assert not entities.recognizes(other, b"")


def test_folder_without_captions_holds_no_record(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="it holds no record"):
        read(tmp_path)


def test_flickr30k_entities_is_flickr30k_with_its_phrases(data: Path) -> None:
    folder = data / "flickr30k-entities"
    rows = read(folder / "Sentences.tar.gz")
    derived = pl.concat(sources.read(Part((folder / "flickr30k.from-entities.token.gz",)), "flickr"))
    content = ["image", "slot", "split", "text"]
    assert rows.select(content).sort(content).equals(derived.select(content).sort(content))
    assert (rows["image"].n_unique(), rows.height, rows["reason"].count()) == (31_783, 158_915, 0)
    found = rows.select("image", "text", "phrases").explode("phrases").drop_nulls().unnest("phrases")
    not_visual = found.filter(pl.col("chain") == "0")
    assert (found.height, not_visual.height) == (559_767, 30_695)
    assert not_visual["types"].explode().unique().to_list() == ["notvisual"]
    assert found.filter(pl.col("chain") != "0").select("image", "chain").n_unique() == 243_891
