"""Bounds are kept whole: the second time they are read, and whatever may change them is asked about anew."""

from __future__ import annotations

import shutil
from pathlib import Path

import duckdb
import pytest
from conftest import ingest_rows

from auditor.errors import StoreError
from auditor.scoring import candidate_sets
from auditor.store.connection import MEMORY, Store
from auditor.studies.bounds import bounds

CAPTIONS = [(f"i{image}", slot, f"word{image} word{slot} dog on a bed") for image in range(12) for slot in range(3)]


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("kept") / "kept.duckdb"
    with Store.open(path, write=True) as store:
        ingest_rows(store, CAPTIONS, dataset="one")
        ingest_rows(store, [(f"x{image}", slot, text) for image, slot, text in CAPTIONS], dataset="two")
        bounds(store, "one", metrics=["bleu-1"])
    return path


@pytest.fixture
def file(kept: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy2(kept, tmp_path))


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Note of which selections scores are asked for."""
    asked: list[str] = []
    score = candidate_sets.score_candidates

    def noted(store: Store, selection: object, *rest: object) -> object:
        asked.append(str(selection))
        return score(store, selection, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(candidate_sets, "score_candidates", noted)
    return asked


def test_bounds_asked_again_are_read_not_counted(file: Path, counted: list[str]) -> None:
    with Store.open(file) as store:
        again = bounds(store, "one", metrics=["bleu-1"])
        assert not counted
    with Store.open(MEMORY) as fresh:
        ingest_rows(fresh, CAPTIONS, dataset="one")
        made = bounds(fresh, "one", metrics=["bleu-1"])
    assert again.frame.equals(made.frame)
    assert (again.notes, again.findings, again.signatures) == (made.notes, made.findings, made.signatures)


@pytest.mark.parametrize(
    "asked",
    [
        {"metrics": ["bleu-2"]},
        {"seed": 2},
        {"references": 1},
        {"distinct": True},
        {"candidates": ["human"]},
        {"others": ["two"]},
        {"tokenizer": "ptb"},
    ],
    ids=lambda asked: next(iter(asked)),
)
def test_whatever_is_asked_otherwise_is_counted(asked: dict[str, object], file: Path, counted: list[str]) -> None:
    with Store.open(file) as store:
        bounds(store, "one", **{"metrics": ["bleu-1"], **asked})  # type: ignore[arg-type]
        assert counted


def test_a_corpus_that_came_in_since_is_drawn_from(file: Path) -> None:
    sentences = [("doc", slot, f"a sentence of number{slot} stands right here") for slot in range(40)]
    with Store.open(file, write=True) as store:
        assert "brown" not in set(bounds(store, "one", metrics=["bleu-1"]).frame["candidate"])
        ingest_rows(store, sentences, dataset="brown", kind="corpus")
        assert "brown" in set(bounds(store, "one", metrics=["bleu-1"]).frame["candidate"])


def test_a_new_version_is_another_question(file: Path, counted: list[str]) -> None:
    with Store.open(file, write=True) as store:
        ingest_rows(store, CAPTIONS[:-3], dataset="one")
        bounds(store, "one", metrics=["bleu-1"])
        assert counted


@pytest.mark.parametrize(
    "change",
    [
        "update cache.study_result set body = '[]'::blob where part = 0",
        "update cache.study_result set body = repeat('[', 200000)::blob where part = 0",
        "update cache.study_result set body = 'ARROW1'::blob where part > 0",
        "delete from cache.study_result where part > 0",
        "delete from cache.study_result where part = 0",
    ],
)
def test_kept_bounds_that_cannot_be_read_are_damage_that_is_swept(file: Path, change: str) -> None:
    with duckdb.connect(str(file)) as connection:
        connection.execute(change).complete()
    with (
        Store.open(file) as store,
        pytest.raises(StoreError, match="in the cache cannot be read; run `auditor store gc --all`"),
    ):
        bounds(store, "one", metrics=["bleu-1"])
