"""Every count of a profile says of what, and is what a plain count of the captions gives."""

from __future__ import annotations

import math
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Hashable, Sequence
from pathlib import Path

import plain as formulas
import polars as pl
import pytest
from conftest import ingest_rows

import auditor
from auditor import config
from auditor.store.connection import MEMORY, Store
from auditor.store.versions import content, resolve
from auditor.studies.ingest.sources import ingest_sources
from auditor.studies.profile import profile

SAMPLE = Path(auditor.__file__).parent / "sample" / "datasets.toml"

UNITS = ("images", "distinct-captions", "captions", "texts", "tokens", "types")


def repeats(said: Sequence[Hashable]) -> int:
    return len(said) - len(set(said))


def plain_counts(rows: pl.DataFrame) -> dict[str, int]:
    """Count what can be counted of (image, slot, split, text) without an engine."""
    by_image, images_of, images_folded = defaultdict(list), defaultdict(set), defaultdict(set)
    splits_of, splits_of_image, copies, folded_copies = defaultdict(set), defaultdict(set), Counter(), Counter()
    for image, split, text in rows.sort("image", "slot").select("image", "split", "text").iter_rows():
        folded = text.strip(" \t\r\n").lower()
        by_image[image].append(text)
        images_of[text].add(image)
        copies[text] += 1
        if folded:
            images_folded[folded].add(image)
            folded_copies[folded] += 1
        splits_of[text] |= {split} - {None}
        splits_of_image[image] |= {split} - {None}
    worded = {
        image: [(tuple(tokens), text) for text in said if (tokens := formulas.tokenize(text))]
        for image, said in by_image.items()
    }
    words = {image: [tokens for tokens, _ in said] for image, said in worded.items()}
    letters = {
        image: [unicodedata.normalize("NFC", text.strip(" \t\r\n")) for _, text in said]
        for image, said in worded.items()
    }
    split_of = {image: min(splits_of_image[image], default="") for image in by_image}
    usual = {
        split: Counter(len(said) for image, said in by_image.items() if split_of[image] == split).most_common(1)[0][0]
        for split in split_of.values()
    }
    return {
        "images": len(by_image),
        "captions": rows.height,
        "distinct-captions": len(images_of),
        "images-with-one-caption": sum(len(said) == 1 for said in by_image.values()),
        "images-repeating-a-caption": sum(again > 0 for again in map(repeats, words.values())),
        "captions-repeated-within-image": sum(map(repeats, words.values())),
        "images-repeating-a-caption-as-letters": sum(again > 0 for again in map(repeats, letters.values())),
        "captions-repeated-within-image-as-letters": sum(map(repeats, letters.values())),
        "captions-on-several-images": sum(copies[text] for text, images in images_of.items() if len(images) > 1),
        "texts-on-several-images": sum(len(images) > 1 for images in images_of.values()),
        "captions-in-no-split": rows["split"].null_count(),
        "captions-in-several-splits": sum(copies[text] for text, some in splits_of.items() if len(some) > 1),
        "images-in-several-splits": sum(len(some) > 1 for some in splits_of_image.values()),
        "texts-on-several-images-but-for-case": sum(len(images) > 1 for images in images_folded.values()),
        "captions-with-such-texts": sum(
            folded_copies[text] for text, images in images_folded.items() if len(images) > 1
        ),
        "images-with-another-number-of-captions": sum(
            len(said) != usual[split_of[image]] for image, said in by_image.items()
        ),
        "captions-with-outer-blanks": sum(t != t.strip(" \t\r\n") for t in rows["text"]),
        "captions-with-double-blanks": sum("  " in t for t in rows["text"]),
        "captions-ending-in-a-full-stop": sum(t.strip(" \t\r\n").endswith(".") for t in rows["text"]),
        "captions-beyond-ascii": sum(not t.isascii() for t in rows["text"]),
        "captions-with-replacement-characters": sum("\ufffd" in t for t in rows["text"]),
    }


def counted(store: Store, dataset: str) -> tuple[dict[str, float], dict[str, int]]:
    """Give a profile's statistics, and the plain counts of the same captions."""
    rows = content(store, resolve(store, dataset))
    found = dict(profile(store, dataset).frame.select("statistic", "value").iter_rows())
    return found, plain_counts(rows)


def test_captions_on_several_images_are_captions_and_their_texts_are_texts(store: Store) -> None:
    ingest_rows(store, [(image, slot, text) for image in "abc" for slot, text in enumerate(["a dog", f"{image} cat"])])
    found, plain = counted(store, "set")
    assert (found["captions-on-several-images"], found["texts-on-several-images"], found["distinct-captions"]) == (
        3,
        1,
        4,
    )
    assert {name: found[name] for name in plain} == plain


@pytest.mark.parametrize("dataset", [*config.sources(SAMPLE)])
def test_counts_of_the_sample_are_plain_counts(store: Store, dataset: str) -> None:
    ingest_sources(store, [config.sources(SAMPLE)[dataset]], max_rejected=1)
    found, plain = counted(store, dataset)
    assert {name: found[name] for name in plain} == plain


@pytest.mark.parametrize("dataset", ["flickr8k"])
def test_counts_of_real_captions_are_plain_counts(data: Path, dataset: str) -> None:
    with Store.open(MEMORY) as store:
        ingest_sources(store, [config.sources(None)[dataset]])
        found, plain = counted(store, dataset)
    assert {name: found[name] for name in plain} == plain


def test_every_count_says_of_what(store: Store) -> None:
    ingest_rows(store, [("a", 0, "a dog"), ("a", 1, "a cat")])
    names = profile(store, "set").frame["statistic"]
    others = {"asl", "sdsl", "length-min", "length-max", "rejected"}
    assert [name for name in names if not name.startswith(UNITS) and name not in others] == []


def test_deviation_of_lengths_is_the_root_of_an_exact_variance(store: Store) -> None:
    lengths = [1 + place * place % 37 for place in range(3_000)]
    ingest_rows(store, [(f"{place // 5}", place % 5, "a " * length) for place, length in enumerate(lengths)])
    found = dict(profile(store, "set").frame.select("statistic", "value").iter_rows())
    of, total, squares = len(lengths), sum(lengths), sum(length * length for length in lengths)
    assert found["sdsl"] == math.sqrt(of * squares - total * total) / of


@pytest.mark.parametrize("dataset", [*config.sources(SAMPLE)])
def test_every_count_of_hygiene_lists_what_it_counts(store: Store, dataset: str) -> None:
    ingest_sources(store, [config.sources(SAMPLE)[dataset]], max_rejected=1)
    found = profile(store, dataset, examples=2)
    counts = next(table for table in found.tables if table.name == "hygiene").frame
    shown = next(table for table in found.tables if table.name == "examples").frame
    for statistic, count in counts.iter_rows():
        listed = found.frame.filter(pl.col("statistic") == statistic)
        of = statistic.partition("-")[0]
        each = listed["image"] if of == "images" else listed["text"].str.strip_chars().str.to_lowercase()
        assert (listed.height if of == "captions" else each.n_unique()) == count, statistic
        assert shown.filter(pl.col("statistic") == statistic).height == min(2, listed.height)
