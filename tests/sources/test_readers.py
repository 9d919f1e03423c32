"""Readers: what a file says comes out as it is; what is wrong with it comes out with its line."""

from __future__ import annotations

import gzip
import itertools
import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor import sources
from auditor.errors import SourceError, UsageError
from auditor.model import CAPTION_SCHEMA, Part, Source
from auditor.sources.reading import json_stream, lines
from auditor.store.connection import Store
from auditor.studies.ingest.sources import ingest_sources


def read(path: Path, file_format: str) -> pl.DataFrame:
    return pl.concat(list(sources.read(Part((path,)), file_format)))


def accepted(rows: pl.DataFrame) -> list[tuple[object, ...]]:
    """Give image, slot and text, slots counted as the store counts them where the file has none."""
    found = rows.filter(pl.col("reason").is_null()).with_row_index("position")
    counted = pl.struct("rank", "position").rank("ordinal").over("image") - 1
    return found.select("image", pl.coalesce("slot", counted), "text").rows()


def refused(rows: pl.DataFrame) -> list[tuple[object, ...]]:
    return rows.filter(pl.col("reason").is_not_null()).select("line", "reason").rows()


@pytest.fixture
def token(tmp_path: Path) -> Path:
    return tmp_path / "captions.token"


def test_token_file_gives_image_slot_and_text(token: Path) -> None:
    token.write_text("a.jpg#0\tA dog .\na.jpg#1\tone\ttab more\nb.jpg.1#0\tstray key\n")
    rows = read(token, "flickr")
    assert accepted(rows) == [("a.jpg", 0, "A dog ."), ("a.jpg", 1, "one\ttab more"), ("b.jpg.1", 0, "stray key")]
    assert rows.schema == pl.Schema(CAPTION_SCHEMA)


def test_token_file_names_every_fault_with_its_line(token: Path) -> None:
    token.write_bytes(
        b"\xef\xbb\xbfa.jpg#0\tgood\r\nno tab here\nb.jpg#0\tbro\xffken\n\nc.jpg\tno number\n"
        b"d.jpg#99999999999\ttoo large\n#0\tno image\ne.jpg#0\t\n"
    )
    rows = read(token, "flickr")
    assert accepted(rows) == [("a.jpg", 0, "good"), ("e.jpg", 0, "")]
    assert [line for line, _ in refused(rows)] == [2, 3, 4, 5, 6, 7]
    reasons = dict(refused(rows))
    assert reasons[2] == "no tab; expected IMAGE#N<TAB>CAPTION"
    assert reasons[3] == "not UTF-8 (byte 0xff at column 12)"
    assert reasons[5].startswith("the key is not IMAGE#N")
    assert rows.filter(pl.col("line") == 3)["raw"].item() == "b.jpg#0\tbro\\xffken"


def test_last_line_needs_no_line_end(token: Path) -> None:
    token.write_text("a.jpg#0\tone\na.jpg#1\ttwo")
    assert len(accepted(read(token, "flickr"))) == 2


@given(
    st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\n\r\t\0"), min_size=1), min_size=1),
    st.integers(1, 64),
)
def test_blocks_of_any_size_give_the_same_captions(
    tmp_path_factory: pytest.TempPathFactory, texts: list[str], size: int
) -> None:
    path = tmp_path_factory.getbasetemp() / "blocks.token"
    path.write_text("".join(f"é{n}.jpg#0\t{text}\n" for n, text in enumerate(texts)), encoding="utf-8", newline="")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lines, "_BLOCK", size)
        rows = read(path, "flickr")
    assert accepted(rows) == [(f"é{n}.jpg", 0, text) for n, text in enumerate(texts)]
    assert rows["line"].to_list() == list(range(1, len(texts) + 1))


def test_gzip_is_recognized_by_content(tmp_path: Path) -> None:
    path = tmp_path / "captions.token"
    path.write_bytes(gzip.compress(b"a.jpg#0\tzipped\n"))
    assert accepted(read(path, "flickr")) == [("a.jpg", 0, "zipped")]


@pytest.mark.parametrize("cut", [3, 12, -9, -1])
def test_truncated_gzip_is_named(tmp_path: Path, cut: int) -> None:
    path = tmp_path / "captions.token.gz"
    path.write_bytes(gzip.compress(b"a.jpg#0\tzipped\n" * 50)[:cut])
    with pytest.raises(SourceError, match="damaged compressed file"):
        read(path, "flickr")


