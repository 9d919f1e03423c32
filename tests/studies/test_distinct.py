"""Each text once per image: what `--distinct` leaves out, what it says of it, and that raw numbers stay."""

from __future__ import annotations

import gzip
from pathlib import Path

import plain
import polars as pl
import pytest
from compared import parted
from conftest import ingest_rows

from auditor.scoring.registry import References
from auditor.store.captions import Captions
from auditor.store.connection import MEMORY, Store
from auditor.store.versions import images, resolve
from auditor.studies.bounds.study import bounds
from auditor.studies.compare.study import compare
from auditor.studies.score.study import score

METRICS = ["bleu-1", "bleu-4", "rouge-l", "cider", "cider-d", "ter"]

#: Copies in other case and punctuation, an image of one text alone, one without words, one without copies.
ROWS = [
    ("a", 0, "A brown dog runs over the wet grass."),
    ("a", 1, "a brown dog runs over the wet grass"),
    ("a", 2, "The dog is running on some grass"),
    ("a", 3, "A dog that runs; it is brown"),
    ("a", 4, "The dog is running, on some grass!"),
    ("b", 0, "A man waves."),
    ("b", 1, "A man in a red shirt waves at a bus"),
    ("c", 0, "the same words"),
    ("c", 1, "The same words"),
    ("d", 0, "..."),
    ("d", 1, "!"),
    ("d", 2, "日本 dog"),
]

#: What is left of them: counted by hand, and again by `kept`.
LEFT = [("a", 0), ("a", 2), ("a", 3), ("b", 0), ("b", 1), ("c", 0), ("d", 0), ("d", 2)]


def kept(rows: list[tuple[str, int, str]]) -> list[tuple[str, int, str]]:
    seen, left = set(), []
    for image, slot, text in rows:
        if (key := (image, tuple(plain.tokenize(text)))) not in seen:
            seen.add(key)
            left.append((image, slot, text))
    return left


def by_hand(rows: list[tuple[str, int, str]], metric: str) -> dict[tuple[str, int], float]:
    """Score each caption against the others of its image, by the formulas of `plain`."""
    said: dict[str, dict[int, list[str]]] = {}
    for image, slot, text in rows:
        said.setdefault(image, {})[slot] = plain.tokenize(text)
    df = plain.DocumentFrequency([list(texts.values()) for texts in said.values()])
    return {
        (image, slot): plain.score(metric, own, [other for place, other in texts.items() if place != slot], df)
        for image, texts in said.items()
        for slot, own in texts.items()
        if len(texts) > 1
    }


@pytest.fixture
def filled(store: Store) -> Store:
    ingest_rows(store, ROWS)
    return store


def test_hand_count_is_the_count() -> None:
    assert [(image, slot) for image, slot, _ in kept(ROWS)] == LEFT


@pytest.mark.parametrize("metric", METRICS)
def test_scores_are_those_of_a_plain_count_with_and_without_copies(filled: Store, metric: str) -> None:
    frame = score(filled, "set", metrics=[metric], distinct=True).frame
    for variant, rows in (("raw", ROWS), ("distinct", kept(ROWS))):
        found = {
            (image, slot): value
            for image, slot, value in frame.filter(variant=variant)["image", "slot", "value"].rows()
        }
        assert found == pytest.approx(by_hand(rows, metric), abs=1e-9), variant


def test_raw_rows_beside_distinct_ones_are_those_of_the_raw_question_alone(filled: Store) -> None:
    for study in (bounds, score):
        alone = study(filled, "set", metrics=["bleu-2", "cider"])
        beside = study(filled, "set", metrics=["bleu-2", "cider"], distinct=True)
        assert "variant" not in alone.frame.columns
        assert beside.frame.filter(variant="raw").drop("variant").equals(alone.frame)
        assert {label: beside.signatures[label] for label in alone.signatures} == dict(alone.signatures)


def test_distinct_scores_are_those_of_a_dataset_without_copies(filled: Store) -> None:
    ingest_rows(filled, kept(ROWS), dataset="left")
    beside = bounds(filled, "set", metrics=METRICS, candidates=["human"], distinct=True).frame.filter(
        variant="distinct"
    )
    alone = bounds(filled, "left", metrics=METRICS, candidates=["human"]).frame
    columns = ["metric", "candidate", "level", "n", "mean", "sd", "median", "min", "max"]
    assert beside.select(columns).equals(alone.select(columns))


