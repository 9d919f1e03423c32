"""A file stands for a dataset in the library as on the command line: same numbers, and nothing is kept."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from auditor import Auditor
from auditor.errors import SourceError, UsageError

ROWS = [{"image": f"{n}.jpg", "caption": text} for n in range(4) for text in (f"a dog runs {n}", "the dog is running")]

QUESTIONS: list[tuple[str, list[str], dict[str, Any]]] = [
    ("profile", ["refs.csv"], {}),
    ("score", ["refs.csv"], {"candidates": "out.json", "metrics": ["bleu-1", "cider-d:idf=of:refs"]}),
    ("score", ["refs.csv"], {"candidates": ["out.json"], "preset": "sacrebleu", "resamples": 0}),
    ("bounds", ["refs.csv", "out.json"], {"metrics": ["bleu-1"], "draws": 1}),
    ("references", ["refs.csv"], {"metrics": ["bleu-1"]}),
    ("findings", ["refs.csv"], {}),
]


@pytest.fixture(autouse=True)
def files() -> None:
    pl.DataFrame(ROWS).write_csv("refs.csv")
    Path("out.json").write_text(json.dumps([{"image_id": f"{n}.jpg", "caption": "a dog runs fast"} for n in range(4)]))


@pytest.fixture
def stored() -> Auditor:
    audit = Auditor("s.duckdb", write=True)
    audit.ingest("refs", files=["refs.csv"])
    audit.ingest("out", files=["out.json"], kind="candidates")
    return audit


@pytest.mark.parametrize(("name", "places", "options"), QUESTIONS)
def test_files_have_the_numbers_of_datasets(
    stored: Auditor, name: str, places: list[str], options: dict[str, Any]
) -> None:
    def named(value: Any) -> Any:
        if isinstance(value, list):
            return [named(one) for one in value]
        return {"refs.csv": "refs", "out.json": "out"}.get(value, value)

    with stored, Auditor() as nothing:
        of_store = getattr(stored, name)(*named(places), **{key: named(value) for key, value in options.items()})
        of_files = getattr(nothing, name)(*map(Path, places), **options)
    if "kind" not in of_store.frame.columns:  # findings name the file
        assert of_files.frame.equals(of_store.frame)
    assert of_files.signatures == of_store.signatures
    assert of_files.notes[0].startswith(f"{places[0]}: read into a temporary store as ")


def test_a_file_of_candidates_is_scored_against_a_dataset_of_the_store(stored: Auditor) -> None:
    with stored:
        alone = stored.score("refs", candidates="out", metrics=["bleu-1"])
        beside = stored.score("refs", candidates=Path("out.json"), metrics=["bleu-1"])
        assert beside.frame.equals(alone.frame)
        assert set(stored.datasets().frame["dataset"]) == {"refs", "out"}
        with pytest.raises(UsageError, match=r"refs is a dataset in the store, but out.json is a file; run `auditor"):
            stored.bounds("refs", "out.json")
        with pytest.raises(SourceError, match=r"nowhere.json: no such file"):
            stored.profile("nowhere.json")
        with pytest.raises(TypeError, match="nonsense"):
            stored.profile("refs.csv", nonsense=1)
