"""Drift: which words came and went, how lengths moved; counted again here in plain Python."""

from __future__ import annotations

import math
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest
from conftest import ingest_rows
from hypothesis import given
from hypothesis import strategies as st
from running import run_auditor
from sizes import examples

from auditor.errors import UsageError
from auditor.store.connection import MEMORY, Store
from auditor.studies.diff import diff

captions = st.lists(
    st.lists(st.sampled_from(["a", "dog", "café", "日本", "runs"]), max_size=5).map(" ".join), min_size=1, max_size=8
)


def ingest(store: Store, texts: list[str], dataset: str = "set") -> None:
    ingest_rows(store, [("i", slot, text) for slot, text in enumerate(texts)], dataset, kind="candidates")


def keyness(a: int, b: int, tokens_a: int, tokens_b: int) -> float:
    """G2 of a word in two corpora, after Rayson & Garside (2000)."""
    share = (a + b) / (tokens_a + tokens_b)
    sides = ((a, tokens_a * share), (b, tokens_b * share))
    return 2 * sum(observed * math.log(observed / expected) for observed, expected in sides if observed)


def test_interval_of_the_shift_in_length_needs_eight_images_on_both_sides(store: Store) -> None:
    ingest(store, ["a dog", "a dog runs"], "one")
    texts = ("a dog", "a dog runs far", "a dog runs so far")
    ingest_rows(store, [(f"{n}", 0, texts[n % 3]) for n in range(9)], "three")
    columns = ["low", "high"]
    alone = diff(store, "one", "three", depth="drift").frame.filter(statistic="asl")
    assert alone.select(columns).row(0) == (None, None)
    low, high = diff(store, "three", "three", depth="drift").frame.filter(statistic="asl").select(columns).row(0)
    error = math.sqrt(sum(3 * (n - 11 / 3) ** 2 for n in (2, 4, 5)) / 8 / 9)
    assert (low, high) == (
        pytest.approx(-2.306004135 * error * math.sqrt(2)),
        pytest.approx(2.306004135 * error * math.sqrt(2)),
    )


@given(captions, captions)
@examples(5)
def test_words_and_lengths_are_those_of_a_count_by_hand(old: list[str], new: list[str]) -> None:
    with Store.open(MEMORY) as store:
        ingest(store, old, "old")
        ingest(store, new, "new")
        words = diff(store, "old", "new", depth="vocabulary", tokenizer="bare")
        lengths = diff(store, "old", "new", depth="lengths", tokenizer="bare")
    counts = [Counter(word for text in texts for word in text.split()) for texts in (old, new)]
    totals = [sum(count.values()) for count in counts]
    expected = {}
    for word in counts[0] | counts[1]:
        a, b = (count[word] for count in counts)
        moved = a * totals[1] != b * totals[0] and (a != b or keyness(a, b, *totals) > 3.84)
        if not a or not b or moved:
            change = "new" if not a else "gone" if not b else "more" if b * totals[0] > a * totals[1] else "less"
            expected[word] = (change, a, b, pytest.approx(max(0.0, keyness(a, b, *totals)), abs=1e-9))
    told = {row["word"]: row for row in words.frame.to_dicts()}
    assert {
        word: (row["change"], row["occurrences_a"], row["occurrences_b"], row["keyness"]) for word, row in told.items()
    } == expected
    ranked = words.frame["keyness"].to_list()
    assert ranked == sorted(ranked, reverse=True)

    sizes = [[len(text.split()) for text in texts] for texts in (old, new)]
    shares = [{size: count / len(side) for size, count in Counter(side).items()} for side in sizes]
    distance = sum(abs(shares[0].get(size, 0) - shares[1].get(size, 0)) for size in shares[0] | shares[1]) / 2
    rows = {row["statistic"]: row for row in lengths.frame.to_dicts()}
    assert rows["length-distribution-moved"]["difference"] == pytest.approx(distance)
    for side, texts in zip("ab", sizes, strict=True):
        mean = sum(texts) / len(texts)
        assert rows["captions"][side] == len(texts)
        assert rows["asl"][side] == pytest.approx(mean)
        assert rows["sdsl"][side] == pytest.approx(math.sqrt(sum((size - mean) ** 2 for size in texts) / len(texts)))
        assert (rows["length-min"][side], rows["length-max"][side]) == (min(texts), max(texts))
        assert rows["captions-of-one-word"][side] == texts.count(1)


def divergence(a: Counter[str], b: Counter[str]) -> float | None:
    """Jensen and Shannon's, after Lin (1991), base 2."""
    if not a or not b:
        return None
    p, q = ({item: count / side.total() for item, count in side.items()} for side in (a, b))
    middle = {item: (p.get(item, 0) + q.get(item, 0)) / 2 for item in p | q}
    return sum(share * math.log2(share / middle[item]) / 2 for side in (p, q) for item, share in side.items())


@given(captions, captions)
@examples(5)
def test_one_number_a_statistic_is_that_of_a_count_by_hand(old: list[str], new: list[str]) -> None:
    with Store.open(MEMORY) as store:
        ingest(store, old, "old")
        ingest(store, new, "new")
        result = diff(store, "old", "new", depth="drift", tokenizer="bare")
    found = {row["statistic"]: row["value"] for row in result.frame.to_dicts()}
    said = [[text.split() for text in texts] for texts in (old, new)]
    words = [Counter(word for text in side for word in text) for side in said]
    bigrams = [Counter(" ".join(pair) for text in side for pair in pairwise(text)) for side in said]
    openings = [Counter(" ".join(text[:3]) for text in side if len(text) > 2) for side in said]
    for name, counts in (("js", words), ("js-2", bigrams), ("js-opening", openings)):
        expected = divergence(*counts)
        assert found[name] == (None if expected is None else pytest.approx(expected, abs=1e-12))
    if words[0] or words[1]:
        assert (found["new-words"], found["gone-words"]) == (
            len(words[1].keys() - words[0]),
            len(words[0].keys() - words[1]),
        )
    a, b = ([len(text) for text in side] for side in said)
    assert found["asl"] == pytest.approx(sum(b) / len(b) - sum(a) / len(a))
    assert found["length-delta"] == pytest.approx(sum((y > x) - (y < x) for x in a for y in b) / len(a) / len(b))
    steps = [sum(x <= n for x in a) / len(a) - sum(y <= n for y in b) / len(b) for n in range(6)]
    assert found["length-ks"] == pytest.approx(max(map(abs, steps)))


