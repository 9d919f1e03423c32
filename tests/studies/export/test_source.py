"""What came in goes out: the format of the source, its columns and their order; only what is repaired changes."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from auditor.errors import SourceError, UsageError
from auditor.store.connection import Store
from auditor.studies.export import export
from auditor.studies.ingest import ingest

REFUSAL = "I'm sorry, I cannot describe this image."

TALK, REPAIRED = "Sure! Here is a caption: A cat sits on a mat.", "A cat sits on a mat."

ROWS: list[dict[str, Any]] = [
    {"uid": "u0", "url": "http://x/0", "image": "0", "caption": "a dog runs, and jumps", "score": 0.25, "n": 7},
    {"uid": "u1", "url": "http://x/1", "image": "1", "caption": TALK, "score": 0.5, "n": 8},
    {"uid": "u2", "url": "http://x/2", "image": "2", "caption": REFUSAL, "score": None, "n": 9},
    {"uid": "u3", "url": "http://x/3", "image": "0", "caption": "the dog is running", "score": 1.5, "n": 10},
]

COCO = {
    "info": {"year": 2026},
    "images": [{"id": n, "width": 640} for n in range(3)],
    "annotations": [
        {"id": n, "image_id": int(row["image"]), "caption": row["caption"], "area": n} for n, row in enumerate(ROWS)
    ],
}


def write(path: Path) -> Path:
    """Write the rows in a format, by the ending of the file."""
    frame = pl.DataFrame(ROWS)
    match path.suffixes:
        case [".csv"]:
            frame.write_csv(path)
        case [".tsv"]:
            frame.write_csv(path, separator="\t")
        case [".jsonl"]:
            path.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
        case [".parquet"]:
            frame.write_parquet(path)
        case [".list", ".json"]:
            listed = [{"uid": row["uid"], "image_id": row["image"], "caption": row["caption"]} for row in ROWS]
            path.write_text(json.dumps(listed))
        case _:
            path.write_text(json.dumps(COCO))
    return path


def read(path: Path) -> Any:
    """Read a file in its own types, by the standard library where there is one."""
    match path.suffix:
        case ".csv" | ".tsv":
            return [*csv.reader(io.StringIO(path.read_text()), delimiter="," if path.suffix == ".csv" else "\t")]
        case ".jsonl":
            return [[*json.loads(line).items()] for line in path.read_text().splitlines()]
        case ".parquet":
            return [pl.read_parquet(path).schema, pl.read_parquet(path).rows()]
    return json.loads(path.read_text())


FORMATS = ["a.csv", "a.tsv", "a.jsonl", "a.parquet", "a.list.json", "a.coco.json"]


@pytest.mark.parametrize("name", FORMATS)
def test_what_came_in_goes_out(store: Store, tmp_path: Path, name: str) -> None:
    source = write(tmp_path / name)
    ingest(store, "mine", files=[source])
    target = tmp_path / f"out{source.suffix}"
    export(store, "mine", target, source=source)
    assert read(target) == read(source)
    assert ingest(store, "mine", files=[target]).frame["status"].item() == "unchanged"
    export(store, "mine", target, source=source, fix="all", force=True)
    assert REFUSAL not in str(read(target))
    assert TALK not in str(read(target))
    assert REPAIRED in str(read(target))
    assert len(str(read(source))) - len(str(read(target))) > len(REFUSAL)
    assert "u3" in str(read(target)) or name == "a.coco.json"


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".jsonl", ".parquet"])
def test_a_table_can_become_another_with_the_same_columns(store: Store, tmp_path: Path, ending: str) -> None:
    source = write(tmp_path / "a.parquet")
    ingest(store, "mine", files=[source])
    export(store, "mine", target := tmp_path / f"out{ending}", source=source, without="refusals")
    kept = [row for row in ROWS if row["caption"] != REFUSAL]
    text = str(read(target))
    assert all(row["url"] in text for row in kept)
    assert ROWS[2]["url"] not in text
    assert [text.index(f"'{name}'") for name in ROWS[0]] == sorted(text.index(f"'{name}'") for name in ROWS[0])


def test_captions_in_several_columns_keep_their_row(store: Store, tmp_path: Path) -> None:
    source = tmp_path / "wide.csv"
    source.write_text(f"image,caption_1,caption_2,z\na,a dog runs,{REFUSAL.replace(',', '')},1\nb,a cat,the cat,2\n")
    ingest(store, "mine", files=[source])
    export(store, "mine", target := tmp_path / "out.csv", source=source, without="refusals")
    assert target.read_text() == "image,caption_1,caption_2,z\na,a dog runs,,1\nb,a cat,the cat,2\n"


def test_a_plain_table_of_parquet_needs_no_source(store: Store, tmp_path: Path) -> None:
    ingest(store, "mine", files=[write(tmp_path / "a.csv")])
    export(store, "mine", target := tmp_path / "out.parquet")
    assert pl.read_parquet(target).columns == ["image", "slot", "caption"]
    again = ingest(store, "mine", files=[target], image_col="image", caption_col="caption", slot_col="slot")
    assert again.frame["status"].item() == "unchanged"


def test_a_source_that_is_gone_changed_or_of_another_kind_says_so(store: Store, tmp_path: Path) -> None:
    source = write(tmp_path / "a.csv")
    ingest(store, "mine", files=[source])
    with pytest.raises(UsageError, match="columns are kept of tables"):
        export(store, "mine", tmp_path / "out.xlsx", source=source)
    with pytest.raises(UsageError, match="leave out --format"):
        export(store, "mine", tmp_path / "out.csv", source=source, file_format="csv")
    source.write_text(source.read_text() + "u4,x,4,a bird,1,1\n")
    with pytest.raises(SourceError, match="its sha256 is not that of mine@v1"):
        export(store, "mine", tmp_path / "out.csv", source=source)
    source.unlink()
    with pytest.raises((SourceError, UsageError), match="no such file"):
        export(store, "mine", tmp_path / "out.csv", source=source)
    assert not (tmp_path / "out.csv").exists()
