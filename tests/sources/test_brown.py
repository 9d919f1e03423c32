"""The Brown corpus: documents, their sentences in order, words without their tags."""

from __future__ import annotations

import gzip
import zipfile
from pathlib import Path

import polars as pl
import pytest

from auditor import sources
from auditor.errors import SourceError
from auditor.model import Part
from auditor.sources import brown
from auditor.sources.reading import batches

NEWS = "\n\n\t``/`` No/rb ,/, sir/nn ''/'' ,/, said/vbd the/at miller/nn ./.\n\n\n\tAbout/rb 1/2/cd a/at mile/nn ./.\n"


def read(path: Path) -> pl.DataFrame:
    return pl.concat(sources.read(Part((path,)), "brown"))


def packed(path: Path, files: dict[str, str]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    files = {"brown/cats.txt": "ca01 news\n", "brown/ca01": NEWS, "brown/README": "read me", "brown/cr09": "Ha/uh !/."}
    return packed(tmp_path / "brown.zip", files)


def test_sentences_are_numbered_in_their_document_and_lose_their_tags(corpus: Path) -> None:
    rows = read(corpus)
    assert rows.select("image", "slot", "text").rows() == [
        ("ca01", 0, "`` No , sir '' , said the miller ."),
        ("ca01", 1, "About 1/2 a mile ."),
        ("cr09", 0, "Ha !"),
    ]
    assert rows.select("source", "unit", "line").rows() == [
        ("brown.zip/brown/ca01", "line", 3),
        ("brown.zip/brown/ca01", "line", 6),
        ("brown.zip/brown/cr09", "line", 1),
    ]


def test_folder_and_single_document_give_the_same_sentences(corpus: Path, tmp_path: Path) -> None:
    folder = tmp_path / "brown"
    with zipfile.ZipFile(corpus) as archive:
        archive.extractall(tmp_path)
    content = ["image", "slot", "text"]
    assert read(folder).select(content).equals(read(corpus).select(content))
    assert read(folder / "ca01").select(content).equals(read(corpus).head(2).select(content))
    (tmp_path / "ca01.gz").write_bytes(gzip.compress(NEWS.encode()))
    assert read(tmp_path / "ca01.gz").select(content).equals(read(corpus).head(2).select(content))


@pytest.mark.parametrize("word", ["untagged", "half/", "/nn", "a/b/"])
def test_word_without_a_tag_refuses_its_sentence_alone(corpus: Path, word: str) -> None:
    packed(corpus, {"brown/ca01": f"One/cd ./.\nA/at {word} ./.\nTwo/cd ./.\n"})
    rows = read(corpus)
    refused = rows.filter(pl.col("reason").is_not_null())
    assert refused.select("line", "reason", "raw").rows() == [
        (2, "a word has no tag; expected WORD/TAG", f"A/at {word} ./.")
    ]
    assert rows.filter(pl.col("reason").is_null()).select("slot", "text").rows() == [(0, "One ."), (2, "Two .")]


def test_line_that_is_not_utf8_is_refused(corpus: Path, tmp_path: Path) -> None:
    document = tmp_path / "ca01"
    document.write_bytes(b"caf\xe9/nn\nA/at cafe/nn\n")
    assert read(document)["reason"].to_list() == ["not UTF-8 (byte 0xe9 at column 4)", None]


def test_document_that_leads_out_of_the_archive_is_refused(corpus: Path) -> None:
    packed(corpus, {"../ca01": NEWS, "brown/ca02": NEWS})
    rows = read(corpus)
    assert rows.filter(pl.col("reason").is_not_null()).select("source", "unit", "line", "reason").rows() == [
        ("brown.zip", "member", 1, "../ca01: its name leads out of the archive")
    ]
    assert rows.height == 3


def test_batches_of_any_size_give_the_same_sentences(corpus: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = read(corpus)
    monkeypatch.setattr(batches, "BATCH", 0)
    assert read(corpus).equals(whole)


def test_archive_of_something_else_holds_no_record(corpus: Path) -> None:
    packed(corpus, {"dutch": "de\nhet\n"})
    with pytest.raises(SourceError, match="it holds no record"):
        read(corpus)
    assert not brown.recognizes(corpus, corpus.read_bytes())


def test_corpus_is_recognized_by_the_names_of_its_documents(corpus: Path, tmp_path: Path) -> None:
    assert sources.guess(Part((corpus,))) == "brown"
    folder = tmp_path / "unpacked"
    folder.mkdir()
    assert not brown.recognizes(folder, b"")
    (folder / "ca01").write_text(NEWS)
    assert sources.guess(Part((folder,))) == "brown"
    assert not brown.recognizes(folder / "ca01", NEWS.encode())


def test_brown_corpus_has_500_documents(data: Path) -> None:
    rows = read(data / "brown" / "brown.zip")
    assert (rows["image"].n_unique(), rows.height, rows["reason"].count()) == (500, 57_340, 0)
    assert rows["text"].str.split(" ").list.len().sum() == 1_161_192
    assert rows.group_by("image").agg(gaps=pl.col("slot") != pl.int_range(pl.len())).explode("gaps")["gaps"].sum() == 0
    assert sources.guess(Part((data / "brown" / "brown.zip",))) == "brown"
