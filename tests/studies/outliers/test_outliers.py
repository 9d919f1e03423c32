"""Outliers: evidence counted again in plain Python, swapped captions found, consensus and difficulty by image."""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path

import polars as pl
import pytest
from conftest import Rows, ingest_rows
from hypothesis import given
from hypothesis import strategies as st
from sizes import examples

from auditor import config
from auditor.errors import MetricError, UsageError
from auditor.store.captions import Captions
from auditor.store.connection import MEMORY, Store
from auditor.store.versions import content, resolve
from auditor.studies.ingest.sources import ingest_sources
from auditor.studies.outliers import likelihood
from auditor.studies.outliers.study import outliers

WORDS = ["cat", "dog", "kite", "café", "日本", "boat", ""]
SCENES = ["red kite sky", "brown dog snow", "old boat lake", "chef kitchen pan", "goal keeper pitch", "tram city rain"]


def scenes(swapped: bool = True) -> Rows:
    """Six images with four captions each, of words of their own; slot 1 of the first two images changes places."""
    extra = ["", "big", "there", "with a"]
    texts = {(f"i{n}", slot): f"a {words} {extra[slot]}" for n, words in enumerate(SCENES) for slot in range(4)}
    if swapped:
        texts["i0", 1], texts["i1", 1] = texts["i1", 1], texts["i0", 1]
    return [(image, slot, text) for (image, slot), text in texts.items()]


def bits(rows: list[tuple[str, int, frozenset[str]]], caption: tuple[str, int], image: str) -> float:
    """The log2 likelihood ratio of a caption's words, image against dataset, word by word of the whole vocabulary.

    Of another image, one of the captions that hold a word of the caption is set aside.
    """
    said = next(words for other, slot, words in rows if (other, slot) == caption)
    beside = [words for other, slot, words in rows if other == image and (other, slot) != caption]
    aside = image != caption[0]
    left = len(beside) - aside
    total = 0.0
    for word in frozenset().union(*(words for _, _, words in rows)):
        share = (sum(word in words for _, _, words in rows) + 0.5) / (len(rows) + 1)
        holding = sum(word in words for words in beside)
        if word in said:
            total += math.log2((max(0, holding - aside) + share) / (left + 1) / share)
        else:
            total += math.log2((1 - (min(holding, left) + share) / (left + 1)) / (1 - share))
    return total


@given(
    st.lists(st.tuples(st.sampled_from("xyz"), st.lists(st.sampled_from(WORDS), max_size=4)), min_size=2, max_size=9)
)
@examples(5)
def test_evidence_is_that_of_a_count_by_hand(drawn: list[tuple[str, list[str]]]) -> None:
    slots: Counter[str] = Counter()
    rows = [(image, (slots.update(image), slots[image] - 1)[1], " ".join(words)) for image, words in drawn]
    plain = [(image, slot, frozenset(text.split())) for image, slot, text in rows]
    with Store.open(MEMORY) as store:
        ingest_rows(store, rows, kind="candidates")
        every = pl.DataFrame(rows, schema=["image", "slot", "text"], orient="row").cast({"slot": pl.UInt32})
        at_work = likelihood.weigh(Captions(store, resolve(store, "set"), "bare"), every, 1000)
        found = at_work.query("from image_log_likelihood").filter(pl.col("place").is_in(["own", "other"]))
    assert set(found.select("image", "slot").rows()) == {(image, slot) for image, slot, _ in plain}
    for image, slot, _, other, _, weighed in found.rows():
        assert weighed == pytest.approx(bits(plain, (image, slot), other), abs=1e-5)


def test_captions_that_changed_places_are_a_pair(store: Store) -> None:
    ingest_rows(store, scenes())
    result = outliers(store, "set", share=0.3)
    ((example,), rows) = result.found("swapped-captions")[0].examples, result.frame
    assert (example["image"], example["other_image"], example["other_slot"]) == ("i0", "i1", 1)
    swapped = rows.filter(finding="swapped").select("image", "slot", "other_image", "other_slot").rows()
    assert sorted(swapped) == [("i0", 1, "i1", 1), ("i1", 1, "i0", 1)]
    assert rows["finding"][:2].to_list() == ["swapped", "swapped"]
    assert rows["pair_evidence"][0] == pytest.approx(rows["evidence"][:2].sum(), abs=1e-5)


def test_nothing_is_swapped_where_nothing_was(store: Store) -> None:
    ingest_rows(store, scenes(swapped=False))
    assert set(outliers(store, "set", share=1.0).frame["finding"]) == {"unlike"}


