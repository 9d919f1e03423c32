"""Parallel files: line by line the same image, file by file another annotator."""

from __future__ import annotations

import gzip
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor import sources
from auditor.errors import SourceError
from auditor.model import CAPTION_SCHEMA, Option, Part, Source
from auditor.sources.reading import lines
from auditor.store.connection import Store
from auditor.studies.ingest.sources import ingest_sources


def read(*paths: Path, **options: Option) -> pl.DataFrame:
    return pl.concat(list(sources.read(Part(paths, options=options), "parallel")))


def placed(rows: pl.DataFrame) -> dict[tuple[str, int], str]:
    return {(image, slot): text for image, slot, text in rows.select("image", "slot", "text").iter_rows()}


def written(folder: Path, *contents: str | bytes) -> list[Path]:
    paths = [folder / f"ref-{number}" for number in range(len(contents))]
    for path, content in zip(paths, contents, strict=True):
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return paths


def test_slot_is_the_place_of_the_file_and_image_the_line(tmp_path: Path) -> None:
    rows = read(*written(tmp_path, "a cat\na dog\n", "one cat\r\n one  dog"))
    assert placed(rows) == {("1", 0): "a cat", ("2", 0): "a dog", ("1", 1): "one cat", ("2", 1): " one  dog"}
    assert rows.filter(pl.col("slot") == 1).select("source", "unit", "line").rows() == [
        ("ref-1", "line", 1),
        ("ref-1", "line", 2),
    ]
    assert rows.schema == pl.Schema(CAPTION_SCHEMA)


def test_files_stand_in_the_order_given(tmp_path: Path) -> None:
    first, second = written(tmp_path, "x\n", "y\n")
    assert placed(read(second, first)) == {("1", 0): "y", ("1", 1): "x"}
    assert placed(read(tmp_path / "ref-?")) == {("1", 0): "x", ("1", 1): "y"}


def test_list_names_the_images(tmp_path: Path) -> None:
    (tmp_path / "images.txt.gz").write_bytes(gzip.compress(b"\xef\xbb\xbfa.jpg\r\n b.jpg \n"))
    rows = read(*written(tmp_path, "x\ny\n", gzip.compress(b"z\nw\n")), image_list_file=tmp_path / "images.txt")
    assert placed(rows) == {("a.jpg", 0): "x", ("b.jpg", 0): "y", ("a.jpg", 1): "z", ("b.jpg", 1): "w"}


def test_empty_line_is_an_empty_caption(tmp_path: Path, store: Store) -> None:
    paths = written(tmp_path, "x\n\ny\n", "u\nv\nw\n")
    assert placed(read(*paths))["2", 0] == ""
    ingest_sources(store, [Source("set", "captions", "parallel", (Part(tuple(paths)),))], max_rejected=1)
    assert store.query("select source, line, reason from rejected").rows() == [("ref-0", 2, "empty caption")]


def test_image_that_is_listed_twice_has_the_next_slots(tmp_path: Path, store: Store) -> None:
    (tmp_path / "images").write_text("a\nb\na\n")
    part = Part(tuple(written(tmp_path, "x\ny\nz\n")), options={"image_list_file": tmp_path / "images"})
    ingest_sources(store, [Source("set", "captions", "parallel", (part,))])
    slots = store.query("select image, slot from membership order by all").rows()
    assert slots == [("a", 0), ("a", 1), ("b", 0)]


@pytest.mark.parametrize(
    ("contents", "words"),
    [
        (("x\ny\n", "x\n"), r"ref-1 has 1 lines, .*ref-0 has 2; the same line of each"),
        (("x\n", "x\ny\nz"), r"ref-0 has 1 lines, .*ref-1 has 3"),
        (("x\ny\n", ""), r"ref-1 has 0 lines, .*ref-0 has 2"),
        (("x\n", "x\n\n"), r"ref-0 has 1 lines, .*ref-1 has 2"),
        (("", ""), "holds no record"),
        (("x\n", "x\n".encode("utf-16")), "ref-1:1: UTF-16"),
        (("x\n", gzip.compress(b"x\n" * 99, mtime=0)[:-9]), "damaged compressed file"),
    ],
)
def test_files_that_do_not_go_together_are_refused(
    tmp_path: Path, contents: tuple[str | bytes, ...], words: str
) -> None:
    with pytest.raises(SourceError, match=words):
        read(*written(tmp_path, *contents))


def test_list_of_another_length_is_refused(tmp_path: Path) -> None:
    (tmp_path / "images").write_text("a\nb\nc\n")
    paths = written(tmp_path, "x\ny\n")
    with pytest.raises(SourceError, match=r"ref-0 has 2 lines, .*images has 3"):
        read(*paths, image_list_file=tmp_path / "images")
    with pytest.raises(SourceError, match="no such file"):
        read(*paths, image_list_file=tmp_path / "none")


def test_bytes_that_are_no_text_are_refused_where_they_stand(tmp_path: Path) -> None:
    (tmp_path / "images").write_bytes(b"a\nb\xff\n\nd\n")
    rows = read(*written(tmp_path, b"x\ny\nz\nw\xff\n"), image_list_file=tmp_path / "images")
    assert rows.select("line", "reason").rows() == [
        (1, None),
        (2, "the image's name: not UTF-8 (byte 0xff at column 2)"),
        (3, "no image"),
        (4, "not UTF-8 (byte 0xff at column 2)"),
    ]


@given(st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\n\r\x00")), min_size=1), st.integers(1, 32))
def test_blocks_of_any_size_stay_aligned(tmp_path_factory: pytest.TempPathFactory, texts: list[str], size: int) -> None:
    folder = tmp_path_factory.getbasetemp()
    paths = written(folder, "".join(f"{text}\n" for text in texts), "".join(f"{n}\n" for n in range(len(texts))))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lines, "_BLOCK", size)
        rows = read(*paths)
    expected = {(str(n + 1), 0): text for n, text in enumerate(texts)}
    assert placed(rows) == expected | {(str(n + 1), 1): str(n) for n in range(len(texts))}


@pytest.mark.parametrize(("split", "images"), [("train", 29_000), ("val", 1_014), ("test_2016", 1_000)])
def test_multi30k_has_five_captions_an_image(data: Path, split: str, images: int) -> None:
    folder = data / "multi30k-task2-en"
    paths = [folder / f"{split}.{number}.en" for number in range(1, 6)]
    rows = read(*paths, image_list_file=folder / f"{split}_images.txt")
    assert rows.height == 5 * images
    assert rows["reason"].null_count() == rows.height
    assert rows["image"].n_unique() == images
    assert rows["image"].str.ends_with(".jpg").all()


def test_flickr8k_expert_references_are_named_by_line(data: Path) -> None:
    rows = read(*(data / "flickr8k-expert" / f"ref-{number}" for number in range(5)))
    assert rows.height == 5 * 5_822
    assert rows["reason"].null_count() == rows.height
    assert rows["image"].unique().cast(pl.Int32).sort().to_list() == list(range(1, 5_823))


@pytest.mark.parametrize(("folder", "split"), [("dev", "val"), ("test", "test")])
def test_karpathy_splits_of_coco_have_five_captions_an_image(data: Path, folder: str, split: str) -> None:
    arctic = data / "coco-val2014" / "arctic-captions"
    paths = [arctic / folder / f"reference{number}" for number in range(5)]
    rows = read(*paths, image_list_file=arctic / "splits" / f"coco_{split}.txt")
    assert rows.height == 25_000
    assert rows.select("image", "slot").n_unique() == 25_000
    assert rows["reason"].null_count() == rows.height
