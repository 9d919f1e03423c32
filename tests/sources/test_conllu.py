"""Treebanks: a sentence is its text, its document is its image, its sent_id is its own."""

from __future__ import annotations

import gzip
from pathlib import Path

import polars as pl
import pytest

from auditor import sources
from auditor.errors import SourceError
from auditor.model import Part
from auditor.sources import conllu
from auditor.sources.reading import lines

WORDS = "".join(f"{number}\t{word}\t_\t_\t_\t_\t0\troot\t_\t_\n" for number, word in ((1, "Rain"), (2, "falls")))
BANK = (
    f"# newdoc id = diary\n# sent_id = d-1\n# newpar\n# text = Rain falls \n{WORDS}\n"
    f"# sent_id = d-2\n# text_en = not this\n# text = Café\n{WORDS}\n\n"
    f"# newdoc\n# sent_id = x-1\n# text = No name\n{WORDS}\n"
    f"# newdoc id = letter\n# text = No id\n{WORDS}"
)


@pytest.fixture
def bank(tmp_path: Path) -> Path:
    path = tmp_path / "small.conllu"
    path.write_text(BANK, encoding="utf-8")
    return path


def read(path: Path) -> pl.DataFrame:
    return pl.concat(sources.read(Part((path,)), "conllu"))


def reasons(rows: pl.DataFrame) -> list[tuple[object, ...]]:
    return rows.filter(pl.col("reason").is_not_null()).select("line", "reason", "raw").rows()


def test_sentences_have_their_document_text_and_id(bank: Path) -> None:
    rows = read(bank)
    assert rows.select("image", "identifier", "text", "line").rows() == [
        ("diary", "sent_id d-1", "Rain falls ", 4),
        ("diary", "sent_id d-2", "Café", 10),
        ("small.conllu", "sent_id x-1", "No name", 17),
        ("letter", None, "No id", 22),
    ]
    assert rows["slot"].null_count() == rows.height


def test_treebank_without_documents_is_named_by_its_file(bank: Path) -> None:
    bank.with_suffix(".conllu.gz").write_bytes(gzip.compress(f"# text = Rain\n{WORDS}\n".encode()))
    assert read(bank.with_suffix(".conllu.gz"))["image"].to_list() == ["small.conllu"]


@pytest.mark.parametrize("size", [1, 7, 40, 100])
def test_blocks_of_any_size_give_the_same_sentences(bank: Path, size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = read(bank)
    monkeypatch.setattr(lines, "_BLOCK", size)
    assert read(bank).equals(whole)


def test_sentence_without_its_text_or_with_several_is_refused_with_its_line(bank: Path) -> None:
    bank.write_bytes(
        f"# text = Good\n{WORDS}\n\n\n{WORDS}\n# text = one\n# text = two\n{WORDS}\n# text = ca".encode()
        + b"f\xe9\n1\tcaf\xe9\n\n# sent_id = last"
    )
    assert reasons(read(bank)) == [
        (7, "a sentence without a line `# text = `", WORDS.split("\n")[0]),
        (10, "a sentence with several lines `# text = `", "one"),
        (15, "not UTF-8 (byte 0xe9 at column 13)", "caf\\xe9"),
        (18, "a sentence without a line `# text = `", "# sent_id = last"),
    ]


def test_windows_line_ends_do_not_enter_the_text(bank: Path) -> None:
    bank.write_text(BANK.replace("\n", "\r\n"), encoding="utf-8", newline="")
    assert read(bank)["text"].to_list() == ["Rain falls ", "Café", "No name", "No id"]


@pytest.mark.parametrize(
    ("content", "words"),
    [("", "it holds no record"), ("\n\n\n", "it holds no record"), ("a.jpg#0\tA dog\n", "all 1 records were rejected")],
)
def test_file_of_another_format_is_refused_whole(bank: Path, content: str, words: str) -> None:
    bank.write_text(content)
    with pytest.raises(SourceError, match=words):
        read(bank)


def test_format_is_recognized_by_its_first_word(bank: Path) -> None:
    assert sources.guess(Part((bank,))) == "conllu"
    assert conllu.recognizes(bank, b"1-2\tdon't" + b"\t_" * 8 + b"\r\n1\tdo\n")
    assert not conllu.recognizes(bank, b"# a comment\nand a caption\n")
    assert not conllu.recognizes(bank, b"1\tthree\tcolumns\n")


@pytest.mark.parametrize(("split", "sentences"), [("train", 12_544), ("dev", 2_001), ("test", 2_077)])
def test_english_web_treebank_is_whole(data: Path, split: str, sentences: int) -> None:
    path = data / "ud-english-ewt" / f"en_ewt-ud-{split}.conllu.gz"
    rows = pl.concat(conllu.read(Part((path,))))
    assert (rows.height, rows["reason"].count(), rows["text"].null_count()) == (sentences, 0, 0)
    assert rows["identifier"].n_unique() == sentences
    assert rows["image"].n_unique() == {"train": 540, "dev": 318, "test": 316}[split]
