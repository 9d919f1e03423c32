"""Identical captions: found two by two, counted without pairing them, and what they do to the maxima of metrics."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from pathlib import Path

import polars as pl
import pytest
from conftest import Rows, ingest_rows
from hypothesis import given
from hypothesis import strategies as st
from sizes import examples

from auditor.model import Source
from auditor.scoring.registry import References
from auditor.store.captions import in_tokens_of_facts
from auditor.store.connection import MEMORY, Store
from auditor.store.versions import resolve
from auditor.studies.bounds.study import bounds
from auditor.studies.duplicates import identical
from auditor.studies.duplicates.study import COUNTS
from auditor.studies.ingest.sources import ingest_sources

ROWS: Rows = [
    ("a", 0, "A red kite."), ("a", 1, "a red kite"), ("a", 2, "A red kite."), ("a", 3, "a boat"),
    ("b", 0, "ein Café"), ("b", 1, "ein Café"),
    ("c", 0, "ein Café"),
]  # fmt: skip
EMPTY: Rows = [("d", 0, ""), ("d", 1, "..."), ("e", 0, "a boat"), ("e", 1, "a boat"), ("e", 2, "")]

captions = st.lists(
    st.tuples(st.sampled_from("xyz"), st.sampled_from(["a kite", "A kite.", "kite a", "日本", "", "!"])), min_size=1
)


def test_pairs_have_the_same_tokens_and_know_whether_all_of_the_image_have(store: Store) -> None:
    ingest_rows(store, ROWS)
    result = identical(store, "set", exact=True, within=True)
    assert result.frame.drop("version").rows() == [
        ("set", None, "a", 0, 1, False, "A red kite.", "a red kite"),
        ("set", None, "a", 0, 2, False, "A red kite.", "A red kite."),
        ("set", None, "a", 1, 2, False, "a red kite", "A red kite."),
        ("set", None, "b", 0, 1, True, "ein Café", "ein Café"),
    ]
    assert result.signatures == {"identical": "identical|tok:bare|equal:tokens|v:2"}
    (shown,) = (table.frame for table in result.tables if table.name == "identical-pairs")
    assert shown.rows() == result.frame.drop("dataset", "version", "split").rows()
    assert result.findings[0].sentence == (
        "set: 3 of 7 captions repeat another of their image, at 2 of 3 images. Captions in groups of identical"
        " captions: 5, in pairs: 4. Images whose captions are all identical: 1"
    )


def test_letters_tell_apart_what_tokens_do_not(store: Store) -> None:
    ingest_rows(store, ROWS)
    pairs = identical(store, "set", exact=True, within=True, as_text=True).frame
    assert pairs.select("image", "slot_a", "slot_b").rows() == [("a", 0, 2), ("b", 0, 1)]


@pytest.mark.parametrize("as_text", [False, True])
def test_captions_without_a_word_are_nobodys_twin_and_are_counted(store: Store, as_text: bool) -> None:
    ingest_rows(store, EMPTY, kind="candidates")
    result = identical(store, "set", exact=True, within=True, as_text=as_text)
    assert result.frame.select("image", "slot_a", "slot_b", "all_identical").rows() == [("e", 0, 1, False)]
    assert result.findings[0].sentence.endswith(
        "Images whose captions are all identical: 0. Captions without a word, not compared: 3"
    )


def test_dataset_without_identical_captions_has_counts_and_no_rows(store: Store) -> None:
    ingest_rows(store, [("a", 0, "a kite"), ("b", 0, "a kite")])
    result = identical(store, "set", exact=True, within=True)
    assert result.frame.is_empty()
    assert result.frame.columns == [
        "dataset", "version", "split", "image", "slot_a", "slot_b", "all_identical", "text_a", "text_b"
    ]  # fmt: skip
    assert result.tables[0].frame.rows() == [("set", 2, 2, 0, 0, 0, 0, 0.0, 0, 0, 0)]


@given(captions)
@examples(5)
def test_counts_are_those_of_the_pairs_and_of_a_count_by_hand(drawn: list[tuple[str, str]]) -> None:
    slots: Counter[str] = Counter()
    rows = [(image, (slots.update(image), slots[image] - 1)[1], text) for image, text in drawn]
    texts = {(image, slot): text for image, slot, text in rows}
    words = {(image, slot): text.lower().strip(".!").split() for image, slot, text in rows}
    twins = [
        (image, a, b)
        for image in sorted(slots)
        for a, b in combinations(range(slots[image]), 2)
        if words[image, a] and words[image, a] == words[image, b]
    ]
    of_image = Counter(image for image, _, _ in twins)
    with Store.open(MEMORY) as store:
        ingest_rows(store, rows, kind="candidates")
        result = identical(store, "set", exact=True, within=True)
    pairs, count = result.frame, result.table(COUNTS).frame.drop("dataset").row(0, named=True)
    assert pairs.select("image", "slot_a", "slot_b").rows() == twins
    whole = {image for image, pairs_of in of_image.items() if pairs_of == slots[image] * (slots[image] - 1) // 2}
    assert set(pairs.filter("all_identical")["image"]) == whole
    assert count == {
        "captions": len(rows),
        "images": len(slots),
        "wordless": sum(not said for said in words.values()),
        "repeats": len({(image, b) for image, _, b in twins}),
        "letter_repeats": len({(image, b) for image, a, b in twins if texts[image, a] == texts[image, b]}),
        "images_with_repeats": len(of_image),
        "share_of_images": len(of_image) / len(slots),
        "in_groups": len({(image, slot) for image, a, b in twins for slot in (a, b)}),
        "pairs": len(twins),
        "images_all_equal": len(whole),
    }


def test_split_and_draw_are_obeyed(store: Store) -> None:
    ingest_rows(store, ROWS, splits={"test": ["b"]})
    assert identical(store, "set:test", exact=True, within=True).frame.select("split", "image").rows() == [
        ("test", "b")
    ]
    drawn = References("loo", 1, 1).of(resolve(store, "set"))
    counted = in_tokens_of_facts(store, drawn).facts().rows("repeat_count")
    assert counted.select("captions", "images").row(0) == (4, 2)


def test_a_hundred_equal_captions_are_all_paired(store: Store) -> None:
    ingest_rows(store, [("a", slot, "a kite") for slot in range(120)])
    pairs = identical(store, "set", exact=True, within=True).frame
    assert pairs.height == 7140
    assert pairs["all_identical"].all()


def test_one_identical_pair_settles_the_maximum_of_bleu_and_all_identical_that_of_rouge_and_cider(store: Store) -> None:
    one = "a red kite over water"
    ingest_rows(store, [("a", 0, one), ("a", 1, one), ("a", 2, "some boats"), ("b", 0, "x"), ("b", 1, "y")], "pair")
    ingest_rows(store, [("a", 0, one), ("a", 1, one), ("a", 2, one), ("b", 0, "x"), ("b", 1, "y")], "all")
    rows = bounds(
        store, "pair", "all", metrics=["bleu-4", "ter", "rouge-1", "cider"], candidates=["human"]
    ).frame.filter((pl.col("candidate") == "human") & (pl.col("level") == "caption"))
    best = {
        (row["dataset"], row["metric"]): row["min" if row["metric"] == "ter" else "max"]
        for row in rows.iter_rows(named=True)
    }
    assert best["pair", "bleu-4"] == best["all", "bleu-4"] == best["all", "rouge-1"] == 1
    assert best["pair", "ter"] == best["all", "ter"] == 0
    assert best["all", "cider"] == pytest.approx(1)
    assert max(best["pair", "rouge-1"], best["pair", "cider"]) < 1


def test_identical_captions_of_the_abstract_scenes(data: Path, store: Store) -> None:
    from auditor import config

    declared: dict[str, Source] = dict(config.sources(data=data))
    ingest_sources(store, [declared["abstract50s"]])
    count = identical(store, "abstract50s", exact=True, within=True).table(COUNTS).frame.row(0, named=True)
    assert (count["captions"], count["images"], count["wordless"]) == (24_000, 500, 0)
    assert (count["images_with_repeats"], count["pairs"], count["images_all_equal"]) == (260, 1_106, 0)
