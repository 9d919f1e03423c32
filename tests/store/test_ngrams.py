"""N-gram frequencies equal a plain count, whatever the number of captions of an image."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from conftest import ingest_rows

from auditor.store import ngrams
from auditor.store.connection import Store

WORDS = "a dog the café runs 日本 in on red".split()


@pytest.mark.parametrize("captions_at_once", [1, 100, 60_000])
def test_frequencies_equal_a_plain_count(store: Store, monkeypatch: pytest.MonkeyPatch, captions_at_once: int) -> None:
    """Images with 1, 59, 60, 61 and 130 captions: the counting keeps a bit for each of 60."""
    monkeypatch.setattr(ngrams, "_CAPTIONS_AT_ONCE", captions_at_once)
    chance = random.Random(1)
    rows = [
        (f"image {size}", slot * 3, " ".join(chance.choices(WORDS, k=chance.randint(1, 9))))
        for size in (1, 59, 60, 61, 130)
        for slot in range(size)
    ]
    occurrences: Counter[str] = Counter()
    captions: Counter[str] = Counter()
    images: dict[str, set[str]] = {}
    for image, _, text in rows:
        words = text.split()
        grams = [" ".join(words[at : at + n]) for n in range(1, 5) for at in range(len(words) - n + 1)]
        occurrences.update(grams)
        captions.update(set(grams))
        for gram in grams:
            images.setdefault(gram, set()).add(image)
    ingest_rows(store, rows)
    found = store.query("select gram, n, occurrences, captions, images from ngram_frequency").rows()
    assert sorted(found) == sorted(
        (gram, gram.count(" ") + 1, occurrences[gram], captions[gram], len(images[gram])) for gram in occurrences
    )
