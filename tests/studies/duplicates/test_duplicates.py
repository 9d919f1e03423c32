"""Duplicates: the join loses no near pair, every count is that of all pairs compared by hand, order and threads apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from conftest import Rows, ingest_rows
from hypothesis import given
from hypothesis import strategies as st
from sizes import examples

import auditor
from auditor.errors import MetricError, UsageError
from auditor.model import Source, silent
from auditor.store.captions import Captions
from auditor.store.connection import MEMORY, Store
from auditor.store.versions import resolve
from auditor.studies.duplicates import COPIED, LEAK, identical, search, tables
from auditor.studies.duplicates import search as duplicate_search
from auditor.studies.duplicates.study import duplicates
from auditor.studies.ingest.sources import ingest_sources

ROWS: Rows = [
    ("a", 0, "A red kite over the blue water."), ("a", 1, "a red kite over the blue water"), ("a", 2, "one boat"),
    ("b", 0, "a red kite over the green water"), ("b", 1, "ein Café"),
    ("c", 0, "the red kite over a blue water"), ("c", 1, ""),
    ("d", 0, "EIN café!"), ("d", 1, "a red kite"), ("d", 2, "..."),
]  # fmt: skip
SPLITS = {"train": ["a"], "restval": ["b"], "test": ["c", "d"]}
KARPATHY = {"set": Source("set", "captions", "literal", (), split_roles={"restval": "train"})}


@dataclass(frozen=True)
class Caption:
    """One caption as a plain program sees it."""

    image: str
    slot: int
    words: tuple[str, ...]


def plain(rows: Rows) -> list[Caption]:
    return [Caption(image, slot, tuple(text.lower().strip(".!").split())) for image, slot, text in rows]


def jaccard(a: Caption, b: Caption) -> Fraction:
    bag, other = Counter(a.words), Counter(b.words)
    return Fraction((bag & other).total(), (bag | other).total())


def partners(one: Caption, others: Sequence[Caption], near: Fraction) -> tuple[bool, bool]:
    """Return whether a caption has an exact duplicate, and whether only near ones: every other one is looked at.

    Of equal captions of one image, the first repeats none.
    """
    worded = [other for other in others if other.words]
    exact = any(other.words == one.words and (other.image != one.image or other.slot < one.slot) for other in worded)
    unlike = [other for other in worded if other.image != one.image or other.words != one.words]
    return exact, not exact and any(jaccard(one, other) >= near for other in unlike)


def counted(
    side: Sequence[Caption], against: Sequence[Caption], near: Fraction, scope: str
) -> dict[tuple[str, str], int]:
    found: dict[str, list[Caption]] = {"exact": [], "near": [], "any": []}
    for one in side:
        if not one.words:
            continue
        if scope == "within-image":
            others = [other for other in against if other.image == one.image and other.slot != one.slot]
        elif scope == "across-images":
            others = [other for other in against if other.image != one.image]
        else:
            others = list(against)
        exact, nearly = partners(one, others, near)
        found["exact"] += [one] * exact
        found["near"] += [one] * nearly
        found["any"] += [one] * (exact or nearly)
    return {(match, "captions"): len(some) for match, some in found.items()} | {
        (match, "images"): len({one.image for one in some}) for match, some in found.items()
    }


def whole(frame: pl.DataFrame, **where: Any) -> dict[tuple[str, str], int]:
    """Take the counts of one scope from a result's rows, those of slots left out."""
    some = frame.filter(
        pl.col("slot").is_null(),
        pl.col("match").is_not_null(),
        *(pl.col(name) == value for name, value in where.items()),
    )
    return {(match, statistic): found for match, statistic, found in some.select("match", "statistic", "found").rows()}


def test_captions_of_one_scope_are_exact_near_or_neither(store: Store) -> None:
    ingest_rows(store, ROWS, kind="candidates", splits=SPLITS)
    frame = duplicates(store, "set", config=KARPATHY).frame
    assert whole(frame, scope="within-image") == {
        ("exact", "captions"): 1, ("near", "captions"): 0, ("any", "captions"): 1,
        ("exact", "images"): 1, ("near", "images"): 0, ("any", "images"): 1,
    }  # fmt: skip
    assert whole(frame, scope="across-images") == {
        ("exact", "captions"): 2, ("near", "captions"): 4, ("any", "captions"): 6,
        ("exact", "images"): 2, ("near", "images"): 3, ("any", "images"): 4,
    }  # fmt: skip


