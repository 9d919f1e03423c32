"""What is kept is kept whole or not at all, under a key that tells everything apart, and changes no answer."""

from __future__ import annotations

import dataclasses
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb
import polars as pl
import pytest
from conftest import ingest_rows
from running import run_auditor
from sizes import some

from auditor.model import Draw, Selection
from auditor.store import engine, kept, kept_results
from auditor.store.connection import Store
from auditor.store.versions import resolve

PARTS = [pl.DataFrame({"image": [image], "n": [1]}) for image in "ab"]


@pytest.mark.parametrize(
    ("parts", "most", "entries"), [(PARTS, None, 2), ([], None, 0), (PARTS, 1, 0)], ids=["all", "none", "too large"]
)
def test_rows_are_kept_whole_or_not_at_all(
    tmp_path: Path, parts: list[pl.DataFrame], most: int | None, entries: int
) -> None:
    path = tmp_path / "audit.duckdb"
    with Store.open(path, write=True) as store:
        ingest_rows(store, [("a", 0, "a dog")])
        draft = kept.Draft(store, kept.Entry(resolve(store, "set"), "made", "key"), most)
        for part in parts:
            draft.add(part)
        draft.keep()
        assert bool(store.on_close) == bool(entries)
    with Store.open(path) as store:
        assert store.query("select count(*) from cache.entry where relation = 'made'").item() == (1 if entries else 0)
        if entries:
            assert store.query("select count(*) from cache.made").item() == entries


def test_rows_that_wait_are_had_before_the_store_is_closed(tmp_path: Path) -> None:
    with Store.open(tmp_path / "audit.duckdb", write=True) as store:
        ingest_rows(store, [("a", 0, "a dog")])
        kept.put(store, resolve(store, "set"), "made", "key", PARTS[0])
        assert kept.get(store, {"key": "made"})["key"].equals(PARTS[0])


def test_where_there_is_no_room_nothing_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError("No space left on device")

    monkeypatch.setattr(pl.DataFrame, "write_ipc", full)
    with Store.open(tmp_path / "audit.duckdb", write=True) as store:
        ingest_rows(store, [("a", 0, "a dog")])
        kept.put(store, resolve(store, "set"), "made", "key", PARTS[0])
        assert not store.on_close
        assert not list(store.scratch().iterdir())


def test_store_in_memory_keeps_nothing(store: Store) -> None:
    ingest_rows(store, [("a", 0, "a dog")])
    kept.put(store, resolve(store, "set"), "made", "key", PARTS[0])
    assert kept.get(store, {"key": "made"}) == {}


