"""Every count of a profile says of what, and is what a plain count of the captions gives."""

from __future__ import annotations

import math
import statistics
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Hashable, Sequence
from itertools import pairwise
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
    by_image, images_of, images_of_letters, splits_of = (defaultdict(list) for _ in range(4))
    splits_of_image = defaultdict(set)
    for image, split, text in rows.sort("image", "slot").select("image", "split", "text").iter_rows():
        words, letters = tuple(formulas.tokenize(text)), unicodedata.normalize("NFC", text.strip(" \t\r\n"))
        by_image[image].append((words, letters, len(text)))
        splits_of_image[image] |= {split} - {None}
        if words:
            images_of[words].append(image)
            images_of_letters[letters].append(image)
            splits_of[words].append(split)
    words, letters = ({image: [one[of] for one in said if one[0]] for image, said in by_image.items()} for of in (0, 1))
    split_of = {image: min(splits_of_image[image], default="") for image in by_image}
    usual = {}
    for split in split_of.values():
        numbers = Counter(len(said) for image, said in by_image.items() if split_of[image] == split)
        usual[split] = min(number for number, images in numbers.items() if images == max(numbers.values()))
    lengths = [len(one) for said in by_image.values() for one, *_ in said]
    lower, _, upper = statistics.quantiles(lengths, n=4, method="inclusive") if len(lengths) > 1 else lengths * 3
    copied = [images for images in images_of.values() if len(set(images)) > 1]
    return {
        "images": len(by_image),
        "captions": rows.height,
        "distinct-captions": len(images_of) + lengths.count(0),
        "captions-without-word": lengths.count(0),
        "captions-of-one-word": lengths.count(1),
        "captions-of-one-or-two-words": lengths.count(1) + lengths.count(2),
        "captions-of-unusual-length": sum(
            not 4 * lower - 3 * upper <= length <= 4 * upper - 3 * lower for length in lengths
        ),
        "images-with-one-caption": sum(len(said) == 1 for said in by_image.values()),
        "images-repeating-a-caption": sum(again > 0 for again in map(repeats, words.values())),
        "captions-repeated-within-image": sum(map(repeats, words.values())),
        "images-repeating-a-caption-as-letters": sum(again > 0 for again in map(repeats, letters.values())),
        "captions-repeated-within-image-as-letters": sum(map(repeats, letters.values())),
        "captions-on-several-images": sum(map(len, copied)),
        "captions-on-several-images-as-letters": sum(
            len(images) for images in images_of_letters.values() if len(set(images)) > 1
        ),
        "texts-on-several-images": len(copied),
        "captions-in-no-split": rows["split"].null_count(),
        "captions-in-several-splits": sum(
            split is not None for splits in splits_of.values() if len({*splits} - {None}) > 1 for split in splits
        ),
        "images-in-several-splits": sum(len(some) > 1 for some in splits_of_image.values()),
        "images-with-another-number-of-captions": sum(
            len(said) != usual[split_of[image]] for image, said in by_image.items()
        ),
        "images-with-captions-sorted-by-length": sum(
            len(sizes) > 1 and all(one > other for one, other in pairwise(sizes))
            for sizes in ([size for *_, size in said] for said in by_image.values())
        ),
        "captions-with-outer-blanks": sum(t != t.strip(" \t\r\n") for t in rows["text"]),
        "captions-with-double-blanks": sum("  " in t for t in rows["text"]),
        "captions-ending-in-a-full-stop": sum(t.strip(" \t\r\n").endswith(".") for t in rows["text"]),
        "captions-beyond-ascii": sum(not t.isascii() for t in rows["text"]),
        "captions-with-replacement-characters": sum("\ufffd" in t for t in rows["text"]),
    }


def counted(store: Store, dataset: str, tokenizer: str = "auto") -> tuple[dict[str, float], dict[str, int]]:
    """Give a profile's statistics, and the plain counts of the same captions."""
    rows = content(store, resolve(store, dataset))
    found = dict(profile(store, dataset, tokenizer=tokenizer).frame.select("statistic", "value").iter_rows())
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


@pytest.mark.parametrize("tokenizer", ["auto", "ptb"])
@pytest.mark.parametrize("dataset", [*config.sources(SAMPLE)])
def test_counts_of_the_sample_are_plain_counts(store: Store, dataset: str, tokenizer: str) -> None:
    ingest_sources(store, [config.sources(SAMPLE)[dataset]], max_rejected=1)
    found, plain = counted(store, dataset, tokenizer)
    assert {name: found[name] for name in plain} == plain


@pytest.mark.full
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
        assert (listed["image"].n_unique() if statistic.startswith("images-") else listed.height) == count, statistic
        assert shown.filter(pl.col("statistic") == statistic).height == min(2, listed.height)


def test_what_a_related_dataset_shares_is_named_by_it() -> None:
    with Store.open(MEMORY) as store:
        ingest_rows(store, [("a", 0, "a dog"), ("b", 0, "a cat")], "other")
        ingest_rows(store, [("a", 0, "a dog"), ("b", 0, "a dog"), ("c", 0, "a bird")], "mine")
        store.execute("update dataset set related = ['other'] where dataset = 'mine'")
        counted = dict(profile(store, "mine").frame.select("statistic", "value").iter_rows())
    shared = {name: value for name, value in counted.items() if name.endswith("-other")}
    assert shared == {
        "images-also-in-other": 2.0, "captions-of-the-same-image-in-other": 1.0, "captions-with-a-text-of-other": 2.0,
    }  # fmt: skip
