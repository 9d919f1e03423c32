"""Annotations follow their captions: votes are content and enter the version, phrases are mark-up and do not."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

from auditor.model import Selection, Source, Version
from auditor.sources.reading.acceptance import complete
from auditor.store import ingestion, verification, versions
from auditor.store.connection import Store
from auditor.text import AT_INGEST

CAPTIONS = [("a", 0, "a dog runs"), ("a", 1, "the dog"), ("b", 0, "un café"), ("b", 1, "the dog")]
DOG = {"chain": "7", "types": ["animals"], "start": 0, "length": 5}
RATED = [{"judge": "zoë", "score": 2.5, "votes": 1}, {"judge": "ann", "score": 4.0, "votes": 3}]


def ingest(
    store: Store, captions: list[tuple[str, int, str]], notes: dict[tuple[str, int], dict[str, Any]] | None = None
) -> Version:
    """Ingest captions with annotations: of (image, slot), columns of the caption schema."""
    rows = [
        {"source": "f", "unit": "line", "line": line, "image": image, "slot": slot, "text": text}
        | (notes or {}).get((image, slot), {})
        for line, (image, slot, text) in enumerate(captions, 1)
    ]
    frame = complete(pl.DataFrame(rows, infer_schema_length=None))
    source = Source("set", "judgements", "literal", ())
    version = ingestion.write(store, source, iter([frame]), {}, AT_INGEST, "0" * 64).version
    assert verification.check(store)["faults"].sum() == 0
    return version


def test_other_votes_are_another_version(store: Store) -> None:
    rated = {("a", 0): {"judgements": RATED}}
    first = ingest(store, CAPTIONS, rated)
    assert ingest(store, CAPTIONS, {("a", 0): {"judgements": RATED[::-1]}}) == first
    other = ingest(store, CAPTIONS, {("a", 0): {"judgements": [RATED[0] | {"score": 3.0}, RATED[1]]}})
    assert other.version != first.version
    changes = versions.difference(store, Selection(first), Selection(other), "change")
    assert changes.select("change", "image", "slot").rows() == [("rated otherwise", "a", 0)]
    assert ingest(store, CAPTIONS, rated).version == first.version


def test_rating_comes_with_the_text_that_was_rated_now(store: Store) -> None:
    ingest(store, CAPTIONS, {("a", 0): {"judgements": RATED}})
    ingest(
        store,
        [("a", 0, "the dog"), *CAPTIONS[2:]],
        {("a", 0): {"judgements": RATED}, ("b", 1): {"judgements": RATED[:1]}},
    )
    rated = store.query("select image, slot, text, judge, score from judgement order by all")
    assert rated.rows() == [
        ("a", 0, "the dog", "ann", 4.0),
        ("a", 0, "the dog", "zoë", 2.5),
        ("b", 1, "the dog", "zoë", 2.5),
    ]


@pytest.mark.parametrize(
    "note",
    [
        {"judgements": RATED},
        {"pair": {"pair": 1, "side": "B", "category": "HC", "origin": "human", "votes": 6}},
        {"triplet": {"triplet": 1, "side": "A", "category": None, "votes": None}},
        {"occurrences": 17},
    ],
)
def test_votes_that_are_gone_are_gone_from_the_version(store: Store, note: dict[str, Any]) -> None:
    rated = ingest(store, CAPTIONS, {("a", 0): note})
    plain = ingest(store, CAPTIONS)
    assert plain.version != rated.version
    assert store.query("select count(*) from annotation where to_seq is null").item() == 0
    assert versions.content_hash(store, Selection(rated))[0] == rated.version


def test_phrases_leave_the_version_as_it_is(store: Store) -> None:
    plain = ingest(store, CAPTIONS)
    assert ingest(store, CAPTIONS, {("a", 0): {"phrases": [DOG]}}) == plain
    assert store.query("select phrase, types from phrase").rows() == [("a dog", ["animals"])]
    ingest(store, CAPTIONS, {("a", 0): {"phrases": [DOG | {"length": 10}]}})
    assert store.query("select phrase from phrase").rows() == [("a dog runs",)]


def test_phrases_of_unchanged_captions_survive_a_source_without_phrases(store: Store) -> None:
    ingest(store, CAPTIONS, {("a", 0): {"phrases": [DOG]}, ("b", 0): {"phrases": [DOG | {"start": 3, "length": 4}]}})
    ingest(store, CAPTIONS)
    assert store.query("select count(*) from phrase").item() == 2
    ingest(store, [("a", 0, "a cat runs"), *CAPTIONS[1:]])
    assert store.query("select image, phrase from phrase").rows() == [("b", "café")]