def test_caption_of_another_image_is_told_without_a_partner(store: Store) -> None:
    shared = [(f"j{n}", slot, f"a w{n} w{n + 1} w{n + 2} {slot}") for n in range(30) for slot in range(4)]
    ingest_rows(store, [*scenes(swapped=False), *shared, ("i3", 4, "the red kite sky there")])
    result = outliers(store, "set", share=0.01)
    assert result.frame.select("image", "slot", "finding", "other_image", "other_slot").row(0) == (
        "i3", 4, "elsewhere", "i0", None
    )  # fmt: skip
    assert "1 caption appears to belong to another image (estimated true ones: 1)" in result.sentences[-1]
    assert result.found("swapped-captions")[0].values["expected_right"] == 1


def test_text_of_several_images_is_not_misplaced(store: Store) -> None:
    shared = [(f"j{n}", slot, f"a w{n} w{n + 1} w{n + 2} {slot}") for n in range(24) for slot in range(4)]
    sidebar = [(image, 4, "the red kite sky there") for image in ("i3", "i4")]
    ingest_rows(store, [*scenes(swapped=False), *shared, *sidebar])
    assert set(outliers(store, "set", share=0.02).frame["finding"]) == {"unlike"}


@pytest.mark.parametrize("same", ["a red kite sky there", "There: a red kite, sky."])
def test_caption_with_the_words_of_another_image_fits_both(store: Store, same: str) -> None:
    """As in sentences on what has changed: each fits its own image and another, and the text alone cannot tell."""
    shared = [(f"j{n}", slot, f"a w{n} w{n + 1} w{n + 2} {slot}") for n in range(30) for slot in range(4)]
    ingest_rows(store, [*scenes(swapped=False), *shared, ("i3", 4, same)])
    assert set(outliers(store, "set", share=0.02).frame["finding"]) == {"unlike"}


def test_others_is_what_the_other_captions_score_among_themselves(store: Store) -> None:
    rows = [("a", 0, "a red kite flies"), ("a", 1, "a red kite"), ("a", 2, "the kite flies"), ("b", 0, "ships")]
    ingest_rows(store, rows)
    frame = outliers(store, "set", share=1.0).frame.sort("slot")
    value, others = frame["value"], frame["others"]
    pair = {frozenset({1, 2}): value[1] + value[2] - value[0], frozenset({0, 2}): value[0] + value[2] - value[1]}
    assert others[0] == pytest.approx(pair[frozenset({1, 2})])
    assert others[1] == pytest.approx(pair[frozenset({0, 2})])


def test_consensus_is_the_likest_caption_ties_are_counted_and_images_go_by_difficulty(store: Store) -> None:
    rows = [
        ("a", 0, "a boat"), ("a", 1, "a red kite"), ("a", 2, "a red kite"),
        ("b", 0, "snow"), ("b", 1, "日本 rain"), ("c", 0, "a tram"),
    ]  # fmt: skip
    ingest_rows(store, rows)
    result = outliers(store, "set", level="image")
    assert result.frame.select("image", "n", "difficulty", "consensus", "ties", "text").rows() == [
        ("b", 2, 1.0, 0, 2, "snow"),
        ("a", 3, pytest.approx(1 - result.frame["mean"][1]), 1, 2, "a red kite"),
    ]
    assert result.sentences == ("set: 1 image has a single caption, which has no reference and gets no score",)


def test_without_scores_there_are_no_outliers_and_one_line_says_why(store: Store) -> None:
    ingest_rows(store, [("a", 0, "x"), ("b", 0, "y")], "lonely")
    ingest_rows(store, [("a", 0, "x"), ("a", 1, "y")], "single")
    with pytest.raises(MetricError, match="needs two captions per image; this dataset has one"):
        outliers(store, "lonely")
    with pytest.raises(MetricError, match="cider not available"):
        outliers(store, "single")
    with pytest.raises(UsageError, match="--metric ter: expected"):
        outliers(store, "single", metric="ter")
    with pytest.raises(UsageError, match="--share 0"):
        outliers(store, "single", share=0)
    with pytest.raises(UsageError, match="--level word"):
        outliers(store, "single", level="word")


def test_equal_and_empty_captions_are_no_outliers(store: Store) -> None:
    texts = {"equal": "a kite", "empty": ""}
    for name, text in texts.items():
        ingest_rows(store, [(image, slot, text) for image in "ab" for slot in (0, 1)], name, kind="candidates")
        result = outliers(store, name)
        assert result.frame.is_empty()
        assert result.sentences == (f"{name}: every caption has the same score, so none is an outlier",)