def test_leak_is_counted_from_the_split_that_is_tested_and_roles_are_those_declared(store: Store) -> None:
    ingest_rows(store, ROWS, kind="candidates", splits=SPLITS)
    result = duplicates(store, "set", config=KARPATHY)
    leak = {"scope": "across-splits", "split": "test", "against_split": "train"}
    assert whole(result.frame, **leak) == {
        ("exact", "captions"): 1, ("near", "captions"): 1, ("any", "captions"): 2,
        ("exact", "images"): 1, ("near", "images"): 1, ("any", "images"): 2,
    }  # fmt: skip
    (found,) = result.found(LEAK)
    assert found.sentence == (
        "set: of 3 test captions, 1 also occur in train (33.3%, expected by chance: 0 or 0.0%), and 1 have a"
        " near-duplicate there (33.3%, expected: 0 or 0.0%). These captions are too few to compare with chance"
    )
    assert found in [sentence.finding for sentence in result.lead]
    undeclared = duplicates(store, "set").frame
    assert set(undeclared.filter(pl.col("scope") == "across-splits")["split"]) == {"train", "restval", "test"}


def test_shared_images_and_repeated_captions_of_two_datasets(store: Store) -> None:
    ingest_rows(store, [("x", 0, "a red kite over water"), ("y", 0, "boats")], "one", splits={"test": ["x"]})
    ingest_rows(store, [("x", 0, "A red kite, over water!"), ("z", 0, "men")], "two", splits={"train": ["x"]})
    rows = duplicates(store, "one", "two").frame.filter(pl.col("scope") == "across-datasets", pl.col("slot").is_null())
    images = rows.filter(pl.col("statistic") == "shared-images")
    assert images.select("dataset", "split", "against", "against_split", "found", "n").rows() == [
        ("one", None, "two", None, 1, 2),
        ("one", "test", "two", "train", 1, 1),
        ("two", None, "one", None, 1, 2),
    ]
    assert whole(rows, dataset="one", split="test")["exact", "captions"] == 1


def test_versions_of_a_dataset_are_put_beside_each_other(store: Store) -> None:
    ingest_rows(store, [("x", 0, "a red kite"), ("y", 0, "boats")])
    ingest_rows(store, [("x", 0, "a red kite"), ("y", 0, "men")])
    rows = duplicates(store, "set@v1", "set@v2").frame.filter(pl.col("scope") == "across-versions")
    assert whole(rows, version=resolve(store, "set@v2").version.version)["exact", "captions"] == 1


def test_within_images_the_exact_ones_are_those_that_identical_lists(store: Store) -> None:
    ingest_rows(store, ROWS, kind="candidates")
    found = whole(duplicates(store, "set").frame, scope="within-image")
    count = identical(store, "set", exact=True, within=True).table("identical-captions").frame.row(0, named=True)
    assert (found["exact", "captions"], found["exact", "images"]) == (count["repeats"], count["images_with_repeats"])


words = st.lists(st.sampled_from("abcdef"), max_size=7).map(" ".join)


@given(
    st.lists(st.tuples(st.sampled_from("xyz"), words), min_size=1, max_size=14),
    st.sampled_from([0.51, 0.6, 0.667, 0.7, 0.75, 0.8, 1.0]),
    st.sampled_from([1, 4, 64]),
)
@examples(6)
def test_every_count_is_that_of_all_pairs_compared(drawn: list[tuple[str, str]], near: float, paired: int) -> None:
    slots: Counter[str] = Counter()
    rows = [(image, (slots.update(image), slots[image] - 1)[1], text) for image, text in drawn]
    captions = plain(rows)
    least = Fraction(round(near * 1000), 1000)
    splits = {"test": ["x"], "train": ["y", "z"]}
    with Store.open(MEMORY) as store:
        ingest_rows(store, rows, kind="candidates", splits=splits)
        search = duplicate_search.Search([Captions(store, resolve(store, "set"), "bare")], [{}], near, 1)
        with pytest.MonkeyPatch.context() as patched:  # the longest texts that are looked for by pairs of words
            patched.setitem(duplicate_search.LIMITS, "most_paired", paired)
            everything = duplicate_search.search_duplicates(search, silent, every_pair=True)
    frame, pairs = tables.rows(everything), tables.pair_rows(everything)
    for scope in ("within-image", "across-images"):
        assert whole(frame, scope=scope) == counted(captions, captions, least, scope)
        assert (
            pairs.filter(pl.col("scope") == scope).height
            == counted(captions, captions, least, scope)["any", "captions"]
        )
    test, train = ([one for one in captions if one.image in splits[name]] for name in ("test", "train"))
    if test and train:
        assert whole(frame, scope="across-splits", split="test") == counted(test, train, least, "across-splits")
        chance = counted(train, train, least, "across-images")
        assert everything.expected[0, "any"][0] == chance["any", "captions"]
    at = {(one.image, one.slot): one for one in captions}
    for image, slot, other, other_slot, similarity, match in pairs.select(
        "image", "slot", "against_image", "against_slot", "similarity", "match"
    ).rows():
        one, best = at[image, slot], at[other, other_slot]
        assert (match == "exact") == (one.words == best.words)
        assert similarity == pytest.approx(float(jaccard(one, best)))


