"""Scores by number of references: one counting gives what counting anew for each number gives, to the last bit."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from conftest import Rows, ingest_rows
from hypothesis import given, settings
from hypothesis import strategies as st

from auditor.metrics.candidates import HUMAN, output_of
from auditor.registry import METRICS, References, requests
from auditor.store.connection import MEMORY, Store
from auditor.store.versions import resolve
from auditor.studies.growing_references import Rule, beyond, first_captions, scores_by_references
from auditor.studies.scores import score_candidates

SETTINGS = (
    *METRICS,
    "bleu-4:smooth=none,bp=shortest",
    "rouge-1:aggregate=mean",
    "rouge-su4:aggregate=best",
    "rouge-w-1.2:aggregate=mean",
    "rouge-l:aggregate=coco,beta=1.2,ascii=false",
    "cider:stem=true",
    "cider-d:tf=paper,n=1",
    "ter:length=best",
    "ter:aggregate=mean",
    "ter:length=truncated,shifts=false",
    "chrf:word_order=2",
)
#: Settings whose counts are made anew for each number.
RARE = ("cider:idf=none", "cider:idf=fold", "cider:references=max")
WORDS = st.sampled_from("a dog dogs Dog cat the runs café 日本 .".split())
TEXTS = st.lists(WORDS, max_size=8).map(" ".join)
#: Images with one caption to five; two of them have enough.
IMAGES = st.lists(st.lists(TEXTS, min_size=1, max_size=5), min_size=0, max_size=2)
ENOUGH = st.lists(st.lists(TEXTS, min_size=4, max_size=6), min_size=2, max_size=3)


def rows_of(images: list[list[str]]) -> Rows:
    return [(f"image {at}", slot, text) for at, texts in enumerate(images) for slot, text in enumerate(texts)]


@pytest.mark.parametrize("rule", ["all", "loo"])
@settings(max_examples=2)
@given(images=IMAGES, enough=ENOUGH, seed=st.integers(1, 9), text=TEXTS)
def test_one_counting_gives_what_one_for_each_number_gives(
    rule: Rule, images: list[list[str]], enough: list[list[str]], seed: int, text: str
) -> None:
    metrics = requests(SETTINGS)
    with Store.open(MEMORY) as store:
        every = [*images, *enough]
        ingest_rows(store, rows_of(every), "set", kind="candidates")
        ingest_rows(store, rows_of([[text, texts[0]] for texts in every]), "system", kind="candidates")
        selection, system = resolve(store, "set"), output_of(resolve(store, "system"))
        most = 4 if rule == "all" else 3
        got = scores_by_references(store, selection, "bare", [system], metrics, most, seed, rule=rule)
        for k in (1, 2, most):
            alone = first_captions(selection, k, most, seed, rule)
            anew = score_candidates(store, alone, "bare", [system if rule == "all" else beyond(k, most)], metrics)
            assert got.filter(references=k).drop("references").equals(anew)


def test_rare_settings_are_counted_anew(store: Store) -> None:
    ingest_rows(store, rows_of([["a dog runs", "a dog", "the dog", "dogs run here"], ["a cat", "the cat", "cats sit"]]))
    selection, metrics = resolve(store, "set"), requests(RARE)
    grown = scores_by_references(store, selection, "bare", [], metrics, 2, rule="loo")
    for k in (1, 2):
        alone = first_captions(selection, k, 2, 1, "loo")
        anew = score_candidates(store, alone, "bare", [beyond(k, 2)], metrics)
        assert grown.filter(references=k).drop("references").equals(anew)


def test_most_references_are_those_of_a_draw_of_as_many(store: Store) -> None:
    ingest_rows(store, rows_of([["a dog runs", "a dog", "the dog", "dogs run here"], ["a cat", "the cat", "cats sit"]]))
    selection, metrics = resolve(store, "set"), requests(["bleu-4", "cider-d", "ter"])
    for seed in (1, 2):
        grown = scores_by_references(store, selection, "bare", [], metrics, 2, seed, rule="loo", at=[2])
        drawn = score_candidates(store, References("loo", 2, seed).of(selection), "bare", [HUMAN], metrics)
        assert grown.drop("references").equals(drawn)


def test_images_with_too_few_captions_are_left_out_at_every_number(store: Store) -> None:
    ingest_rows(store, rows_of([["a dog runs", "a dog", "the dog"], ["a cat", "the cat", "cats sit"], ["a dog"]]))
    ingest_rows(store, rows_of([["a dog"], ["a cat"], ["a dog"]]), "system", kind="candidates")
    system = output_of(resolve(store, "system"))
    grown = scores_by_references(store, resolve(store, "set"), "bare", [system], requests(["cider"]), 3, at=[3, 1])
    assert grown.select("references", "image").rows() == [
        (3, "image 0"), (3, "image 1"), (1, "image 0"), (1, "image 1"),
    ]  # fmt: skip


def test_counts_that_are_kept_change_no_score(tmp_path: Path) -> None:
    images = [["a dog runs", "a dog", "the dog runs"], ["a cat", "the cat", "cats sit"]]
    made = []
    for write in (True, False, False):
        with Store.open(tmp_path / "a.duckdb", write=write) as store:
            if write:
                ingest_rows(store, rows_of(images))
            metrics = requests(["bleu-4", "rouge-l", "cider", "ter"])
            made.append(scores_by_references(store, resolve(store, "set"), "bare", [], metrics, 2, rule="loo"))
    assert made[0].equals(made[1])
    assert made[0].equals(made[2])


def test_no_candidate_has_no_score(store: Store) -> None:
    ingest_rows(store, rows_of([["a dog runs", "a dog"], ["a cat", "the cat"]]))
    ingest_rows(store, [("elsewhere", 0, "a dog")], "system", kind="candidates")
    system = output_of(resolve(store, "system"))
    grown = scores_by_references(store, resolve(store, "set"), "bare", [system], requests(None), 2)
    assert grown.is_empty()
    assert pl.UInt32 == grown.schema["references"]
