"""Small sets under the names of the papers' own: ratings, triplets and pairs with 52 references of an image, systems."""

from __future__ import annotations

from pathlib import Path

import polars as pl
from conftest import ingest_rows

from auditor.model import CAPTION_SCHEMA, Part, Source
from auditor.sources.reading.acceptance import complete
from auditor.store import ingestion
from auditor.store.connection import Store
from auditor.studies.ingest.sources import ingest_sources
from auditor.text import AT_INGEST

CAPTIONS = ["A dog runs on grass.", "Two men play a guitar.", "A red bus in the street.", "A child eats a cake."]

#: Image, caption and what three judges think of it; the first is its own reference.
RATED = [
    ("0", "A dog runs on grass.", (4, 4, 4)), ("0", "A dog runs.", (4, 3, 4)), ("0", "Two men.", (1, 1, 2)),
    ("1", "Two men play a red guitar.", (3, 3, 4)), ("1", "A dog", (1, 1, 1)), ("2", "A bus in a street.", (3, 2, 2)),
    ("2", "a zebra", (1, 2, 1)), ("3", "A child eats a big cake.", (4, 4, 3)),
]  # fmt: skip

PLACES = [("dog", "park"), ("cat", "house"), ("bird", "sky"), ("fish", "sea")]
VERBS = ("runs", "sits", "waits", "is seen", "lies", "looks up", "rests", "moves", "turns", "plays")
SIZES = ("a", "the", "one big", "a small", "a red", "some")


def rated(store: Store, folder: Path, ratings: str, references: str) -> None:
    """Ingest the ratings and their references under the names of a paper's."""
    rows = [(str(image), slot, (text, text[2:])[slot]) for image, text in enumerate(CAPTIONS) for slot in range(2)]
    ingest_rows(store, rows, references)
    path = folder / "ratings.csv"
    lines = [f"{image},{text},{a},{b},{c}" for image, text, (a, b, c) in RATED]
    path.write_text("image,caption,s1,s2,s3\n" + "\n".join(lines) + "\n")
    options = {"image_col": "image", "caption_col": "caption", "score_col": "s1,s2,s3"}
    part = Part((path,), options=options)
    ingest_sources(store, [Source(ratings, "judgements", "judgements", (part,), related=(references,))])


def compared(store: Store) -> None:
    """Ingest triplets, pairs of the same captions with other votes, and 52 references of each image."""
    rows = [
        (f"i{image}", slot, f"{SIZES[slot % 6]} {animal} {VERBS[slot % 10]} {'in' if slot % 3 else 'near'} the {place}")
        for image, (animal, place) in enumerate(PLACES)
        for slot in range(52)
    ]
    ingest_rows(store, rows, "pascal50s")
    texts = [(f"a small {animal} runs in the {place}", f"the {place} with a {animal}") for animal, place in PLACES]
    triplets: list[dict[str, object]] = []
    pairs: list[dict[str, object]] = []
    for image, both in enumerate(texts):
        for number, (b, c) in enumerate((both, (both[0], "something else is here"), ("a dog", both[1]))):
            votes = (7 - image, 3 + image + number)
            for side, text, given in zip("ABC", (rows[52 * image][2], b, c), (None, *votes), strict=True):
                triplet = {"triplet": 3 * image + number + 1, "side": side, "category": None, "votes": given}
                triplets.append({"image": f"i{image}", "text": text, "triplet": triplet})
            kind = ("HC", "HM", "MM")[number]
            authors = {"HC": ("human", "human"), "HM": ("human", "zoe"), "MM": ("zoe", "ann")}[kind]
            for side, text, given, author in zip("BC", (b, c), votes[:: 1 if image % 2 else -1], authors, strict=True):
                pair = {"pair": 3 * image + number + 1, "side": side, "category": kind, "origin": author}
                pairs.append({"image": f"i{image}", "text": text, "pair": pair | {"votes": given}})
    _annotated(store, "pascal50s-triplets", "triplets", triplets)
    _annotated(store, "pascal50s-pairs", "pairs", pairs)


def _annotated(store: Store, name: str, kind: str, rows: list[dict[str, object]]) -> None:
    frame = pl.DataFrame(
        [{"source": "literal", "unit": "line", "line": line, **row} for line, row in enumerate(rows, 1)],
        schema_overrides=dict(CAPTION_SCHEMA),
        infer_schema_length=None,
    )
    source = Source(name, kind, "literal", (), related=("pascal50s",))  # type: ignore[arg-type]
    ingestion.write(store, source, iter([complete(frame)]), {}, AT_INGEST, "0" * 64, None)


def described(store: Store) -> None:
    """Ingest three systems of van Miltenburg et al. 2018, people's captions and words of training data."""
    said = [
        "an elderly man walks a dog",
        "a man walks a dog in the snow",
        "old man with a dog",
        "man, dog, café",
        "dogs",
    ]
    ingest_rows(store, [(f"i{image}", slot, text) for image in range(6) for slot, text in enumerate(said)], "coco-val")
    ingest_rows(store, [(word, 0, word) for word in ("elderly", "man", "snow")], "coco-train-words", "wordlist")
    for place, name in enumerate(("liu2017", "mun2017", "shetty2016")):
        texts = [f"a {word} man is walking" for word in ("tall", "dog", "young", "red", "old", "")]
        rows = [(f"i{image}", 0, f"{text} outside" if place > image else text) for image, text in enumerate(texts)]
        ingest_rows(store, rows, name, kind="candidates")