def test_what_a_search_holds_grows_with_the_words_of_a_text_not_with_their_square(store: Store) -> None:
    long = " ".join(f"w{k}" for k in range(5_000))
    ingest_rows(store, [("a", 0, long), ("b", 0, f"{long} more"), ("b", 1, "dog " * 5_000), ("c", 0, "a dog")])
    search = duplicate_search.Search([Captions(store, resolve(store, "set"), "bare")], [{}], 0.7, 1)
    at_work = duplicate_search._bound(search, [])
    assert at_work.rows("prefix_pair").height < 3 * 5_000
    assert at_work.rows("similar_text").height == 2


@given(st.permutations(ROWS))
@examples(2)
def test_order_of_rows_keeps_every_number_and_every_partner(rows: Rows) -> None:
    def searched(captions: Rows) -> list[tuple[Any, ...]]:
        with Store.open(MEMORY) as store:
            ingest_rows(store, [("q", 0, f"other {len(captions[0][2])}")], "earlier")  # which moves all numbers
            ingest_rows(store, captions, kind="candidates", splits=SPLITS)
            result = duplicates(store, "set", pairs=True)
            return [*result.frame.rows(), *(row for table in result.tables for row in table.frame.rows())]

    assert searched(rows) == searched(ROWS)


def test_threads_keep_every_row(store: Store) -> None:
    rows = [(f"i{n}", k, f"a {n % 7} red {k} kite over {n % 5} boats") for n in range(60) for k in range(3)]
    ingest_rows(store, rows)
    found = []
    for threads in (1, 2):
        store.execute(f"set threads = {threads}")
        found.append(duplicates(store, "set", pairs=True).frame.rows())
    assert found[0] == found[1]


def test_counts_from_the_cache_are_those_that_were_counted(tmp_path: Path) -> None:
    file = tmp_path / "store.duckdb"
    with Store.open(file, write=True) as store:
        ingest_rows(store, ROWS, kind="candidates", splits=SPLITS)
    results = []
    for _ in range(2):
        with auditor.open(file) as audit:
            results.append(audit.duplicates("set"))
    assert results[0].to_json() == results[1].to_json()
    assert [one.frame.rows() for one in results[0].tables] == [one.frame.rows() for one in results[1].tables]
    with Store.open(file) as store:
        assert store.query("select count(*) as n from cache.entry where relation = 'duplicate_count'").item() == 1
        stricter = duplicates(store, "set", near=0.9).frame
    assert whole(stricter, scope="across-images")["near", "captions"] == 3


def test_copied_annotator_shows_as_a_pair_of_slots(store: Store) -> None:
    said = [f"the {n}th dog of {n % 9} runs after ball {n % 11} at noon".split() for n in range(40)]
    rows = [(f"i{n}", 0, " ".join(text)) for n, text in enumerate(said)]
    rows += [(f"i{n}", 1, f"nobody number {n}") for n in range(40)]
    rows += [(f"i{n}", 2, " ".join([*text[:4], "new", *text[5:]])) for n, text in enumerate(said)]
    ingest_rows(store, rows)
    result = duplicates(store, "set")
    pair = result.frame.filter(pl.col("against_slot").is_not_null(), pl.col("match") == "any")
    assert pair.select("slot", "against_slot", "value", "n").rows() == [(0, 2, 1.0, 40)]
    (copied,) = result.found(COPIED)
    assert copied.sentence == (
        "set: slots 0 and 2 are identical or nearly identical for 100.0% of images. One may be a copy of the other"
    )
    ingest_rows(store, [*rows, *((f"i{n}", 3, " ".join(text)) for n, text in enumerate(said) if n < 30)])
    (copied,) = duplicates(store, "set").found(COPIED)
    assert copied.sentence == (
        "set: 3 pairs of slots are identical or nearly identical for 10% of images or more, most often slots 0 and 2"
        " (100.0%). One may be a copy of the other"
    )
    assert (copied.values["share"], copied.values["findings"], copied.n) == (1.0, 3, 40)


