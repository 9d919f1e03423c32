"""A candidate that is one of its image's references is told apart: counted, said, and left out where that is asked for."""

from __future__ import annotations

import polars as pl
import pytest
from conftest import ingest_rows

from auditor.errors import UsageError
from auditor.model import CAPTION_SCHEMA, Source
from auditor.sources.reading.acceptance import complete
from auditor.store import ingestion
from auditor.store.connection import Store
from auditor.studies.consensus.accuracy import ConsensusSettings
from auditor.studies.consensus.study import consensus
from auditor.studies.score.study import score
from auditor.text import AT_INGEST

REFERENCES = [
    (f"i{image}", slot, f"a {animal} {verb}")
    for image, animal in enumerate(["dog", "cat", "bird"])
    for slot, verb in enumerate(["runs", "sits", "waits"])
]


@pytest.fixture
def described(store: Store) -> Store:
    ingest_rows(store, REFERENCES)
    return store


def test_captions_that_are_their_own_references_are_counted_and_left_out_on_request(described: Store) -> None:
    system = [("i0", 0, "A dog runs!"), ("i1", 0, "a dog runs"), ("i2", 0, "a bird in the sky")]
    ingest_rows(described, system, "system", kind="candidates")
    sentence = "system: 1 of 3 captions is identical to a reference of their image in set"
    every = score(described, "set", metrics=["bleu-1"], candidates="system")
    assert every.frame.height == 3
    assert f"{sentence}. Use --without-own-references to exclude them" in every.sentences
    some = score(described, "set", metrics=["bleu-1"], candidates="system", without_own_references=True)
    assert f"{sentence} and left out" in some.sentences
    assert some.frame.equals(every.frame.filter(pl.col("image") != "i0"))


def test_switched_captions_that_are_all_references_are_refused_where_they_are_left_out(described: Store) -> None:
    switched = [(image, (slot + 1) % 3, text) for image, slot, text in REFERENCES]
    ingest_rows(described, switched, "switched", kind="candidates")
    assert any("9 of 9 captions are identical to a reference" in note for note in score(described, "set", metrics=["bleu-1"], candidates="switched").sentences)  # fmt: skip
    with pytest.raises(
        UsageError, match="switched: every caption is a reference of its image in set, so none is left to score"
    ):
        score(described, "set", metrics=["bleu-1"], candidates="switched", without_own_references=True)


def ingest_pairs(store: Store, pairs: list[tuple[str, str, str]]) -> None:
    rows = [
        {
            "source": "literal", "unit": "line", "line": 2 * number + place, "image": image, "text": text,
            "pair": {"pair": number, "side": side, "category": None, "origin": None, "votes": 3 - place},
        }
        for number, (image, *texts) in enumerate(pairs, 1)
        for place, (side, text) in enumerate(zip("BC", texts, strict=True))
    ]  # fmt: skip
    frame = pl.DataFrame(rows, schema_overrides=dict(CAPTION_SCHEMA), infer_schema_length=None)
    source = Source("pairs", "pairs", "literal", (), related=("set",))
    ingestion.write(store, source, iter([complete(frame)]), {}, AT_INGEST, "0" * 64, None)


def test_pairs_with_a_reference_of_their_image_are_counted_and_left_out_on_request(described: Store) -> None:
    ingest_pairs(described, [("i0", "a dog runs", "red"), ("i1", "a cat plays", "blue"), ("i2", "a dog runs", "green")])
    told = "pairs: 1 pair has a caption identical to a reference of its image in set: "
    every = consensus(described, "pairs", metrics=["bleu-1"], settings=ConsensusSettings(resamples=0))
    assert f"{told}metrics only match the copy; use --without-own-references to exclude them" in every.sentences
    some = consensus(
        described, "pairs", metrics=["bleu-1"], settings=ConsensusSettings(resamples=0, without_own_references=True)
    )
    assert f"{told}left out" in some.sentences
    numbers = [one.frame.filter(statistic="accuracy", kind="all")["n"].item() for one in (every, some)]
    assert numbers == [3, 2]


def test_no_pair_but_of_references_is_refused(described: Store) -> None:
    ingest_pairs(described, [("i0", "a dog runs", "red")])
    with pytest.raises(
        UsageError, match="pairs: every decided pair has a caption that is a reference of its image in set"
    ):
        consensus(
            described, "pairs", metrics=["bleu-1"], settings=ConsensusSettings(resamples=0, without_own_references=True)
        )
