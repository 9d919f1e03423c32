"""Captions as a question asks for them: selected, tokenized and named in one way."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl
import pytest
from conftest import ingest_rows

from auditor.store.captions import EVALUATION, in_tokens_of_facts, select, select_all, selections_of, stamp
from auditor.store.connection import MEMORY, Store


@pytest.fixture
def store() -> Iterator[Store]:
    with Store.open(MEMORY) as opened:
        ingest_rows(
            opened, [("a", 0, "a dog runs"), ("b", 0, "A dog!")], "dogs", splits={"test": ["a"], "train": ["b"]}
        )
        ingest_rows(opened, [("a", 0, "一只狗"), ("b", 0, "两只猫")], "hanzi")
        yield opened


def test_captions_have_their_tokens_when_they_are_selected(store: Store) -> None:
    captions = select(store, "dogs:test", tokenizer="whitespace")
    assert captions.workspace().query("select length from reference").item() == 3
    assert captions.notes == ()


def test_one_tokenizer_is_for_all_and_a_note_says_why(store: Store) -> None:
    selected = select_all(store, ["dogs", "hanzi"])
    assert {one.tokenizer for one in selected} == {"char"}
    assert all("hanzi" in note for one in selected for note in one.notes)
    assert select(store, "dogs", beside=["hanzi", None]).tokenizer == "char"


def test_facts_are_compared_in_tokens_of_the_version_whatever_is_asked(store: Store) -> None:
    (whole,) = selections_of([select(store, "dogs", tokenizer="whitespace")])
    captions = in_tokens_of_facts(store, whole)
    assert captions.tokenizer == "bare"
    assert captions.facts().rows("repeat_count")["captions"].item() == 2


def test_a_stamp_names_the_captions_and_leaves_a_split_that_rows_have(store: Store) -> None:
    captions = select(store, "dogs:test")
    stamped = captions.stamp(pl.DataFrame({"value": [1]}))
    assert stamped.columns == ["dataset", "version", "split", "value"]
    assert stamped.row(0) == ("dogs", captions.selection.version.version, "test", 1)
    assert captions.stamp(pl.DataFrame({"split": ["train"]}))["split"].item() == "train"
    assert stamp(captions.selection, pl.DataFrame({"value": [1]}), EVALUATION).columns == [*EVALUATION, "value"]