@pytest.mark.parametrize(
    ("rows", "note"),
    [
        ([("a", 0, "a kite")], "every image has a single caption, so none can repeat within an image"),
        ([("a", 0, "a kite")], "one image, so no caption can occur at another image"),
        (
            [("a", 0, "a kite"), ("b", 0, "men")],
            "fewer than two splits, so a search for train/test leaks is not possible",
        ),
        ([("a", 0, ""), ("a", 1, ""), ("b", 0, "...")], "3 captions without a word, not compared"),
    ],
)
def test_what_cannot_be_searched_is_said(store: Store, rows: Rows, note: str) -> None:
    ingest_rows(store, rows, kind="candidates")
    result = duplicates(store, "set")
    assert f"set: {note}" in result.sentences
    assert not result.frame.filter(pl.col("match").is_not_null())["found"].sum()
    assert duplicates(store, "set", pairs=True).frame.is_empty()


def test_sentences_of_a_corpus_have_no_slots(store: Store) -> None:
    ingest_rows(store, [("a", 0, "a kite"), ("a", 1, "a kite"), ("b", 0, "a kite")], kind="corpus")
    assert duplicates(store, "set").frame["slot"].null_count() == duplicates(store, "set").frame.height


def test_share_of_nothing_is_null(store: Store) -> None:
    ingest_rows(store, [("a", 0, "a kite"), ("b", 0, "men")])
    within = duplicates(store, "set").frame.filter(pl.col("scope") == "within-image")
    assert within.select("value", "found", "n").unique().rows() == [(None, 0, 0)]


@pytest.mark.parametrize("near", [0.5, 0.0, 1.01, float("nan")])
def test_threshold_that_no_pair_of_rare_words_proves_is_refused(store: Store, near: float) -> None:
    ingest_rows(store, ROWS, kind="candidates")
    with pytest.raises(UsageError, match=r"expected (0\.501 to 1|a finite number)"):
        duplicates(store, "set", near=near)


def test_too_many_captions_that_are_alike_are_refused_in_a_line(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    ingest_rows(store, [(str(n), 0, f"a picture of a {n} on a table") for n in range(20)])
    monkeypatch.setitem(search._LIMITED, "similarity_candidate_count", 100)
    with pytest.raises(MetricError, match=r"set: .* --near 0\.7 would compare 190 pairs; increase --near"):
        duplicates(store, "set")


def test_captions_that_look_like_markup_are_shown_as_they_stand(store: Store) -> None:
    text = "[red]<script>alert('x')</script> | $kite$ \\frac"
    ingest_rows(store, [("a", 0, text), ("b", 0, text)])
    result = duplicates(store, "set")
    assert result.tables[-1].frame["text"].to_list() == [text]
    assert result.tables[-1].frame["against_text"].to_list() == [text]


def test_natural_duplicates_of_flickr8k_are_those_of_all_pairs_compared(data: Path, store: Store) -> None:
    """The numbers come from a product of sparse matrices: words of a test caption times those of every training one."""
    from auditor import config

    declared: Mapping[str, Source] = config.sources(data=data)
    ingest_sources(store, [declared["flickr8k"]])
    result = duplicates(store, "flickr8k", config=declared)
    assert whole(result.frame, scope="within-image") == {
        ("exact", "captions"): 19, ("near", "captions"): 1_176, ("any", "captions"): 1_195,
        ("exact", "images"): 19, ("near", "images"): 538, ("any", "images"): 555,
    }  # fmt: skip
    leak = whole(result.frame, scope="across-splits", split="test", against_split="train")
    assert (leak["exact", "captions"], leak["near", "captions"]) == (62, 351)
