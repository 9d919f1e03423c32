"""Word lists: words with or without counts; what is no word or no count is refused with its line."""

from __future__ import annotations

import gzip
import json
import re
import zipfile
from pathlib import Path

import polars as pl
import pytest

from auditor import sources
from auditor.errors import SourceError
from auditor.model import Option, Part
from auditor.sources import wordlist


@pytest.fixture
def words(tmp_path: Path) -> Path:
    return tmp_path / "words.txt"


def read(path: Path, **options: Option) -> pl.DataFrame:
    return pl.concat(sources.read(Part((path,), options=options), "wordlist"))


def counted(rows: pl.DataFrame) -> list[tuple[object, ...]]:
    return rows.filter(pl.col("reason").is_null()).select("text", "occurrences").rows()


def reasons(rows: pl.DataFrame) -> list[tuple[object, ...]]:
    return rows.filter(pl.col("reason").is_not_null()).select("line", "reason").rows()


@pytest.mark.parametrize(
    "content",
    [
        "a\t5\nheron\t1\n",
        "word\tcount\na\t5\nheron\t1",
        "Words  Frequency\na  5\nheron   1\n",
        "\ufeffa 5\r\nheron 1\r\n",
        " a 5 \nheron\t1\n",
    ],
)
def test_words_have_their_counts_however_they_are_divided(words: Path, content: str) -> None:
    words.write_text(content, encoding="utf-8", newline="")
    assert counted(read(words)) == [("a", 5), ("heron", 1)]


def test_word_is_its_own_image_and_the_header_is_no_record(words: Path) -> None:
    words.write_bytes(gzip.compress(b"word\tcount\n<S>\t18446744073709551615\n"))
    row = read(words).row(0, named=True)
    assert (row["image"], row["slot"], row["text"], row["line"]) == ("<S>", 0, "<S>", 2)
    assert row["occurrences"] == 2**64 - 1


def test_list_without_counts_has_none(words: Path) -> None:
    words.write_text("heron \nword\nper que\n2\n<UNK>")
    assert counted(read(words)) == [("heron", None), ("word", None), ("per que", None), ("2", None), ("<UNK>", None)]


def test_every_fault_of_a_counted_list_is_named_with_its_line(words: Path) -> None:
    words.write_bytes(b"\n heron\t3\n\t7\nowl\nwren\t-1\nfinch\t1.5\nswan\t18446744073709551616\ncaf\xe9\t1\na\tb\t2\n")
    count = "the count is not a whole number below 2^64; expected WORD<TAB>COUNT"
    form = "expected WORD<TAB>COUNT, as in the first line"
    rows = read(words)
    assert reasons(rows) == [
        (1, "no word"),
        (3, "no word"),
        (4, form),
        (5, count),
        (6, count),
        (7, count),
        (8, "not UTF-8 (byte 0xe9 at column 4)"),
        (9, form),
    ]
    assert counted(rows) == [("heron", 3)]


def test_count_in_a_list_without_counts_is_refused(words: Path) -> None:
    words.write_text("heron\nowl 3\nwren\t4\n\n")
    form = "expected WORD, as in the first line"
    assert reasons(read(words)) == [(2, form), (3, form), (4, "no word")]


def packed(path: Path, files: dict[str, str]) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path


@pytest.fixture
def lists(tmp_path: Path) -> Path:
    return packed(tmp_path / "lists.zip", {"lists/dutch": "de\nhet\n", "lists/german": "der\ndie\ndas\n"})


@pytest.mark.parametrize("member", ["dutch", "lists/dutch"])
def test_member_names_a_list_of_an_archive(lists: Path, member: str) -> None:
    rows = read(lists, member=member)
    assert counted(rows) == [("de", None), ("het", None)]
    assert rows["source"].unique().to_list() == ["lists.zip/lists/dutch"]


@pytest.mark.parametrize("options", [{}, {"member": "utch"}, {"member": "english"}])
def test_archive_says_which_lists_it_holds(lists: Path, options: dict[str, Option]) -> None:
    with pytest.raises(SourceError, match="with option member; it holds lists/dutch, lists/german"):
        read(lists, **options)


