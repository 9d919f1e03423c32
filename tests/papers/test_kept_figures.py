"""What papers' studies measured is kept: read again where nothing that it may depend on has changed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest
from conftest import ingest_rows

from auditor.model import Progress, silent
from auditor.papers import measured, paper
from auditor.papers.figures import Paper, read_paper
from auditor.papers.hsieh2023 import ANSWERS
from auditor.papers.measured import Measured, kept
from auditor.result import Finding, Table
from auditor.store.connection import Store
from auditor.store.versions import resolve

PAPER = (
    'citation = "A 2020"\ndatasets = ["set", "absent"]\nbeside = ["answers.parquet"]\n[kinds.one]\nitem = "1"\nsection = "2"\ndataset = "set"\n'
    "[checks]\none = [{ says = 'x', printed = '0.3' }]"
)

ROWS = [("i0", 0, "a man"), ("i0", 1, "a dog"), ("i1", 0, "a man")]


class Study:
    """A study that counts how often it is asked."""

    def __init__(self) -> None:
        self.asked = 0

    def __call__(self, store: Store, paper: Paper, seed: int, progress: Progress) -> Measured:
        del paper, progress
        self.asked += 1
        one, other = ("set", "m", "", "", "s"), ("set", "m", "human", "", "s")
        return Measured(
            {one: 0.1 + 0.2, other: seed / 3},
            {"absent": "not in the store"},
            (resolve(store, "set"),),
            {"m": "m|v:1"},
            ("a note", Finding("a-code", "a sentence", {"dataset": "set"}, {"n": 1}, 3)),
            {("set", "none", "", "", "s"): "no such thing"},
            (Table("shown", pl.DataFrame({"n": [1]}), name="one"),),
            {one: (0.2, 0.4)},
        )


@pytest.fixture
def study() -> Study:
    return Study()


@pytest.fixture
def filled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    monkeypatch.chdir(tmp_path)
    with Store.open(tmp_path / "filled.duckdb", write=True) as store:
        ingest_rows(store, ROWS, "set")
        yield store


def ask(study: Study, store: Store, text: str = PAPER, seed: int = 1) -> Measured:
    return kept(study, store, read_paper("mine", text), seed, silent)


def test_what_was_measured_is_read_to_the_last_bit(filled: Store, study: Study) -> None:
    first, again = ask(study, filled), ask(study, filled)
    assert study.asked == 1
    for one in (first, again):
        fresh = Study()(filled, read_paper("mine", PAPER), 1, silent)
        tables, others = one.tables, fresh.tables
        assert [table.title for table in tables] == [table.title for table in others]
        assert all(a.frame.equals(b.frame) for a, b in zip(tables, others, strict=True))
        for name in ("quantities", "lacking", "selections", "signatures", "notes", "absent", "intervals"):
            assert getattr(one, name) == getattr(fresh, name), name


def test_a_seed_a_figure_and_captions_are_other_questions(filled: Store, study: Study) -> None:
    ask(study, filled)
    assert ask(study, filled, seed=2).quantities["set", "m", "human", "", "s"] == 2 / 3
    ask(study, filled, PAPER.replace("0.3", "0.4"))
    assert study.asked == 3
    ingest_rows(filled, ROWS[:2], "other")
    ask(study, filled)
    assert study.asked == 4
    ingest_rows(filled, [*ROWS, ("i1", 1, "a bird")], "set")
    ask(study, filled)
    assert study.asked == 5


def test_a_file_beside_those_of_the_dataset_is_another_question(filled: Store, study: Study, tmp_path: Path) -> None:
    Path("datasets.toml").write_text('[set]\nformat = "flickr"\npath = "captions.token"\n')
    Path("captions.token").write_text("i0#0\ta man\n")
    ask(study, filled)
    Path("result.csv").write_bytes(b"")
    ask(study, filled)
    assert study.asked == 1
    Path("answers.parquet").write_bytes(b"")
    ask(study, filled)
    assert study.asked == 2
    Path("captions.token").write_text("i0#0\ta man and a dog\n")
    ask(study, filled)
    assert study.asked == 3


def test_files_that_a_study_looks_for_are_named() -> None:
    assert paper("hsieh2023").beside == (ANSWERS,)


def test_a_part_that_is_installed_is_another_question(
    filled: Store, study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = measured._installed
    ask(study, filled)
    monkeypatch.setattr(measured, "_installed", lambda name: "9" if name == "spacy" else before(name))
    ask(study, filled)
    assert study.asked == 2


def test_nothing_is_kept_where_nothing_of_the_paper_is_here(filled: Store, study: Study) -> None:
    elsewhere = PAPER.replace('["set", "absent"]', '["absent"]')
    ask(study, filled, elsewhere)
    ask(study, filled, elsewhere)
    assert study.asked == 2
