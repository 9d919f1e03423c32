"""Images that are made of numbers, and captions of the words that these stand for: what tests of vectors share."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import polars as pl
from conftest import Rows
from numpy.typing import NDArray

from auditor.model import Part, Source
from auditor.sources.vectors.records import block, named
from auditor.store import vectors
from auditor.store.connection import Store

LENGTH = 24

_WORDS = [
    f"{start}{end}"
    for start in ("ba", "de", "fi", "go", "ku", "la", "mo", "ne")
    for end in ("lt", "nd", "rk", "sp", "x")
]


def ingest_vectors(
    store: Store, images: Sequence[str], rows: NDArray[np.floating], name: str = "seen", texts: Sequence[str] = (),
    of_texts: NDArray[np.floating] | None = None,
) -> None:  # fmt: skip
    """Put vectors of images, and of texts, into a store."""

    def frames() -> Iterator[pl.DataFrame]:
        yield from named(iter([block("made", 1, "image", pl.Series(images, dtype=pl.String), rows)]), {})
        if of_texts is not None:
            yield from named(iter([block("made", 1, "text", pl.Series(texts, dtype=pl.String), of_texts)]), {})

    vectors.write(store, Source(name, "vectors", "vectors", (Part(()),)), frames(), "0" * 64)


def scenes(images: int = 150, captions: int = 4, seed: int = 1) -> tuple[Rows, list[str], NDArray[np.float64]]:
    """Make images that hold six things of forty: captions name four of them, vectors are sums of one for each thing."""
    draws = np.random.default_rng(seed)
    things = draws.standard_normal((len(_WORDS), LENGTH))
    rows: list[tuple[str, int, str]] = []
    seen = np.empty((images, LENGTH))
    names = [f"i{number:04}" for number in range(images)]
    for number, name in enumerate(names):
        held = draws.permutation(len(_WORDS))[:6]
        seen[number] = things[held].sum(axis=0) + draws.standard_normal(LENGTH) * 0.3
        for slot in range(captions):
            said = draws.permutation(held)[:4]
            rows.append((name, slot, " ".join(["a", *(_WORDS[word] for word in said)])))
    return rows, names, seen


def exchanged(rows: Rows, a: tuple[str, int], b: tuple[str, int]) -> Rows:
    """Let two captions change places."""
    texts = {(image, slot): text for image, slot, text in rows}
    texts[a], texts[b] = texts[b], texts[a]
    return [(image, slot, text) for (image, slot), text in texts.items()]
