"""Verify: damage is damage, data other than declared are told and are none."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest
from conftest import ingest_rows
from running import run_auditor

from auditor.model import Source
from auditor.store import versions
from auditor.store.connection import Store
from auditor.studies.upkeep.store import verify

ROWS = [("a", 0, "a dog runs"), ("a", 1, "a dog runs"), ("b", 0, "日本")]


def declared(images: int | None, captions: int | None, dataset: str = "set") -> dict[str, Source]:
    return {dataset: Source(dataset, "captions", "flickr", (), images=images, captions=captions)}


def compared(store: Store, sources: dict[str, Source], ref: str | None = None) -> list[tuple[object, ...]]:
    rows = verify(store, ref, config=sources).frame
    return rows.filter(pl.col("check") == "declared counts").drop("check").rows()


def test_counts_that_datasets_toml_declares_are_compared(store: Store) -> None:
    ingest_rows(store, ROWS)
    assert compared(store, declared(2, 3)) == [("set@v1", 2, 0, "ok")]
    assert compared(store, declared(2, None)) == [("set@v1", 1, 0, "ok")]
    assert compared(store, declared(None, None)) == []
    assert compared(store, declared(9, 9, "other")) == []
    assert compared(store, {}) == []


def test_other_counts_differ_and_are_no_damage(store: Store) -> None:
    ingest_rows(store, ROWS)
    result = verify(store, config=declared(2, 40_460))
    sound = result.holds
    assert sound
    assert compared(store, declared(2, 40_460)) == [("set@v1", 2, 1, "differs")]
    assert result.sentences == ("set@v1: 3 captions, 40,457 fewer than the 40,460 declared in datasets.toml",)


def test_only_the_newest_version_is_compared(store: Store) -> None:
    ingest_rows(store, ROWS)
    ingest_rows(store, ROWS[:2])
    assert compared(store, declared(1, 2)) == [("set@v2", 2, 0, "ok")]
    assert compared(store, declared(1, 2), "set@v1") == []
    assert compared(store, declared(1, 2), "set") == [("set@v2", 2, 0, "ok")]


@pytest.mark.parametrize(
    ("statement", "check"),
    [
        ("insert into annotation (dataset, image, slot, occurrences, from_seq) values ('set', 'z', 0, 1, 1)",
         "every annotation stands at a place"),
        ("insert into annotation (dataset, image, slot, occurrences, from_seq) values ('set', 'b', 0, 1, 1)",
         "every annotation stands at a place"),
        ("insert into annotation (dataset, image, slot, occurrences, from_seq) values ('set', 'a', 0, 1, 9)",
         "every annotation is of a version"),
        ("insert into annotation (dataset, image, slot, occurrences, from_seq, to_seq) values ('set', 'a', 0, 1, 1, 9)",
         "every annotation is of a version"),
        ("insert into annotation (dataset, image, slot, occurrences, from_seq) values ('set', 'a', 0, 1, 1), ('set', 'a', 0, 2, 2)",
         "no place holds two annotations at once"),
        ("insert into tag values ('set', 'camera-ready', 9, now())", "every tag names a version"),
        ("update version set captions = 7 where seq = 2", "the counts are those of the log"),
        ("update version set images = 7 where seq = 1", "the counts are those of the log"),
        ("update membership set to_seq = 9 where to_seq is null", "every place is of a version"),
    ],
)  # fmt: skip
def test_damage_to_annotations_tags_and_counts_is_found(store: Store, statement: str, check: str) -> None:
    ingest_rows(store, ROWS)
    ingest_rows(store, ROWS[:2])
    assert verify(store).holds
    store.execute(statement)
    result = verify(store)
    sound = result.holds
    assert not sound
    assert check in result.frame.filter(pl.col("state") == "DAMAGED")["check"].to_list()


def test_sound_annotations_and_tags_pass(store: Store) -> None:
    ingest_rows(store, ROWS)
    ingest_rows(store, ROWS[:2])
    store.execute(
        "insert into annotation (dataset, image, slot, occurrences, from_seq, to_seq)"
        " values ('set', 'b', 0, 1, 1, 2), ('set', 'a', 0, 1, 1, 2), ('set', 'a', 0, 2, 2, null)"
    )
    store.execute("insert into tag values ('set', 'camera-ready', 1, now())")
    rows = verify(store).frame.filter(~pl.col("check").is_in(["hash and counts"]))
    assert rows["faults"].sum() == 0


def test_command_ends_well_where_only_counts_differ(tmp_path: Path) -> None:
    path = tmp_path / "audit.duckdb"
    with Store.open(path, write=True) as store:
        ingest_rows(store, ROWS)
        label = versions.resolve(store, "set").version.label
    config = tmp_path / "own.toml"
    config.write_text('[set]\nformat = "flickr"\npath = "captions.token"\nimages = 2\ncaptions = 9\n')
    done = run_auditor("store", "verify", "--store", str(path), "--config", str(config))
    assert done.returncode == 0
    assert "differs" in done.stdout
    assert f"{label}: 3 captions, 6 fewer than the 9 declared in datasets.toml" in done.stdout


@pytest.mark.parametrize("seed", range(3))
def test_flipped_bits_are_the_stores_fault_and_never_the_statements(tmp_path: Path, seed: int) -> None:
    path, drawn = tmp_path / "audit.duckdb", random.Random(seed)
    with Store.open(path, write=True) as store:
        ingest_rows(
            store, [(f"i{image}", slot, f"words of {image} {slot}") for image in range(400) for slot in range(3)]
        )
    content = bytearray(path.read_bytes())
    for _ in range(8):
        content[drawn.randrange(3 * 4096, len(content))] ^= 1 << drawn.randrange(8)
    path.write_bytes(content)
    command = [sys.executable, "-m", "auditor", "store", "verify", "--store", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 4, done.stderr
    assert "Traceback" not in done.stderr
