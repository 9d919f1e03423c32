"""N-gram frequencies equal a plain count, whatever the number of captions of an image."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pytest
from conftest import ingest_rows

from auditor.errors import SqlError
from auditor.store import ngrams
from auditor.store.captions import Captions
from auditor.store.connection import Store
from auditor.store.readonly_sql import ask
from auditor.store.versions import resolve

WORDS = "a dog the café runs 日本 in on red".split()


@pytest.mark.parametrize(("captions_at_once", "together"), [(1, 1), (1, 2), (100, 2), (40_000, 32)])
def test_frequencies_equal_a_plain_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, captions_at_once: int, together: int
) -> None:
    """Images with 1, 59, 60, 61 and 130 captions: the counting keeps a bit for each of 60."""
    monkeypatch.setattr(ngrams, "_REPEATS_AT_ONCE", (captions_at_once, 500_000))
    monkeypatch.setattr(ngrams, "_RANGES_TOGETHER", together)
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
    expected = sorted(
        (gram, gram.count(" ") + 1, occurrences[gram], captions[gram], len(images[gram])) for gram in occurrences
    )
    path = tmp_path / "audit.duckdb"
    asked = "select gram, n, occurrences, captions, images from ngram_frequency($ref) order by all"
    with Store.open(path, write=True) as store:
        ingest_rows(store, rows)
        ingest_rows(store, rows, dataset="again")
        ingest_rows(store, rows[:1], dataset="small", splits={"test": [rows[0][0]]})
        assert store.query("from cache.ngram_frequency").is_empty()
        assert ask(store, asked, {"ref": "again"}).rows() == expected
        store.on_close.clear()
    with Store.open(path) as store:
        captions = Captions(store, resolve(store, "set"), "bare")
        for _ in range(2):
            ngrams.provide(captions, captions.workspace(), "selection_frequency")
    with Store.open(path) as store:
        assert ngrams.is_kept(Captions(store, resolve(store, "set"), "bare"))
        assert store.query("select count(*) from cache.ngram_frequency").item() == len(expected)
        for ref in ("set", "again"):
            assert ask(store, asked, {"ref": ref}).rows() == expected
        assert ask(store, asked, {"ref": "small:test"}).equals(ask(store, asked, {"ref": "small"}))


@pytest.mark.parametrize("called", ["ngram_frequency('set')", "NGRAM_FREQUENCY($ref, tokenizer := 'bare')"])
def test_frequencies_that_a_statement_asks_for_are_kept_for_the_next(tmp_path: Path, called: str) -> None:
    path = tmp_path / "audit.duckdb"
    with Store.open(path, write=True) as store:
        ingest_rows(store, [("a", 0, "a dog"), ("b", 0, "a cat")])
    told = []
    for count in (0, 5):
        with Store.open(path) as store:
            assert store.query("select count(*) from cache.ngram_frequency").item() == count
            params = {"ref": "set"} if "$ref" in called else {}
            told.append(ask(store, f"select * from {called} order by gram", params))
            assert bool(store.on_close) == (count == 0)
    assert told[0].equals(told[1])
    with Store.open(path) as store:
        assert not store.on_close
        with pytest.raises(SqlError, match="tokens of ptb are missing"):
            ask(store, "from ngram_frequency('set', 'ptb')", {})


#: What people ask of the views, for a caption of so many words: all different, so that each n-gram occurs once.
ASKED = {
    "select count(*) from token": lambda words: words + 2,
    "select count(distinct hash(t)) from token as t": lambda words: words + 2,
    "select count(*) from ngram": lambda words: 4 * words - 6 + 3,
    "select count(distinct hash(g)) from ngram as g": lambda words: 4 * words - 6 + 3,
    "select count(*) from ngram where dataset = 'set'": lambda words: 4 * words - 6 + 3,
    "select count(*) from ngram where image = 'long'": lambda words: 4 * words - 6,
    "select count(*) from ngram where image = 'long' and n = 2": lambda words: words - 1,
    "select count(*) from ngram where n = 4": lambda words: words - 3,
}


@pytest.mark.parametrize("words", [2047, 2048, 2049, 2050, 5000, 100_000])
def test_views_of_words_hold_captions_of_any_length(tmp_path: Path, words: int) -> None:
    """The engine works on 2,048 rows at a time, and failed where a caption had more of them."""
    path = tmp_path / "long.duckdb"
    with Store.open(path, write=True) as store:
        ingest_rows(store, [("long", 0, " ".join(f"w{word}" for word in range(words))), ("short", 0, "w1 w2")])
    for statement, expected in ASKED.items():
        with Store.open(path) as store:
            assert store.query(statement).item() == expected(words), statement