COCO = {
    "images": [{"id": 7, "file_name": "7.jpg"}, {"id": "x", "file_name": "x.jpg"}],
    "annotations": [
        {"id": 30, "image_id": 7, "caption": "third"},
        {"id": 10, "image_id": 7, "caption": "first \n"},
        {"id": 20, "image_id": "x", "caption": "other image"},
    ],
}


def test_coco_slots_follow_annotation_ids_not_file_order(tmp_path: Path) -> None:
    path = tmp_path / "captions.json"
    path.write_text(json.dumps(COCO))
    expected = {("7", 0, "first \n"), ("7", 1, "third"), ("x", 0, "other image")}
    assert set(accepted(read(path, "coco"))) == expected
    path.write_text(json.dumps(COCO | {"annotations": COCO["annotations"][::-1]}))
    assert set(accepted(read(path, "coco"))) == expected


def test_repeated_annotation_id_is_refused(tmp_path: Path, store: Store) -> None:
    path = tmp_path / "captions.json"
    path.write_text(json.dumps({"annotations": [*COCO["annotations"], {"id": 10, "image_id": 8, "caption": "again"}]}))
    source = Source("coco", "captions", "coco", (Part((path,)),))
    ingest_sources(store, [source], max_rejected=1)
    assert store.query("select line, reason from rejected").rows() == [(4, "id 10 occurs before")]
    assert store.query("select count(*) from membership").item() == 3


@pytest.mark.parametrize("indent", [None, 1])
def test_coco_keys_may_stand_in_any_order(tmp_path: Path, indent: int | None) -> None:
    beside = {"licenses": [{"id": 1, "url": "u"}], "categories": [{"id": 1, "name": "dog"}], "info": {"year": 2014}}
    content = COCO | beside
    path = tmp_path / "captions.json"
    for keys in itertools.permutations(content):
        path.write_text(json.dumps({key: content[key] for key in keys}, indent=indent))
        assert sources.guess(Part((path,))) == "coco"
        rows = read(path, "coco")
        assert refused(rows) == []
        assert len(accepted(rows)) == 3


@pytest.mark.parametrize("images_first", [True, False])
def test_caption_of_an_unlisted_image_is_refused(tmp_path: Path, images_first: bool) -> None:
    path = tmp_path / "captions.json"
    annotations = [*COCO["annotations"], {"id": 40, "image_id": 8, "caption": "of no image"}]
    keys = ["images", "annotations"] if images_first else ["annotations", "images"]
    content = COCO | {"annotations": annotations}
    path.write_text(json.dumps({key: content[key] for key in keys}))
    rows = read(path, "coco")
    assert refused(rows) == [(4, "image 8 is not in the file's list of images")]
    assert len(accepted(rows)) == 3


@pytest.mark.parametrize("images_first", [True, False])
def test_split_key_gives_captions_the_split_of_their_image(tmp_path: Path, images_first: bool) -> None:
    path = tmp_path / "captions.json"
    content = COCO | {"images": [{"id": 7, "part": "test"}, {"id": "x"}]}
    keys = ["images", "annotations"] if images_first else ["annotations", "images"]
    path.write_text(json.dumps({key: content[key] for key in keys}))
    rows = pl.concat(sources.read(Part((path,), options={"split_key": "part"}), "coco"))
    assert set(rows.select("image", "split").rows()) == {("7", "test"), ("x", None)}


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(
    st.lists(json_values) | st.dictionaries(st.text(min_size=1), json_values, max_size=4),
    st.integers(1, 40),
    st.sampled_from([None, 1]),
    st.booleans(),
)
def test_json_walked_in_blocks_equals_json_loaded_whole(
    tmp_path_factory: pytest.TempPathFactory, content: Any, size: int, indent: int | None, ascii_only: bool
) -> None:
    path = tmp_path_factory.getbasetemp() / "blocks.json"
    path.write_text(
        json.dumps(content, indent=indent, ensure_ascii=ascii_only), encoding="utf-8", errors="surrogatepass"
    )
    lists = content if isinstance(content, dict) else {"": content}
    expected = []
    for key, value in lists.items():
        whole = isinstance(value, list) and value
        expected += [(key, n, item) for n, item in enumerate(value, 1)] if whole else [(key, 0, value)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_stream, "_BLOCK", size)
        found = [(item.key, item.number, item.value) for item in json_stream.items(path, "list")]
    assert found == expected if content or isinstance(content, list) else found == []


