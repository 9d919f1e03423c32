"""What export writes, ingest reads as the version that export says: the same where the format holds all of it."""

from __future__ import annotations

import json
import re
import shlex
import tempfile
from pathlib import Path

import polars as pl
import pytest
from conftest import ingest_rows
from hypothesis import given
from hypothesis import strategies as st
from sizes import examples

from auditor.errors import UsageError
from auditor.store import versions
from auditor.store.connection import MEMORY, Store
from auditor.studies.export import export
from auditor.studies.ingest import ingest

FORMATS = {"bundle": "b", "coco": "c.json", "karpathy": "k.json", "csv": "t.csv", "jsonl": "t.jsonl", "hf": "hub"}

#: What breaks files: quotes, separators, line ends of every kind, blanks at the ends, other planes, marks of formats.
_SIGNS = st.sampled_from(
    [
        "\n",
        "\r",
        "\r\n",
        "\t",
        " ",
        "\u00a0",
        "\u2028",
        "\ufeff",
        "\x1f",
        "\u0301",
        "\\",
        "null",
        "NaN",
        "dog",
        *"\"',;{}[]#é日😀1=-",
    ]
)

_TEXTS = st.lists(_SIGNS, max_size=8).map("".join)

_NAMES = st.one_of(st.integers(-3, 10**12).map(str), st.lists(_SIGNS, min_size=1, max_size=4).map("".join))


def read_again(folder: Path, notes: tuple[str, ...]) -> versions.Version:
    """Type the command that export names, in another store."""
    said = next(note for note in notes if "auditor ingest" in note)
    words = shlex.split(re.search(r"`auditor ingest (.*)`", said, re.DOTALL)[1])
    name, _, path, *rest = words
    told: dict = {"options": []}
    named = {"--format": "file_format", "--kind": "kind", "--language": "language", "--slot-col": "slot_col"}
    named |= {"--split-col": "split_col", "--image-col": "image_col"}
    for option, value in zip(rest[::2], rest[1::2], strict=True):
        if option == "--option":
            told["options"].append(value)
        elif option == "--caption-col":
            told["caption_col"] = [value]
        else:
            told[named[option]] = value
    with Store.open(MEMORY, write=True) as other:
        ingest(other, name, files=[Path(path)], strict=True, **told)
        return versions.resolve(other, name).version


def trip(rows: list[tuple[str, int, str]], splits: dict[str, list[str]] | None, name: str) -> None:
    with tempfile.TemporaryDirectory() as folder, Store.open(MEMORY, write=True) as store:
        ingest_rows(store, rows, kind="candidates", splits=splits)
        written = export(store, "set", Path(folder) / FORMATS[name], file_format=name)
        found = read_again(Path(folder), written.notes)
        expected = versions.resolve(store, "set").version
        assert (found.images, found.captions) == (expected.images, expected.captions)
        assert found.version == expected.version
        assert not any("cannot hold" in note for note in written.notes)


@pytest.mark.parametrize("name", FORMATS)
@examples(4)
@given(
    images=st.dictionaries(_NAMES, st.lists(_TEXTS, min_size=1, max_size=3), min_size=1, max_size=4),
    share=st.integers(0, 4),
)
def test_any_captions_come_back_as_the_same_version(name: str, images: dict[str, list[str]], share: int) -> None:
    rows = [(image, slot, text) for image, texts in images.items() for slot, text in enumerate(texts)]
    splits = {"train": sorted(images)[:share]} if share else None
    trip(rows, splits, name)


@pytest.mark.parametrize("name", FORMATS)
def test_hard_captions_come_back(name: str) -> None:
    texts = ['["', "", " ", "a\nb", 'say "dog", they do', "\r", "日本\u2028😀", "null", " trailing \t"]
    trip(
        [("007.jpg", slot, text) for slot, text in enumerate(texts)] + [("8", 0, "x")],
        {"a/b": ["8"], "a-b": ["007.jpg"]},
        name,
    )


@pytest.mark.parametrize("name", ["coco", "karpathy"])
def test_slots_that_a_format_cannot_hold_are_said(store: Store, tmp_path: Path, name: str) -> None:
    ingest_rows(store, [("1", 0, "a dog"), ("1", 2, "dogs"), ("2", 0, "a cat")])
    written = export(store, "set", tmp_path / "x.json", file_format=name)
    assert any("cannot hold: slots" in note for note in written.notes)
    found = read_again(tmp_path, written.notes)
    assert f"as version {found.version[:12]}; version " in written.notes[0]


