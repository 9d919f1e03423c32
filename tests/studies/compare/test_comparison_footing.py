"""Datasets on an equal footing: equally many images and captions, whatever the datasets, seeds and threads are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import polars as pl
import pytest
from compared import parted
from conftest import ingest_rows

from auditor.errors import UsageError
from auditor.result import Result
from auditor.scoring.registry import References
from auditor.store.captions import Captions
from auditor.store.connection import MEMORY, Store
from auditor.store.tokens import tokenize
from auditor.store.versions import resolve
from auditor.studies.compare import equalize
from auditor.studies.compare.study import compare

WORDS = ("red", "green", "blue", "café", "日本", "dog", "cat", "tree", "house", "car")
Rows = list[tuple[str, int, str]]


def captions(images: int, slots: int, prefix: str = "") -> Rows:
    """Write captions of six words, some shared by the captions of an image."""
    return [
        (f"{prefix}i{image:03}", slot, " ".join(WORDS[(image * 7 + k * (1 + slot % 3)) % 10] for k in range(6)))
        for image in range(images)
        for slot in range(slots)
    ]


#: Five captions an image, but one image with a single caption; three; four.
LARGE = [*captions(40, 5), ("stray", 0, "a lonely caption")]
SMALL = captions(12, 3, "s")
WIDE = captions(25, 4, "w")


@pytest.fixture(scope="module")
def filled() -> Iterator[Store]:
    with Store.open(MEMORY) as store:
        for name, rows in {"large": LARGE, "small": SMALL, "wide": WIDE, "again": captions(20, 5, "a")}.items():
            ingest_rows(store, rows, dataset=name)
        yield store


@pytest.fixture(scope="module")
def result(filled: Store) -> Result:
    return equalized(filled, "large", "small", "wide")


def equalized(store: Store, *refs: str, metrics: Sequence[str] = ("bleu-1",), **settings: Any) -> Result:
    return parted(drawn(store, *refs, metrics=metrics, equalize=True, **settings))[0]


def drawn(store: Store, *refs: str, draws: int = 1, **settings: Any) -> Result:
    """Compare on so many samples."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(equalize, "DRAWS", draws)
        return compare(store, *refs, **{"resamples": 100, **settings})


def numbers(frame: pl.DataFrame, variant: str) -> pl.DataFrame:
    return frame.filter(variant=variant).select(
        "dataset", "metric", "statistic", "value", "low", "high", "rank", "rank_low", "rank_high", "se"
    )


def test_every_dataset_is_at_work_with_equally_many_images_and_captions(result: Result) -> None:
    sizes = result.frame.filter(variant="equalized").select("images", "captions_per_image").unique()
    assert sizes.rows() == [(12, 3.0)]
    assert set(result.frame.filter(variant="equalized")["dataset"]) == {"large", "small", "wide"}
    raw = result.frame.filter(variant="raw").select("dataset", "images", "captions_per_image").unique().sort("dataset")
    assert raw.rows() == [("large", 40, 5.0), ("small", 12, 3.0), ("wide", 25, 4.0)]
    assert any(
        note.startswith(
            "equalized: 12 images of each dataset, 3 captions of each image (2 references), sampled by seed 1"
        )
        for note in result.sentences
    )


def test_raw_numbers_are_those_without_equalizing(filled: Store, result: Result) -> None:
    by_itself = parted(drawn(filled, "large", "small", "wide", metrics=["bleu-1"]))[0]
    assert by_itself.frame.equals(result.frame), "captions per image differ, so samples are equalized without asking"
    alone = parted(compare(filled, "large", "again", metrics=["bleu-1"], resamples=100))[0].frame
    beside = parted(compare(filled, "large", "again", metrics=["bleu-1"], resamples=100, equalize=True))[0].frame
    assert beside.filter(variant="raw").select(alone.columns).equals(alone)
    assert beside.columns == [*alone.columns, "images", "captions_per_image", "variant"]


def test_datasets_of_equal_size_are_equalized_already(store: Store) -> None:
    ingest_rows(store, SMALL, dataset="one")
    ingest_rows(store, captions(12, 3, "z"), dataset="two")
    frame = equalized(store, "one", "two", metrics=["bleu-1", "cider"]).frame
    assert numbers(frame, "equalized").equals(numbers(frame, "raw"))


def test_a_dataset_under_another_name_keeps_the_same_images_and_its_rank(store: Store) -> None:
    """Of three captions all are drawn, so that both names have the very same captions at work."""
    wide = captions(30, 3)
    for name, rows in {"one": wide, "again": wide, "few": SMALL}.items():
        ingest_rows(store, rows, dataset=name)
    upper = equalized(store, "one", "again", "few").frame.filter(variant="equalized", statistic="upper")
    one, again = (upper.filter(dataset=name).select("metric", "value", "rank", "se") for name in ("one", "again"))
    assert one.equals(again)
    _, pairs = parted(drawn(store, "one", "again", "few", metrics=["bleu-1"], equalize=True))
    tested = pairs.frame.filter(variant="equalized")
    same = tested.filter(dataset="one", against="again")
    assert set(same["test"]) == {"paired"}
    assert same.filter(statistic="upper")["p"].to_list() == [1.0]
    assert set(tested["images"]) == set(tested["images_against"]) == {12}


