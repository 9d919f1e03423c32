"""Webdataset shards: the caption beside the image, whichever member holds it."""

from __future__ import annotations

import gzip
import io
import json
import tarfile
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from auditor import sources
from auditor.errors import SourceError
from auditor.model import CAPTION_SCHEMA, Option, Part, Source
from auditor.sources import webdataset
from auditor.store.connection import Store
from auditor.studies.ingest.sources import ingest_sources


def shard(path: Path, members: list[tuple[str, object]], mode: str = "w") -> Path:
    with tarfile.open(path, mode) as archive:
        for name, content in members:
            data = (
                content
                if isinstance(content, bytes)
                else content.encode()
                if isinstance(content, str)
                else json.dumps(content).encode()
            )
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    return path


def read(*paths: Path, **options: Option) -> pl.DataFrame:
    return pl.concat(list(sources.read(Part(paths, options=options), "webdataset")))


def accepted(rows: pl.DataFrame) -> list[tuple[Any, ...]]:
    return rows.filter(pl.col("reason").is_null()).select("image", "slot", "text").rows()


def refused(rows: pl.DataFrame) -> list[tuple[Any, ...]]:
    return rows.filter(pl.col("reason").is_not_null()).select("unit", "line", "reason").rows()


@pytest.mark.parametrize(("name", "mode"), [("s.tar", "w"), ("s.tar.gz", "w:gz"), ("s.tar", "w|")])
def test_texts_are_captions_and_images_are_passed_over(tmp_path: Path, name: str, mode: str) -> None:
    members = [
        ("1.jpg", b"\xff\xd8"),
        ("1.txt", "a cat\n"),
        ("sub.d/2.txt", " é"),
        ("sub.d/2.jpg", b"\xff"),
        ("2.cls", "5"),
    ]
    path = shard(tmp_path / name, members, mode)
    rows = read(path)
    assert sources.guess(Part((path,))) == "webdataset"
    assert accepted(rows) == [("1", 0, "a cat\n"), ("sub.d/2", 0, " é")]
    assert rows.select("source", "unit", "line").rows() == [(name, "member", 2), (name, "member", 3)]
    assert rows.schema == pl.Schema(CAPTION_SCHEMA)


def test_key_ends_at_the_first_dot(tmp_path: Path) -> None:
    rows = read(
        shard(
            tmp_path / "s.tar",
            [("a.b/c.1.txt", "one"), ("a.b/c.0.txt", "two"), ("a.b/d.jpg.txt", "other"), ("./e.txt", "three")],
        )
    )
    assert accepted(rows) == [("a.b/c", 1, "one"), ("a.b/c", 0, "two"), ("./e", 0, "three")]


def test_hidden_and_nameless_members_are_no_samples(tmp_path: Path) -> None:
    assert accepted(
        read(shard(tmp_path / "s.tar", [("._a.txt", b"\0\5"), ("d/.b.txt", "x"), ("txt", "x"), ("a.txt", "y")]))
    ) == [("a", 0, "y")]


def test_json_gives_its_caption_or_several(tmp_path: Path) -> None:
    members = [("1.json", {"caption": "one"}), ("2.json", {"captions": ["x", "y"]}), ("3.json", {"words": "z"})]
    rows = read(shard(tmp_path / "s.tar", members))
    assert accepted(rows) == [("1", 0, "one"), ("2", 0, "x"), ("2", 1, "y")]
    assert refused(rows) == [("member", 3, '3.json: no "caption" in the JSON; set --option caption_key=KEY')]


def test_text_of_a_sample_stands_for_its_json(tmp_path: Path) -> None:
    members = [
        ("1.jpg", b""),
        ("1.json", {"caption": "long", "alt": "short"}),
        ("1.txt", "long"),
        ("2.json", b"{"),
        ("2.txt", "x"),
        ("3.json", {"caption": "y"}),
    ]
    path = shard(tmp_path / "s.tar", members)
    assert accepted(read(path)) == [("1", 0, "long"), ("2", 0, "x"), ("3", 0, "y")]
    rows = read(path, caption_key="alt")
    assert accepted(rows) == [("1", 0, "short")]
    assert [line for _, line, _ in refused(rows)] == [4, 6]


def test_sample_without_the_json_asked_for_is_refused(tmp_path: Path) -> None:
    rows = read(
        shard(tmp_path / "s.tar", [("1.json", {"alt": "x"}), ("2.jpg", b""), ("2.txt", "y")]), caption_key="alt"
    )
    assert refused(rows) == [("member", 3, '2.txt: the sample has no JSON with "alt"')]