def test_signature_says_distinct_and_only_then(filled: Store) -> None:
    result = bounds(filled, "set", metrics=["bleu-1"], candidates=["human"], distinct=True)
    assert result.signatures["bleu-1"].startswith("bleu-1|tok:bare|refs:loo|smooth")
    assert result.signatures["bleu-1 distinct"].startswith("bleu-1|tok:bare|refs:loo|distinct:true|smooth")
    assert set(result.frame.filter(variant="distinct")["signature"]) == {result.signatures["bleu-1 distinct"]}


def test_a_kept_count_of_all_captions_is_not_taken_for_one_of_distinct_ones(tmp_path: Path) -> None:
    """And the other way round: whichever is asked for first, the second run finds each its own."""
    for first in (False, True):
        path = tmp_path / f"{first}.duckdb"
        with Store.open(path, write=True) as store:
            ingest_rows(store, ROWS)
        found = []
        for distinct in (first, not first, first, not first):
            with Store.open(path) as store:
                found.append(score(store, "set", metrics=METRICS, distinct=distinct).frame)
        assert found[0].equals(found[2])
        assert found[1].equals(found[3])


def test_a_draw_draws_among_different_texts(filled: Store) -> None:
    for seed in range(8):
        selection = References("loo", 1, seed, distinct="bare").of(resolve(filled, "set"))
        drawn = Captions(filled, selection, "bare").workspace().query("select image, slot from reference")
        assert set(drawn.rows()) <= set(LEFT)
        assert drawn.group_by("image").len().sort("image").rows() == [("a", 2), ("b", 2), ("d", 2)]


def test_images_are_counted_by_their_different_texts(filled: Store) -> None:
    selection = References(distinct="bare").of(resolve(filled, "set"))
    assert images(filled, selection).select("image", "captions").rows() == [("a", 3), ("b", 2), ("c", 1), ("d", 2)]


def test_texts_are_told_apart_by_the_tokenizer_that_is_asked_for(filled: Store) -> None:
    frame = score(filled, "set", metrics=["bleu-1"], tokenizer="whitespace", distinct=True).frame
    assert frame.filter(variant="raw").height == frame.filter(variant="distinct").height == len(ROWS)


@pytest.mark.parametrize("study", [bounds, score])
def test_copies_are_said_where_more_than_one_in_a_hundred_is_one(filled: Store, study: object) -> None:
    (found,) = study(filled, "set", metrics=["bleu-1"]).found("repeated-captions")  # type: ignore[operator]
    assert found.sentence == (
        "set: 3 of 12 captions repeat another of their image, so the human bound is inflated. Use --distinct to count "
        "each text once"
    )
    assert (found.severity, found.values, found.n) == ("warning", {"captions": 3, "images": 2}, 12)


def test_repeats_are_told_from_what_the_tokenizer_of_the_scores_leaves_out(filled: Store) -> None:
    (found,) = bounds(filled, "set", metrics=["bleu-1"], tokenizer="whitespace", distinct=True).found(
        "repeated-captions"
    )
    assert found.values == {"captions": 3, "images": 2, "equal_under_tokenizer": 0}
    assert "Distinct rows leave out the 0 that are equal under tokenizer whitespace, raw rows" in found.sentence


def test_a_few_copies_among_many_are_no_finding_unless_they_are_left_out(store: Store) -> None:
    rows = [(f"i{number:03}", slot, f"caption {number} by {slot}") for number in range(50) for slot in range(2)]
    ingest_rows(store, [*rows, ("i000", 2, "Caption 0 by 0")])
    assert not bounds(store, "set", metrics=["bleu-1"], candidates=["human"]).found("repeated-captions")
    (found,) = bounds(store, "set", metrics=["bleu-1"], candidates=["human"], distinct=True).found("repeated-captions")
    assert found.severity == "notice"
    assert found.sentence.endswith(
        "1 of 101 captions repeats another of their image. Distinct rows leave them out, raw rows include them"
    )