def test_another_seed_draws_other_samples_and_leaves_raw_numbers(store: Store) -> None:
    for name, rows in {"large": LARGE, "small": SMALL}.items():
        ingest_rows(store, rows, dataset=name)
    first, other = (
        equalized(store, "large", "small", metrics=["cider"], seed=seed, resamples=40).frame for seed in (1, 2)
    )
    assert not numbers(other, "equalized").equals(numbers(first, "equalized"))
    upper = {"variant": "raw", "statistic": "upper"}
    assert other.filter(**upper)["value"].equals(first.filter(**upper)["value"])


@pytest.mark.parametrize(("k", "images", "seed"), [(1, 1, 1), (3, 17, -5), (4, 39, 2)])
def test_a_smaller_draw_of_images_is_part_of_a_larger_one(filled: Store, k: int, images: int, seed: int) -> None:
    selection = resolve(filled, "large")
    tokenize(filled, [selection], "bare")
    fewer, more = (
        Captions(filled, References("loo", k, seed, number).of(selection), "bare").workspace().rows("drawn_reference")
        for number in (images, images + 1)
    )
    assert fewer["image"].n_unique() == images == fewer["image_no"].max()
    assert more["image"].n_unique() == images + 1
    assert fewer.height == images * (k + 1)
    assert fewer.join(more, on=["image", "slot"], how="anti").is_empty()


def test_signatures_say_what_was_drawn_and_are_alike_for_all_datasets(filled: Store) -> None:
    result = equalized(filled, "large", "small", "wide", images=10, references=1, seed=4, resamples=0)
    assert result.signatures["bleu-1"].startswith("bleu-1|tok:bare|refs:loo|")
    assert "|k:" not in result.signatures["bleu-1"]
    assert "|refs:loo|k:1|images:10|seed:4|" in result.signatures["bleu-1 equalized"]
    by_metric = result.frame.group_by("variant", "metric").agg(pl.col("signature").n_unique())
    assert set(by_metric["signature"]) == {1}
    assert result.frame.filter(variant="equalized").select("images", "captions_per_image").unique().rows() == [(10, 2)]


def test_raw_stands_beside_equalized_with_interval_and_rank(result: Result) -> None:
    assert [table.title.split()[0].rstrip(":,") for table in result.tables] == [
        "homogeneity", "homogeneity", "overlap", "upper", "intra",
    ]  # fmt: skip
    assert result.tables[3].frame.columns == (
        "metric dataset raw_rank raw raw_low raw_high raw_se rank equalized low high se".split()
    )
    assert all(table.frame.height == 3 for table in result.tables)
    assert sum("the ranking by" in note for note in result.sentences) == 1
    assert all(figure.frame.height == 3 for figure in result.figures[:1])


@pytest.mark.parametrize(
    ("chosen", "message"),
    [
        ({"equalize": False, "images": 5}, "--images: only with --equalize"),
        ({"images": 13}, "small has 12 images with 3 captions or more, fewer than --images 13; lower --images to 12"),
        ({"references": 3}, "small has 0 images with 4 captions or more; lower --references"),
    ],
)
def test_what_datasets_do_not_have_is_refused(filled: Store, chosen: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        compare(filled, "large", "small", metrics=["bleu-1"], **{"equalize": True, **chosen})


def test_a_dataset_of_lone_captions_is_named(store: Store) -> None:
    ingest_rows(store, [*captions(9, 1, "l"), *captions(1, 2, "m")], dataset="lonely")
    ingest_rows(store, SMALL, dataset="small")
    with pytest.raises(UsageError, match="--equalize: lonely: more than 10% of the images have a single caption"):
        compare(store, "lonely", "small", metrics=["bleu-1"], equalize=True)


def test_scores_of_several_draws_are_pooled_and_their_signature_has_the_number(filled: Store) -> None:
    """The value of three draws is that of all their captions, between the least and the greatest of each."""
    asked: dict[str, Any] = {"images": 8, "references": 1, "resamples": 100}
    each = [equalized(filled, "large", "small", **asked, seed=seed) for seed in (1, 2, 3)]
    pooled = equalized(filled, "large", "small", **asked, draws=3)
    upper = {"variant": "equalized", "statistic": "upper", "dataset": "large"}
    ones = [one.frame.filter(**upper)["value"].item() for one in each]
    row = pooled.frame.filter(**upper).row(0, named=True)
    assert row["value"] == pytest.approx(sum(ones) / 3)
    assert (row["images"], row["captions_per_image"]) == (8, 2)
    assert "|images:8|seed:1|draws:3|" in row["signature"]
    assert any("numbers are means of 3 draws" in note for note in pooled.notes)
