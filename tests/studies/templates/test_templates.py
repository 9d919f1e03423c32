"""Templates: openings, slots and templates counted again in plain Python; what is sorted, planted or alike is said."""

from __future__ import annotations

import math
from collections import Counter
from statistics import fmean, stdev

import polars as pl
import pytest
from conftest import Rows, ingest_rows
from hypothesis import given
from hypothesis import strategies as st
from sizes import examples

from auditor.errors import UsageError
from auditor.result import Result
from auditor.store.connection import MEMORY, Store
from auditor.studies.templates.study import SHAPES, templates

words = st.lists(st.sampled_from(["a", "dog", "in", "café"]), max_size=8)
texts = st.lists(words.map(" ".join), min_size=2, max_size=7)


def of(result: Result, statistic: str) -> pl.DataFrame:
    return result.frame.filter(pl.col("statistic") == statistic)


def held(text: str) -> set[str]:
    """Every template of a text, long or short, frequent or not."""
    said = text.split()
    return {
        " ".join("*" if mark == "*" else said[at + place] for place, mark in enumerate(shape))
        for shape in SHAPES
        for at in range(len(said) - len(shape) + 1)
    }


@given(texts)
@examples(5)
def test_openings_and_templates_are_those_of_a_count_by_hand(drawn: list[str]) -> None:
    with Store.open(MEMORY) as store:
        ingest_rows(store, [(f"i{place % 2}", place // 2, text) for place, text in enumerate(drawn)], kind="candidates")
        result = templates(store, "set", least=0.01)
    for n in range(2, 6):
        begun = Counter(" ".join(text.split()[:n]) for text in drawn if len(text.split()) >= n)
        found = of(result, "opening").filter(pl.col("n") == n)
        assert dict(found.select("pattern", "captions").rows()) == begun
        entropy = of(result, "opening-entropy").filter(pl.col("n") == n)["value"].to_list()
        whole = sum(begun.values())
        expected = [sum(count / whole * math.log2(whole / count) for count in begun.values())] if begun else []
        assert entropy == pytest.approx(expected, abs=1e-9)
    frequent = {pattern: n for pattern, n in Counter(p for text in drawn for p in held(text)).items() if n > 1}
    told = dict(of(result, "template").select("pattern", "captions").rows())
    assert {pattern: n for pattern, n in told.items() if n > 1} == frequent
    made = sum(
        any(
            2 * (fixed := len(p.split()) - ("*" in p)) >= len(text.split()) and fixed >= 4 for p in held(text) & {*told}
        )
        for text in drawn
    )
    assert of(result, "templated")["captions"].item() == made


def test_slots_are_compared_with_the_others_of_their_image(store: Store) -> None:
    lengths = {f"{n}": ((1, 3, 5), (2, 2, 5), (2, 4, 8))[n % 3] for n in range(9)}
    rows = [(image, slot, " ".join(["w"] * n)) for image, sizes in lengths.items() for slot, n in enumerate(sizes)]
    ingest_rows(store, rows)
    result = templates(store, "set")
    apart = [sizes[2] - fmean(sizes[:2]) for sizes in lengths.values()]
    sd = stdev(n for sizes in lengths.values() for n in sizes)
    last = of(result, "slot-length").row(2, named=True)
    assert (last["slot"], last["value"], last["difference"]) == (2, 6.0, pytest.approx(fmean(apart)))
    assert last["effect"] == pytest.approx(fmean(apart) / sd)
    assert last["high"] - last["low"] == pytest.approx(2 * 2.306004135204166 * stdev(apart) / 3 / sd)
    (unlike,) = result.found("unlike-slot")
    assert unlike.sentence.startswith("set: slots differ in 4 ways; the largest: slot 2 is longer (effect ")
    assert (unlike.values["findings"], unlike.values["effect"], unlike.about["slot"]) == (4, last["effect"], 2)
    assert dict(of(result, "slot-types").select("slot", "value").rows()) == {0: 1.0, 1: 1.0, 2: 1.0}


def test_captions_are_sorted_where_twenty_images_say_more_than_chance(store: Store) -> None:
    def told(rows: list[tuple[str, int, str]]) -> list[str]:
        ingest_rows(store, rows)
        return [one.sentence for one in templates(store, "set").found("sorted-captions")]

    lengths = [
        (f"i{image}", slot, " ".join(["w"] * (1 + slot + 4 * image))) for image in range(20) for slot in range(3)
    ]
    assert told(lengths) == [
        "set: captions are sorted by length (longest last) in 100% of images (17% expected by chance). Slots do not correspond to annotators",
        "set: captions are sorted alphabetically (a to z) in 100% of images (17% expected by chance). Slots do not correspond to annotators",
    ]
    by_length, by_alphabet = templates(store, "set").found("sorted-captions")
    assert (by_length.headline, by_alphabet.headline) == ("100% of images, by length", "100% of images, alphabetically")
    assert [one["why"] for one in by_length.examples] == ["1 character", "3 characters", "5 characters"]
    assert [(one["image"], one["slot"], one["text"]) for one in by_alphabet.examples] == lengths[:3]
    assert not told(lengths[:57])
    by_chance = [
        (f"i{image}", slot, " ".join(["w"] * (2 + slot * (-1) ** image))) for image in range(40) for slot in (0, 1)
    ]
    assert not told(by_chance)


def test_captions_in_order_of_spelling_are_told(store: Store) -> None:
    ingest_rows(
        store, [(image, slot, f"{word} kite") for image in "ab" for slot, word in enumerate(["a", "red", "the"])]
    )
    found = of(templates(store, "set"), "sorted-by-spelling")
    assert found.select("pattern", "n", "value").rows() == [("a to z", 2, 1.0)]


def test_a_flood_is_a_template_and_its_captions_are_listed(store: Store) -> None:
    things = ["dog", "boat", "chef", "tram", "naïve 日本 kite"]
    flood = [(f"i{n}", 0, f"There is a {thing} in the picture.") for n, thing in enumerate(things)]
    other = [(f"i{n}", 1, f"{word} sits over here") for n, word in enumerate(["one", "two", "he", "she", "it"])]
    ingest_rows(store, flood + other)
    result = templates(store, "set", least=0.3)
    flooded = of(result, "template").filter(pattern="there is a * in the picture").row(0, named=True)
    assert (flooded["n"], flooded["captions"], flooded["fillers"]) == (7, 4, 4)
    listed = templates(store, "set", least=0.3, level="caption").frame
    assert listed.select("image", "slot").rows() == [(f"i{n}", 0) for n in range(4)]


def test_edges_have_numbers_or_one_line_that_says_why_not(store: Store) -> None:
    cases: dict[str, Rows] = {
        "lonely": [("a", 0, "a red kite"), ("b", 0, "a boat")],
        "single": [("a", 0, "a red kite"), ("a", 1, "a boat here")],
        "equal": [(image, slot, "a kite") for image in "ab" for slot in (0, 1)],
        "empty": [(image, slot, "") for image in "ab" for slot in (0, 1)],
    }
    said = {}
    for name, rows in cases.items():
        ingest_rows(store, rows, name, kind="candidates")
        result = templates(store, name)
        assert of(result, "templated")["value"].item() == 0.0
        said[name] = result.sentences
        result.to_json()
    assert said["lonely"][0] == "lonely: every image has a single caption, so slots cannot be compared"
    assert said["single"][0].startswith("skipped slot-score: single: cider not available: ")
    with pytest.raises(UsageError, match="--least 0"):
        templates(store, "equal", least=0)
    with pytest.raises(UsageError, match="--level x"):
        templates(store, "equal", level="x")