def test_member_that_two_files_are_called_is_refused(lists: Path) -> None:
    packed(lists, {"old/dutch": "de\n", "new/dutch": "het\n"})
    with pytest.raises(SourceError, match="new/dutch: the archive has several dutch; name it with its folder"):
        read(lists, member="dutch")


def test_member_that_leads_out_of_the_archive_is_refused(lists: Path) -> None:
    packed(lists, {"../dutch": "de\n"})
    with pytest.raises(SourceError, match=r"\.\./dutch: its name leads out of the archive"):
        read(lists, member="dutch")


def test_member_of_a_plain_file_is_refused(words: Path) -> None:
    words.write_text("heron\n")
    with pytest.raises(SourceError, match="not an archive; remove option member"):
        read(words, member="dutch")


@pytest.mark.parametrize(
    ("head", "recognized"),
    [
        (b"the\nof\n", True),
        (b"<S>\n</S>\nthe\n", True),
        (b"word\tcount\nthe\t5\n\t7\n", True),
        ("\ufeffcafé 3\n".encode(), True),
        (b"the\n" + "é".encode()[:1], True),
        (b"", False),
        (b"\n\n", False),
        (b"17\n18\n", False),
        (b"a caption here\nand there\n", False),
        (b"the\t5\t7\n", False),
        (b'["the"]', False),
        (b'{"a":1}', False),
        (b"\x89PNG\nabc\x00\n", False),
        (b"the\n" + b"x" * 200, True),
        (b"the\n" + b"x" * 200 + b"\n", False),
    ],
)
def test_list_is_recognized_when_every_line_is_a_word(head: bytes, recognized: bool) -> None:
    assert wordlist.recognizes(Path("words"), head) is recognized


def test_counted_words_of_coco_are_all_but_the_empty_one(data: Path) -> None:
    path = data / "coco-train-vocab" / "karpathy-train.word-counts.tsv.gz"
    rows = read(path)
    assert (rows.height, reasons(rows)) == (28_412, [(176, "no word")])
    assert rows["occurrences"].sum() == 5_914_499
    assert sources.guess(Part((path,))) == "wordlist"


def test_counted_words_of_coco_are_of_evaluation_captions_too(data: Path) -> None:
    """A training split would have all words of restval, and lack ten times as many of test as the list does."""
    rows = read(data / "coco-train-vocab" / "karpathy-train.word-counts.tsv.gz")
    known = set(rows["text"].drop_nulls().to_list())
    once, tokens = (rows["occurrences"] == 1).sum(), rows["occurrences"].sum()
    with gzip.open(data / "coco-val2014" / "captions_val2014.partial-merged.json.gz", "rt", encoding="utf-8") as file:
        coco = json.load(file)
    split = {image["id"]: image["karpathy_split"] for image in coco["images"]}
    said: dict[str, list[str]] = {}
    for one in coco["annotations"]:
        said.setdefault(split[one["image_id"]], []).extend(re.sub(r"[^\w\s]", "", one["caption"].lower()).split())
    lacking = {name: sum(word not in known for word in words) / len(words) for name, words in said.items()}
    unseen = once / tokens  # Good-Turing: how often the next word would be a new one
    assert lacking["restval"] > 0.05 * unseen
    assert max(lacking["test"], lacking["val"]) < 0.15 * unseen
    assert {name: round(1e5 * share, 1) for name, share in lacking.items()} == {
        "test": 21.5, "restval": 17.4, "val": 22.9,
    }  # fmt: skip


def test_vocabulary_of_coco_has_three_special_words(data: Path) -> None:
    rows = read(data / "coco-train-vocab" / "train_vocab.txt")
    assert (rows.height, rows["text"].n_unique(), rows["reason"].count()) == (22_946, 22_946, 0)
    assert rows["text"].head(3).to_list() == ["<S>", "</S>", "<UNK>"]


def test_english_stop_words_are_179(data: Path) -> None:
    rows = read(data / "stopwords" / "stopwords.zip", member="english")
    assert (rows.height, rows["text"].n_unique(), rows["reason"].count()) == (179, 179, 0)