def test_one_edited_caption_changes_its_own_words_only(store: Store) -> None:
    texts = [f"a dog runs {number}" for number in range(50)]
    ingest(store, texts)
    ingest(store, [*texts[:-1], "a cat runs and runs"])
    result = diff(store, "set@v1", "set@v2", depth="vocabulary")
    changed = not result.holds
    assert changed
    told = dict(result.frame.select("word", "change").iter_rows())
    assert told == {"49": "gone", "cat": "new", "and": "new", "dog": "less", "runs": "more"}
    assert result.sentences == ("words: 2 new, 1 gone, 1 more, 1 less",)


def test_word_as_frequent_as_before_is_told_where_the_rest_grew_much(store: Store) -> None:
    ingest(store, ["dog " * 40 + "cat " * 40], "small")
    ingest(store, ["dog " * 40 + "cat " * 900], "large")
    result = diff(store, "small", "large", depth="vocabulary")
    assert dict(result.frame.select("word", "change").iter_rows()) == {"dog": "less", "cat": "more"}


def test_splits_of_one_version_can_be_told_apart(store: Store) -> None:
    rows = [("i", 0, "a dog"), ("i", 1, "a dog runs"), ("j", 0, "a cat"), ("j", 1, "cats")]
    ingest_rows(store, rows, splits={"train": ["i"], "test": ["j"]})
    result = diff(store, "set:train", "set:test", depth="vocabulary")
    assert set(result.frame.filter(result.frame["change"] == "new")["word"]) == {"cat", "cats"}
    lengths = diff(store, "set", "set:test", depth="lengths")
    assert lengths.frame.filter(lengths.frame["statistic"] == "captions").row(0) == ("captions", 4.0, 2.0, -2.0)


@pytest.mark.parametrize("depth", ["vocabulary", "lengths", "drift"])
def test_nothing_drifts_between_a_selection_and_itself(store: Store, depth: str) -> None:
    ingest(store, ["a dog", "", "日本"])
    result = diff(store, "set", "set@v1", depth=depth)
    changed = not result.holds
    assert not changed
    assert result.sentences


def test_reordered_captions_change_text_and_no_word(store: Store) -> None:
    ingest(store, ["a dog", "the cat runs"])
    ingest(store, ["the cat runs", "a dog"])
    assert not diff(store, "set@v1", "set@v2", depth="text").holds
    for depth in ("vocabulary", "lengths"):
        assert diff(store, "set@v1", "set@v2", depth=depth).holds


def test_table_shows_the_fifty_most_telling_words_and_data_all(store: Store) -> None:
    ingest(store, ["a dog"])
    ingest(store, [" ".join(f"w{number}" for number in range(70))])
    result = diff(store, "set@v1", "set@v2", depth="vocabulary")
    assert result.frame.height == 72
    assert result.tables[0].frame.height == 50
    assert "22 more words" in str(result.tables[0].caption)


def test_captions_of_two_datasets_are_not_called_edited(store: Store) -> None:
    ingest_rows(store, [("i", 0, "a dog"), ("j", 0, "a cat"), ("k", 0, "a hen")], "one")
    ingest_rows(store, [("i", 0, "a dog"), ("j", 0, "the image shows a cat"), ("l", 0, "a cow")], "two")
    first, then = diff(store, "one", "two", depth="totals").lead
    assert first == (
        "one and two are two datasets with 2 images in common. Of 2 captions of these images in one, 1 are equal in two."
    )
    assert then == "How words, openings and lengths differ: `auditor diff one two --depth drift`."
    said = diff(store, "one", "two", depth="drift").lead
    assert said[0].startswith("one → two: captions are 1.00 words longer on average (2.00 before, 3.00 after")
    assert said[1].startswith("4 words are new, 1 are gone")
    assert diff(store, "one", "one", depth="totals").lead == ()


def test_unknown_depth_or_profile_is_named(store: Store) -> None:
    ingest(store, ["a dog"])
    with pytest.raises(UsageError, match="expected quality, totals, images, text, vocabulary, lengths or drift"):
        diff(store, "set", "set", depth="words")
    with pytest.raises(UsageError, match="no such tokenizer"):
        diff(store, "set", "set", depth="lengths", tokenizer="nope")


@pytest.mark.parametrize("depth", ["vocabulary", "lengths"])
def test_command_exits_1_on_drift_where_it_is_asked_to(tmp_path: Path, depth: str) -> None:
    path = tmp_path / "audit.duckdb"
    with Store.open(path, write=True) as store:
        ingest(store, ["a dog"])
        ingest(store, ["a dog runs"])

    def code(*refs: str) -> int:
        options = ["--depth", depth, "--tokenizer", "bare", "--exit-code", "--store", str(path)]
        return run_auditor("diff", *refs, *options).returncode

    assert code("set@v1", "set@v2") == 1
    assert code("set@v2", "set@v2") == 0