def test_a_system_meets_each_reference_once(filled: Store) -> None:
    ingest_rows(
        filled, [("a", 0, "the dog runs on grass"), ("b", 0, "a man waves")], dataset="robot", kind="candidates"
    )
    frame = score(filled, "set", candidates="robot", metrics=["cider-d"], distinct=True).frame.filter(metric="cider-d")
    for variant, rows in (("raw", ROWS), ("distinct", kept(ROWS))):
        said = {image: [plain.tokenize(text) for name, _, text in rows if name == image] for image in "abcd"}
        df = plain.DocumentFrequency(list(said.values()))
        expected = [
            plain.cider_d(plain.tokenize(text), said[image], df)
            for image, text in (("a", "the dog runs on grass"), ("b", "a man waves"))
        ]
        assert frame.filter(variant=variant).sort("image")["value"].to_list() == pytest.approx(expected, abs=1e-9)


def test_an_image_of_one_text_has_no_reference_and_that_is_said_of_the_distinct_rows(filled: Store) -> None:
    said = bounds(filled, "set", metrics=["bleu-1"], candidates=["human"], distinct=True).sentences
    assert "distinct: set: 1 image has a single caption, which has no reference and gets no score" in said


def test_comparison_puts_distinct_beside_raw_and_says_whether_the_order_changes(store: Store) -> None:
    def rows(prefix: str, copies: int) -> list[tuple[str, int, str]]:
        texts = ["red green blue dog", "green cat tree house", "car dog house tree", "blue red car cat"]
        made = [(f"{prefix}{n}", k, f"{texts[(n + k) % 4]} {prefix}{n} {k}") for n in range(6) for k in range(3)]
        return made + [(f"{prefix}{n}", 3 + k, made[n * 3][2].upper()) for n in range(6) for k in range(copies)]

    ingest_rows(store, rows("a", 2), dataset="padded")
    ingest_rows(store, rows("b", 0), dataset="plain")
    asked = {"metrics": ["bleu-1"], "resamples": 100}
    alone, beside = (compare(store, "padded", "plain", **asked, distinct=flag) for flag in (False, True))  # type: ignore[arg-type]
    usual = parted(alone)[0].frame.filter(variant="raw").drop("variant")
    assert beside.frame.filter(pl.col("against").is_null(), variant="raw").select(usual.columns).equals(usual)
    upper = {(f, d): v for f, d, v in beside.frame.filter(statistic="upper")["variant", "dataset", "value"].rows()}
    assert upper["raw", "padded"] > upper["distinct", "padded"]
    assert upper["raw", "plain"] == upper["distinct", "plain"]
    assert [one.n for one in beside.found("repeated-captions")] == [30]
    assert beside.found("order-changed-by-repeats")
    both = compare(store, "padded", "plain", **asked, equalize=True, distinct=True)  # type: ignore[arg-type]
    of_datasets = both.frame.filter(pl.col("against").is_null(), variant="equalized-distinct")
    of_both = of_datasets.select("images", "captions_per_image").unique()
    assert of_both.rows() == [(6, 3.0)]


@pytest.mark.full
def test_flickr8k_repeats_nineteen_captions_and_its_bound_falls_a_little(data: Path) -> None:
    with (data / "flickr8k" / "Flickr8k.token.txt.gz").open("rb") as file:
        lines = gzip.decompress(file.read()).decode().splitlines()
    rows = [
        (image, int(slot), text)
        for key, text in (line.split("\t") for line in lines)
        for image, slot in [key.rsplit("#", 1)]
    ]
    assert len(rows) - len(kept(rows)) == 19
    with Store.open(MEMORY) as store:
        ingest_rows(store, rows)
        result = bounds(store, "set", metrics=["bleu-1"], candidates=["human"], distinct=True)
    (found,) = result.found("repeated-captions")
    assert found.values["captions"] == 19
    raw, distinct = (
        result.frame.filter(variant=name, level="caption").row(0, named=True) for name in ("raw", "distinct")
    )
    assert raw["n"] - distinct["n"] == 19
    assert 0 < raw["mean"] - distinct["mean"] < 0.001