def test_any_one_change_alone_gives_another_key(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    ingest_rows(store, [("a", 0, "a dog")])
    whole = resolve(store, "set")
    asked = {"tokenizer": "bare", "relations": ("bleu", "candidate_human"), "params": {"seed": 1, "of": {"seed": 1}}}

    def of(selection: Selection = whole, **changed: object) -> str:
        return kept.key(store, selection, **{**asked, **changed})  # type: ignore[arg-type]

    drawn = Draw(3, 1)
    selections = [
        dataclasses.replace(whole, version=dataclasses.replace(whole.version, dataset="other")),
        dataclasses.replace(whole, version=dataclasses.replace(whole.version, version="other")),
        dataclasses.replace(whole, split="train"),
        dataclasses.replace(whole, distinct="bare"),
        dataclasses.replace(whole, distinct="ptb"),
        dataclasses.replace(whole, draw=drawn),
        *(
            dataclasses.replace(whole, draw=dataclasses.replace(drawn, **change))
            for change in ({"captions": 2}, {"seed": 2}, {"least": 4}, {"mirrored": True}, {"images": 5})
        ),
    ]
    keys = [of(), *map(of, selections)]
    keys += [of(tokenizer="ptb"), of(relations=("bleu",)), of(relations=("bleu", "candidate_intra"))]
    keys += [of(params={"seed": 2, "of": {"seed": 1}}), of(params={"seed": 1, "of": {"seed": 2}}), of(params=None)]
    monkeypatch.setattr(kept, "fingerprint", lambda name: f"another {name}")
    keys += [of(), of(dataclasses.replace(whole, draw=drawn)), of(dataclasses.replace(whole, distinct="bare"))]
    assert len(set(keys)) == len(keys)
    monkeypatch.undo()
    assert of() == keys[0]
    assert of(dataclasses.replace(whole, shows_version=True)) == keys[0], "a label changes no row"


WORDS = "red blue tall old thin wild grey small".split()
ROWS = [
    (f"i{image}", slot, f"a {word} {animal} runs" + " on grass" * slot + (" far away" if image % 3 == slot else ""))
    for image, word in enumerate(WORDS)
    for slot, animal in enumerate(("dog", "dog", "cat"))
]

#: Commands that keep something: counts and scores, drawn candidates, findings, tokens, frequencies, results.
COMMANDS = [
    "score set:test -m bleu-2,cider -t ptb",
    "bounds set -m bleu-1,cider --candidate human --candidate intra",
    "duplicates set",
    "findings set",
    "compare set other -m cider --resamples 40",
    "profile set:test -t ptb",
    "diversity set",
]


@pytest.fixture(scope="module")
def ingested(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("ingested") / "audit.duckdb"
    with Store.open(path, write=True) as store:
        for dataset in ("set", "other"):
            rows = ROWS if dataset == "set" else [(image, slot, f"{text} again") for image, slot, text in ROWS[::-1]]
            ingest_rows(store, rows, dataset, splits={"train": ["i0", "i1"], "test": [f"i{n}" for n in range(2, 8)]})
    return path


@contextmanager
def held(path: Path) -> Iterator[None]:
    """Let another process hold the store for reading, so that what is made cannot be written."""
    holder = (
        "import sys, time, duckdb; connection = duckdb.connect(sys.argv[1], read_only=True);"
        " print('held', flush=True); time.sleep(60)"
    )
    with subprocess.Popen([sys.executable, "-c", holder, str(path)], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        try:
            yield
        finally:
            process.kill()


@pytest.mark.parametrize("command", some(COMMANDS, 3))
def test_what_is_kept_changes_no_byte_of_an_answer(
    ingested: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    path = tmp_path / "audit.duckdb"
    shutil.copy2(ingested, path)

    def answer() -> str:
        run = run_auditor(*command.split(), "--json", "--store", str(path))
        assert run.returncode == 0, run.stderr
        return run.stdout

    def held_rows() -> int:
        with duckdb.connect(str(path), read_only=True) as connection:
            return sum(rows for (rows,) in connection.execute("select estimated_size from duckdb_tables()").fetchall())

    before = held_rows()
    with held(path):
        cold = answer()
    assert held_rows() == before, "nothing is kept while another process holds the store"
    assert answer() == cold
    assert held_rows() > before
    assert answer() == cold
    assert run_auditor("store", "gc", "--store", str(path)).returncode == 0
    assert answer() == cold
    assert run_auditor("store", "gc", "--all", "--store", str(path)).returncode == 0
    seal = engine.seal

    def sealed(connection: duckdb.DuckDBPyConnection, *rest: object) -> None:
        seal(connection, *rest)  # type: ignore[arg-type]
        connection.execute("set threads = 2").complete()

    monkeypatch.setattr(engine, "seal", sealed)
    assert answer() == cold


def test_results_are_kept_under_every_text_that_makes_them(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    monkeypatch.setattr(Path, "read_bytes", lambda path: read.append(path.as_posix()) or b"")
    kept_results.program.__wrapped__()
    ends = ("findings/kinds.toml", "facts/signs.toml", "sql/macros.sql", "studies/profile.py", "scoring/registry.py")
    assert all(any(path.endswith(end) for path in read) for end in ends)
    assert not any("/auditor/reports/" in path for path in read)
