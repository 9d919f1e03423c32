"""The first sentence of a caption: full stops that end none, and how many captions were cut."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from auditor.config import wanted
from auditor.sources.reading.acceptance import first_sentence
from auditor.store.connection import Store
from auditor.studies.ingest.sources import ingest_sources


@pytest.mark.parametrize(
    ("caption", "first"),
    [
        ("A man stands by St. Paul's church. He smiles.", "A man stands by St. Paul's church."),
        ("He lives on Main St. The house is blue.", "He lives on Main St."),
        ("The ship sails E.S.E. of the coast. Waves.", "The ship sails E.S.E. of the coast."),
        ("Heading E.S.E. The sea is calm.", "Heading E.S.E."),
        ("At 5 p.m. the sun sets. It is late.", "At 5 p.m. the sun sets."),
        ("J. Smith rides a bike. It is red.", "J. Smith rides a bike."),
        ("Is it Mr. Smith? Yes.", "Is it Mr. Smith?"),
        ("A sign reads No. 5 on a wall. A dog.", "A sign reads No. 5 on a wall."),
        ("He says no. A man leaves.", "He says no."),
        ("dogs, cats, etc. sit there. Bye.", "dogs, cats, etc. sit there."),
        ("a dog runs. the cat sits.", "a dog runs."),
        ("  A dog\nruns! A cat", "A dog\nruns!"),
        ("no end", "no end"),
        ("", ""),
    ],
)
def test_sentence_ends_where_a_reader_would_end_it(caption: str, first: str) -> None:
    assert pl.DataFrame({"text": [caption]}).select(first_sentence(pl.col("text"))).item() == first


def test_captions_that_are_cut_are_counted(store: Store, tmp_path: Path) -> None:
    path = tmp_path / "captions.csv"
    path.write_text("image,caption\na,A dog by St. Paul's.\na,A dog. A cat.\nb,One. Two. Three.\nb,no end\n")
    result = ingest_sources(store, wanted(["q"], files=[path], options={"sentences": "first"}))
    assert "q: 2 captions cut to their first sentence" in result.sentences
    assert "One." in store.query("select text from caption")["text"].to_list()
