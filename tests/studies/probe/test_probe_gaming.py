"""What games a metric: the word said again is the most confident one, and what a score makes of it is told."""

from __future__ import annotations

import math
import random
from collections import Counter
from typing import Any

import plain
import polars as pl
import pytest
from conftest import Bound, Rows, ingest_rows

from auditor.errors import UsageError
from auditor.store.connection import MEMORY, Store
from auditor.studies.probe.study import probe
from auditor.text.stemmers.porter import stem

WORDS = ("a", "the", "on", "red", "café", "日本", "dog", "dogs", "tree", "trees", "runs", "running")
GAMES = ["repeated-word", "padding", "inflection"]


def random_rows(seed: int, images: int = 8) -> list[tuple[str, int, str]]:
    """Write captions that share words within an image, as people do; some have no word at all."""
    chance = random.Random(seed)
    topics = [chance.sample(WORDS, 5) for _ in range(images)]
    return [
        (f"i{image}", slot, " ".join(chance.choice(topic) for _ in range(chance.randint(0, 8))))
        for image, topic in enumerate(topics)
        for slot in range(chance.randint(1, 5))
    ]


def filled(store: Store, rows: Rows) -> Store:
    ingest_rows(store, rows, "set", kind="candidates")  # which lets an empty caption in
    return store


def made(bound: Bound, component: str) -> dict[tuple[str, int], list[str]]:
    rows = bound(f"select image, slot, text from made_text where candidate = '{component}'")
    return {(image, slot): text.split() for image, slot, text in rows.rows()}


def row(frame: pl.DataFrame, metric: str, component: str) -> dict[str, Any]:
    return frame.row(by_predicate=(pl.col("metric") == metric) & (pl.col("component") == component), named=True)


def confident_word(image: str, slot: int, captions: dict[tuple[str, int], list[str]]) -> str | None:
    """Find the word by its definition, slowly."""
    spread = Counter(word for _, word in {(at[0], word) for at, words in captions.items() for word in words})
    images = len({at[0] for at in captions})
    others = [words for at, words in captions.items() if at[0] == image and at[1] != slot]
    weight = {
        word: sum(word in words for words in others) * math.log(images / spread[word]) for word in captions[image, slot]
    }
    best = min(weight, key=lambda word: (-weight[word], word), default=None)
    return best if best is not None and weight[best] > 0 else None


@pytest.mark.parametrize("seed", range(4))
def test_the_most_confident_word_is_said_again(store: Store, seed: int, bound: Bound) -> None:
    rows = random_rows(seed)
    frame = probe(filled(store, rows), "set", metrics=["bleu-1"], components=GAMES[:2]).frame
    captions = {(image, slot): text.split() for image, slot, text in rows}
    repeated, padded = made(bound, "repeated-word"), made(bound, "padding")
    for (image, slot), words in captions.items():
        word = confident_word(image, slot, captions)
        more = [word] if word is not None else []
        others = [len(other) for at, other in captions.items() if at[0] == image and at[1] != slot]
        length = math.floor(sum(others) / len(others) + 0.5) if others else 0
        assert repeated[image, slot] == words + more
        assert padded[image, slot] == words + more * (length - len(words))
    scored = [at for at in captions if sum(other[0] == at[0] for other in captions) > 1]
    changed = sum(repeated[at] != captions[at] for at in scored) / len(scored)
    assert row(frame, "bleu-1", "repeated-word")["changed"] == pytest.approx(changed)
    assert row(frame, "bleu-1", "repeated-word")["seed"] is None


def test_cider_praises_a_repeated_word_and_cider_d_does_not(store: Store) -> None:
    things = ["dog", "cat", "bus", "kite", "boat"]
    rows = [
        (f"i{n}", slot, f"{thing} own{slot}of{n} like{slot}of{n}")
        for n, thing in enumerate(things)
        for slot in range(3)
    ]
    result = probe(filled(store, rows), "set", metrics=["cider:n=1", "cider-d:n=1"], components=["repeated-word"])
    assert row(result.frame, "cider:n=1", "repeated-word")["gained"] == 1
    assert row(result.frame, "cider-d:n=1", "repeated-word")["gained"] == 0
    assert row(result.frame, "cider:n=1", "repeated-word")["change"] > 0
    assert row(result.frame, "cider-d:n=1", "repeated-word")["change"] < 0
    assert "set: repeated-word games cider:n=1 (100% of captions)" in result.sentences
    assert "of the captions of set that score better" in result.table("gained").title


def test_stems_see_no_other_form_of_a_word(store: Store, bound: Bound) -> None:
    rows = [("i0", 0, "a dog runs"), ("i0", 1, "dogs running as one"), ("i0", 2, "the dog runs")]
    rows += [("i1", slot, f"{what} tree") for slot, what in enumerate(("a", "some"))]
    frame = probe(
        filled(store, rows), "set", metrics=["cider", "cider:stem=true", "rouge-1:stem=true"], components=["inflection"]
    ).frame
    texts = made(bound, "inflection")
    assert texts["i0", 0] == ["a", "dogs", "running"]
    assert texts["i0", 1] == ["dog", "runs", "as", "one"]
    assert [stem(word) for word in texts["i0", 0]] == [stem(word) for word in "a dog runs".split()]
    assert row(frame, "cider", "inflection")["change"] != 0
    assert row(frame, "cider:stem=true", "inflection")["change"] == 0
    assert row(frame, "rouge-1:stem=true", "inflection")["gained"] == 0


def test_gained_counts_the_captions_that_score_better(store: Store, bound: Bound) -> None:
    rows = random_rows(7)
    frame = probe(filled(store, rows), "set", metrics=["bleu-1", "ter"], components=["half"]).frame
    captions = {(image, slot): text.split() for image, slot, text in rows}
    halves = made(bound, "half")
    for metric, sign in (("bleu-1", 1), ("ter", -1)):
        changes = []
        for at, words in captions.items():
            others = [other for place, other in captions.items() if place[0] == at[0] and place != at]
            df = plain.DocumentFrequency([others])
            if others:
                before, after = (plain.score(metric, one, others, df) for one in (words, halves[at]))
                changes.append(sign * (after - before))
        assert row(frame, metric, "half")["gained"] == sum(change > 1e-9 for change in changes) / len(changes)


def test_forms_of_words_of_another_language_are_not_known(store: Store) -> None:
    filled(store, random_rows(1))
    store.execute("update dataset set language = 'de'")
    with pytest.raises(UsageError, match="set: no inflection: the language is de"):
        probe(store, "set", metrics=["bleu-1"], components=["inflection"])
    assert set(probe(store, "set", metrics=["bleu-1"], components=["padding"]).frame["component"]) == {"padding"}


def test_numbers_depend_on_the_captions_alone(store: Store) -> None:
    first = probe(filled(store, random_rows(5)), "set", metrics=["cider"], components=GAMES).frame
    with Store.open(MEMORY) as second:
        second.execute("set threads = 1")
        ingest_rows(second, [("z", slot, " ".join(reversed(WORDS))) for slot in range(3)], "unrelated")
        assert probe(filled(second, random_rows(5)[::-1]), "set", metrics=["cider"], components=GAMES).frame.equals(
            first
        )