@given(st.lists(json_values, min_size=1), st.integers(1, 40), st.data())
def test_json_cut_anywhere_is_named_not_read(
    tmp_path_factory: pytest.TempPathFactory, content: list[Any], size: int, draw: st.DataObject
) -> None:
    path = tmp_path_factory.getbasetemp() / "cut.json"
    text = json.dumps(content, indent=1)
    path.write_text(text[: draw.draw(st.integers(1, len(text) - 1))])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_stream, "_BLOCK", size)
        with pytest.raises(SourceError, match=r"cut.json:\d+: not JSON at column \d+"):
            list(json_stream.items(path, "list"))


@pytest.mark.parametrize("file_format", ["coco", "list"])
def test_flat_list_slots_count_per_image(tmp_path: Path, file_format: str) -> None:
    path = tmp_path / "results.json"
    path.write_text(
        json.dumps([{"image_id": image, "caption": text} for image, text in [(1, "a"), (2, "b"), (1, "c")]])
    )
    assert accepted(read(path, file_format)) == [("1", 0, "a"), ("2", 0, "b"), ("1", 1, "c")]


def test_json_records_are_refused_one_by_one(tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    records = b"""[{"image_id": 1, "caption": "good"}, {"image_id": 1}, {"caption": "x"}, {"image_id": true, "caption": "x"},
        {"image_id": 2, "caption": 5}, {"image_id": 3, "caption": "bro\xffken"}, {"image_id": 4, "caption": "\\ud800"}, "text", null,
        {"image_id": 1, "caption": ""}]"""
    path.write_bytes(records)
    rows = read(path, "list")
    assert accepted(rows) == [("1", 0, "good"), ("1", 1, "")]
    assert [line for line, _ in refused(rows)] == [2, 3, 4, 5, 6, 7, 8, 9]
    assert dict(refused(rows))[6].startswith("not UTF-8")


@pytest.mark.parametrize(
    ("file_format", "content", "words"),
    [
        ("flickr", b"\x89PNG\r\n\x1a\n\x00\x00", 'not of format "flickr"'),
        ("flickr", b"", "holds no record"),
        ("flickr", b'[{"image_id": 1, "caption": "json"}]', "no tab"),
        ("coco", b"a.jpg#0\tA dog .\n", "not JSON"),
        ("coco", b'{"images": []}', 'a list "annotations"'),
        ("coco", b"5", 'a list "annotations"'),
        ("list", b'{"annotations": []}', "no column"),
        ("list", b"[]", "holds no record"),
        ("list", b'[\n{"image_id": 1, "caption": "cut', ":2: not JSON"),
        ("list", b'[{"image_id": 1, "caption": NaN}]', "record 1: no caption"),
        ("list", b"[" * 200_000, "JSON cannot be read"),
        ("list", b'[{"image_id": ' + b"9" * 5000 + b', "caption": "x"}]', "JSON cannot be read"),
        ("coco", b"\x00\xff\xfe", "not JSON"),
    ],
)
def test_file_of_another_format_is_refused_whole(tmp_path: Path, file_format: str, content: bytes, words: str) -> None:
    path = tmp_path / "file"
    path.write_bytes(content)
    with pytest.raises(SourceError, match=words):
        read(path, file_format)


def test_missing_file_says_where_it_looked(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="no such file"):
        sources.files.locate(tmp_path / "none.token")


def test_folder_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(SourceError):
        read(tmp_path, "flickr")


def test_unknown_format_leads_to_the_known() -> None:
    with pytest.raises(UsageError, match=r"^nope: unknown format; `auditor ingest --formats` lists all"):
        sources.find_format("nope")
    with pytest.raises(UsageError, match=r"^coca: unknown format; did you mean coco\? "):
        sources.find_format("coca")


def test_flickr8k_keeps_its_stray_key(data: Path) -> None:
    rows = read(sources.files.locate(data / "flickr8k" / "Flickr8k.token.txt"), "flickr")
    assert rows.height == 40_460
    assert rows["image"].n_unique() == 8093
    assert rows.filter(pl.col("image") == "2258277193_586949ec62.jpg.1")["slot"].to_list() == [0]
    assert rows.filter(pl.col("image") == "2258277193_586949ec62.jpg")["slot"].sort().to_list() == [1, 2, 3, 4]