def test_faults_stay_with_their_member(tmp_path: Path) -> None:
    members: list[tuple[str, object]] = [
        ("a.txt", "good"),
        ("b.txt", b"bro\xffken"),
        ("c.txt", "n\0l"),
        ("d.txt", b"x" * ((1 << 24) + 1)),
        ("e.json", b'{"caption": '),
        ("f.json", b"[" * 100_000),
        ("g.json", b'{"caption": NaN}'),
        ("h.json", b'{"caption": ' + b"9" * 5000 + b"}"),
        ("i.json", b'{"caption": "\\ud800"}'),
        ("j.json", {"caption": ["x", 5]}),
        ("k.json", ["caption"]),
        ("l.json", {"caption": []}),
        ("../m.txt", "outside"),
        ("n.txt", "x".encode("utf-16")),
    ]
    rows = read(shard(tmp_path / "s.tar", members))
    assert accepted(rows) == [("a", 0, "good"), ("j", 0, "x")]
    reasons = {line: reason for _, line, reason in refused(rows)}
    assert list(reasons) == list(range(2, 15))
    assert reasons[2] == "b.txt: not UTF-8 (byte 0xff at 4)"
    assert reasons[3] == "contains a NUL character"
    assert reasons[4] == "d.txt: longer than 16 MiB"
    assert reasons[5].startswith("e.json: not JSON: Expecting value")
    assert reasons[7].startswith('g.json: no "caption" in the JSON')
    assert reasons[9] == "i.json: caption 0 is not UTF-8"
    assert reasons[10] == "j.json: caption 1 is not a string"
    assert reasons[13] == "../m.txt: its name leads out of the archive"


def test_link_in_place_of_a_caption_is_refused(tmp_path: Path) -> None:
    path = shard(tmp_path / "s.tar", [("a.txt", "x")])
    with tarfile.open(path, "a") as archive:
        entry = tarfile.TarInfo("b.txt")
        entry.type, entry.linkname = tarfile.SYMTYPE, "/etc/hostname"
        archive.addfile(entry)
    rows = read(path)
    assert accepted(rows) == [("a", 0, "x")]
    assert refused(rows) == [("member", 2, "b.txt: a link or device")]


def test_shards_are_one_dataset_and_a_key_that_returns_is_refused(tmp_path: Path, store: Store) -> None:
    shard(tmp_path / "s-000.tar", [("a.0.txt", "one"), ("a.1.txt", "two")])
    shard(tmp_path / "s-001.tar", [("b.txt", "three"), ("a.1.txt", "again")])
    assert len(accepted(read(tmp_path / "s-*.tar"))) == 4
    ingest_sources(store, [Source("set", "captions", "webdataset", (Part((tmp_path / "s-*.tar",)),))], max_rejected=1)
    assert store.query("select source, line, reason from rejected").rows() == [
        ("s-001.tar", 2, "duplicate key a#1, first at s-000.tar:2")
    ]


@pytest.mark.parametrize(
    ("members", "words"),
    [
        (
            [("a.jpg", b""), ("a.jpg.txt", "x")],
            r"no captions: expected KEY\.txt or KEY\.json; the shard holds \.jpg, \.jpg\.txt",
        ),
        ([], "the shard holds nothing"),
        ([("notes", "x")], "the shard holds notes"),
    ],
)
def test_shard_without_captions_says_what_it_holds(
    tmp_path: Path, members: list[tuple[str, object]], words: str
) -> None:
    with pytest.raises(SourceError, match=words):
        read(shard(tmp_path / "s.tar", members))


@pytest.mark.parametrize("share", [0.2, 0.5, 0.9])
@pytest.mark.parametrize("zipped", [False, True])
def test_damaged_shard_is_named(tmp_path: Path, share: float, zipped: bool) -> None:
    path = shard(tmp_path / "s.tar", [(f"{n}.txt", "a cat " * n) for n in range(200)])
    content = path.read_bytes().rstrip(b"\0")
    content = gzip.compress(content) if zipped else content
    path.write_bytes(content[: int(len(content) * share)])
    with pytest.raises(SourceError, match=r"s\.tar"):
        read(path)


@pytest.mark.parametrize(
    "content", [b"", b"a cat\n" * 100, b"PK\x03\x04" + bytes(600), b"x" * 257 + b"ustar" + b"x" * 300]
)
def test_other_files_are_not_claimed(tmp_path: Path, content: bytes) -> None:
    assert not webdataset.recognizes(tmp_path / "s.tar", content)


def test_other_archives_are_not_claimed(tmp_path: Path) -> None:
    path = shard(tmp_path / "s.tar", [("brown/ca01", "x"), ("a.txt", "x")])
    assert not webdataset.recognizes(path, path.read_bytes())
