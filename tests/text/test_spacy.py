"""Tokenizer spacy gives the tokens of a spaCy pipeline, and says what is missing without spaCy."""

from __future__ import annotations

import sys
from pathlib import Path

import polars as pl
import pytest
from conftest import ingest_rows
from sizes import is_all

from auditor import sources
from auditor.cli import app
from auditor.errors import MissingExtraError
from auditor.model import Part
from auditor.store.connection import Store
from auditor.text.spacy import pipelines


def tokenize(text: str) -> list[str]:
    return pipelines.tokenize(pl.Series([text], dtype=pl.String))[0].to_list()


@pytest.mark.parametrize(
    ("caption", "tokens"),
    [
        ("A man's tri-colored dog, running!", ["a", "man", "'s", "tri", "-", "colored", "dog", ",", "running", "!"]),
        ("They don't  care\n:)", ["they", "do", "n't", "care", ":)"]),
        (" Das Café um 5pm\u00a0… ", ["das", "café", "um", "5", "pm", "…"]),
        (" \n ", []),
        ("", []),
    ],
)
def test_profile_does_what_it_says(caption: str, tokens: list[str]) -> None:
    pytest.importorskip("spacy")
    assert tokenize(caption) == tokens


def test_tokens_are_those_of_a_pipeline(data: Path) -> None:
    spacy = pytest.importorskip("spacy")
    model = data.parent / "models" / "en_ewt_prep"
    if not model.exists():
        pytest.skip("no pipeline beside the real datasets: models/en_ewt_prep")
    pipeline = spacy.load(model)
    batches = sources.read(Part((data / "flickr8k" / "Flickr8k.token.txt.gz",)), "flickr")
    texts = pl.concat([batch["text"] for batch in batches]).head(2000 if is_all() else 300)
    expected = [[token.text.lower() for token in pipeline(text) if not token.is_space] for text in texts]
    assert pipelines.tokenize(texts).to_list() == expected


@pytest.fixture
def _without_spacy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "spacy", None)
    pipelines._tokenizer.cache_clear()


@pytest.mark.usefixtures("_without_spacy")
def test_missing_spacy_names_the_extra() -> None:
    with pytest.raises(MissingExtraError, match=r"pip install 'auditor\[spacy\]'"):
        tokenize("a dog")


@pytest.mark.usefixtures("_without_spacy")
def test_missing_spacy_is_exit_code_six(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "audit.duckdb"
    with Store.open(path, write=True) as store:
        ingest_rows(store, [("a", 0, "a dog"), ("a", 1, "the dog")])
    with pytest.raises(SystemExit) as ended:
        app.main(["score", "set", "--tokenizer", "spacy", "--store", str(path)])
    assert ended.value.code == 6
    assert "auditor[spacy]" in capsys.readouterr().err
