"""A format is one record: what else a dataset of its files goes through asks the record, and knows no name."""

from __future__ import annotations

import ast
from pathlib import Path

import polars as pl
import pytest

from auditor import sources
from auditor.model import Batches, Part
from auditor.sources.format import Format
from auditor.sources.reading import files, lines
from auditor.store.connection import Store
from auditor.studies.ingest.naming import wanted
from auditor.studies.ingest.sources import ingest_sources

AUDITOR = Path(sources.__file__).parents[1]


def recognizes(path: Path, head: bytes) -> bool:
    return head.startswith(b"!")


def read(part: Part) -> Batches:
    for path in files.expand(part):
        for block in lines.blocks(path):
            quiet = pl.when(~pl.col("raw").str.starts_with("!")).then(pl.lit("no shout"))
            yield block.with_columns(image=pl.col("raw"), text=pl.col("raw"), left_out=quiet)


SHOUTS = Format(
    "shouts", recognizes, read, kind="corpus", split_by_name=True, lines=(".sh",), why_left_out="they are whispered"
)


def test_record_alone_makes_a_format(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sources.FORMATS, "shouts", SHOUTS)  # type: ignore[arg-type]
    (tmp_path / "train.sh").write_text("!a dog\na cat\n")
    (tmp_path / "test.sh").write_text("!a boat")
    (source,) = wanted(["heard"], files=[tmp_path / "train.sh", tmp_path / "test.sh"], declarations={})
    made = ingest_sources(store, [source])
    assert [one.version.kind for one in made.selections] == ["corpus"]
    assert [*map(str, made.notes), *(one.sentence for one in made.findings)] == [
        'heard: detected format "shouts"',
        "heard: the first caption: !a dog “!a dog” (train.sh:1)",
        "heard: language en, assumed, since 0 captions of 3 words or more are too few to detect it; --language sets another",
        "heard: captions without a split got that of their file name: train, test",
        "heard: the last line has no line ending, so the file may be truncated: test.sh:1",
        "heard: 1 record skipped: they are whispered",
    ]


def names_a_format(node: ast.AST) -> bool:
    """Find a comparison of something called format with a name, or with several."""
    if not isinstance(node, ast.Compare):
        return False
    names = {getattr(one, "attr", getattr(one, "id", "")) for one in ast.walk(node)}
    values = {one.value for one in ast.walk(node) if isinstance(one, ast.Constant)}
    return bool(names & {"format", "file_format"}) and bool(values & set(sources.FORMATS))


def test_nothing_asks_a_format_by_its_name() -> None:
    rooms = [
        path for path in AUDITOR.rglob("*.py") if not {"cli", "reports", "export"} & set(path.parts)
    ]  # formats written
    found = [path for path in rooms if any(map(names_a_format, ast.walk(ast.parse(path.read_text("utf-8")))))]
    assert found == []