def test_coco_is_what_pycocotools_reads(store: Store, tmp_path: Path) -> None:
    ingest_rows(store, [("42", 0, "a dog"), ("42", 1, "dogs"), ("7", 0, "a cat")], splits={"val": ["42"]})
    export(store, "set", tmp_path / "x.json", file_format="coco")
    written = json.loads((tmp_path / "x.json").read_text(encoding="utf-8"))
    assert {image["id"]: image["split"] for image in written["images"]} == {42: "val", 7: None}
    assert [(one["id"], one["image_id"], one["caption"]) for one in written["annotations"]] == [
        (1, 42, "a dog"),
        (2, 42, "dogs"),
        (3, 7, "a cat"),
    ]


def test_hub_folder_names_its_files_and_licence(store: Store, tmp_path: Path) -> None:
    ingest_rows(store, [("1", 0, "a dog"), ("2", 0, "a cat")], splits={"train": ["1"], "val": ["2"]})
    export(store, "set", tmp_path / "hub", file_format="hf", config=None)
    card = (tmp_path / "hub" / "README.md").read_text(encoding="utf-8")
    assert card.startswith("---\n")
    assert '  - split: "train"\n    path: "data/train-00000-of-00001.parquet"\n' in card
    assert 'size_categories:\n- "n<1K"\n' in card
    frame = pl.read_parquet(tmp_path / "hub" / "data" / "val-00000-of-00001.parquet")
    assert frame.rows() == [("2", 0, "val", "a cat")]
    with pytest.raises(UsageError, match="already exists"):
        export(store, "set", tmp_path / "hub", file_format="hf")
    export(store, "set", tmp_path / "hub", file_format="hf", force=True)


def test_cleaned_set_is_without_what_findings_name(store: Store, tmp_path: Path) -> None:
    ingest_rows(
        store, [("1", 0, "a dog runs"), ("1", 1, "call me: bob@example.org"), ("2", 0, "a cat"), ("3", 0, "n/a")]
    )
    written = export(store, "set", tmp_path / "clean.jsonl", without=["findings"])
    kept = pl.read_ndjson(tmp_path / "clean.jsonl")
    gone = pl.read_csv(tmp_path / "clean.left-out.csv")
    assert kept.select("image", "slot").rows() == [("1", 0), ("2", 0)]
    assert set(gone.columns) == {"image", "slot", "split", "text", "kind", "severity", "why"}
    assert gone.select("image", "slot").unique().height == 2
    assert "1 image with no caption left" in written.notes[0]
    found = read_again(tmp_path, written.notes)
    assert f"as version {found.version[:12]}; version " in written.notes[1]
    bundle = export(store, "set", tmp_path / "bundle", without=["personal-data"])
    assert read_again(tmp_path, bundle.notes).captions == 3


def test_image_goes_whole_only_where_its_kind_is_named(store: Store, tmp_path: Path) -> None:
    ingest_rows(store, [(f"i{n}", slot, f"a dog {n} {slot}") for n in range(30) for slot in range(3 if n else 1)])
    export(store, "set", tmp_path / "all.csv", without=["notice"])
    assert "uneven-captions" not in (tmp_path / "all.left-out.csv").read_text(encoding="utf-8")
    export(store, "set", tmp_path / "some.csv", without=["uneven-captions"])
    assert pl.read_csv(tmp_path / "some.csv").height == 87


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ({"file_format": "xml"}, "expected bundle, coco"),
        ({"target": "x.json"}, "JSON can be two formats"),
        (
            {"target": "x.csv", "without": ["dirt"]},
            "--without dirt: unknown; docs/findings.md lists all kinds",
        ),
    ],
)
def test_what_cannot_be_written_is_refused(store: Store, tmp_path: Path, told: dict, said: str) -> None:
    ingest_rows(store, [("1", 0, "a dog")])
    target = tmp_path / told.pop("target", "x")
    with pytest.raises(UsageError, match=said):
        export(store, "set", target, **told)
    assert list(tmp_path.iterdir()) == []