def test_most_swaps_among_real_captions_are_found_and_few_others(data: Path, store: Store) -> None:
    """One caption in a hundred of Flickr8k's test images changed places: 25 pairs."""
    ingest_sources(store, [config.sources(data=data)["flickr8k"]])
    rows = content(store, resolve(store, "flickr8k:test")).sort("image", "slot").select("image", "slot", "text")
    places = [(20 * n % 1000 * 5 + n % 5, (20 * n + 507) % 1000 * 5 + (n + 2) % 5) for n in range(25)]
    order = list(range(rows.height))
    for a, b in places:
        order[a], order[b] = b, a
    texts = rows["text"].gather(order)
    ingest_rows(store, list(zip(rows["image"], rows["slot"].to_list(), texts, strict=True)), "planted")
    found = outliers(store, "planted").frame.filter(finding="swapped")
    at = {(image, slot): place for place, (image, slot) in enumerate(rows.select("image", "slot").rows())}
    told = {
        frozenset({at[row["image"], row["slot"]], at[row["other_image"], row["other_slot"]]})
        for row in found.to_dicts()
    }
    right = told & {frozenset(pair) for pair in places}
    assert len(right) >= 12
    assert len(told) <= len(right) + 1


def test_what_one_caption_of_another_image_says_is_no_evidence_for_the_image(store: Store) -> None:
    """One hand describes two images in the same words, as it alone does."""
    same = "a zebra zoo stripes fence visitor lawn"
    ingest_rows(store, [*scenes(swapped=False), ("i4", 4, same), ("i5", 4, f"{same} again")])
    assert set(outliers(store, "set", share=1.0).frame["finding"]) == {"unlike"}


def test_where_chance_says_as_much_nothing_is_told(store: Store) -> None:
    """Every caption says words of some other image, so that half of them would seem to be elsewhere."""
    rows = [(f"i{n}", slot, f"a {SCENES[(n * (slot + 1)) % 6]} w{slot}") for n in range(12) for slot in range(5)]
    ingest_rows(store, rows)
    result = outliers(store, "set", share=1.0)
    found = result.found("swapped-captions")[0]
    assert "text alone is not reliable enough on this dataset" in found.sentence
    assert (found.values["swapped_pairs"], found.values["elsewhere"], found.values["expected_right"]) == (0, 0, 0)
    assert found.severity == "info"


@pytest.mark.parametrize(
    "texts",
    [
        ("zebra zoo stripes fence visitor lawn", "zebra zoo stripes fence visitor lawn"),
        ("zebra zoo stripes fence visitor lawn", "Zebra zoo : stripes , fence , visitor , lawn ."),
        ("zebra zoo stripes fence visitor lawn", "lawn visitor fence stripes zoo zebra zebra"),
        ("zebra zoo stripes fence visitor lawn", "zebras zoo stripe fences visitors lawns"),
    ],
)
def test_captions_of_the_same_words_never_changed_places(store: Store, texts: tuple[str, str]) -> None:
    ingest_rows(store, [*scenes(), ("i4", 4, texts[0]), ("i5", 4, texts[1])])
    rows = outliers(store, "set", share=1.0).frame
    assert sorted(rows.filter(finding="swapped")["image"]) == ["i0", "i1"]
    of_twins = rows.filter(slot=4)
    assert of_twins.height == 2
    assert set(of_twins["finding"]) == {"unlike"}


def test_every_caption_of_the_share_is_looked_into(store: Store) -> None:
    """5,001 captions and more, whatever is weighed at once."""
    ingest_rows(store, [(f"i{n}", slot, f"a w{n} {slot} x{n % 7}") for n in range(1_300) for slot in range(4)])
    assert outliers(store, "set", share=1.0).frame.height == 5_200


def test_what_is_weighed_at_once_changes_no_digit(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    ingest_rows(store, scenes())
    at_once = outliers(store, "set", share=1.0).frame
    monkeypatch.setattr(likelihood, "_AT_ONCE", 5)
    assert outliers(store, "set", share=1.0).frame.equals(at_once)


def test_decoy_at_the_threshold_itself_counts_as_found() -> None:
    """Two captions stand out by 9 bits; of eight decoys, each with a lead of 1, one would be found by just 2 bits."""
    decoys = pl.DataFrame({"is_decoy": [True] * 8, "lead": [1.0] * 8, "found_lead": [2.0] + [1.0] * 7})
    suspects = pl.DataFrame({"is_decoy": [False] * 2, "lead": [9.0] * 2})
    leads = pl.concat([decoys, suspects], how="diagonal").with_columns(is_misfit=True, is_sure=True)
    _, level = likelihood.caption_level(leads, least=1)
    assert level is not None
    assert (level.bits, level.found) == (2, 1 / 8)
