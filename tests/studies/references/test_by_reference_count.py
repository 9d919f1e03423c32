"""Scores by number of references: those of a draw of as many."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from conftest import Rows, ingest_rows

from auditor.scoring.by_reference_count import ReferenceOrder, Rule, each_number, scores_by_references
from auditor.scoring.candidates import HUMAN, bind_candidates, output_of
from auditor.scoring.registry import METRICS, References, requests
from auditor.scoring.scores import score_candidates
from auditor.store.captions import Captions
from auditor.store.connection import MEMORY, Store
from auditor.store.versions import resolve

BY_REFERENCES = [name for name, metric in METRICS.items() if not metric.sees_images]

#: Settings that count or weigh n-grams in another way, or prepare tokens for it.
SETTINGS = (
    *("bleu-4:stem=true", "rouge-2:ascii=false", "rouge-3:ascii=false", "rouge-l:stem=true", "rouge-w-1.2:ascii=false"),
    *(
        "cider-d:stem=true",
        "cider:idf=none",
        "cider:references=max",
        "cider-d:tf=paper",
        "ter:aggregate=mean",
        "ter:case=kept",
    ),
)

#: One of each way to count, and settings whose documents are not the images.
METRICS_OF_ALL_WAYS = ("bleu-4", "rouge-su4", "rouge-l:aggregate=coco", "meteor", "cider-d", "ter", "cider:idf=fold")


def rows_of(images: list[list[str]]) -> Rows:
    return [(f"image {at}", slot, text) for at, texts in enumerate(images) for slot, text in enumerate(texts)]


def test_scores_at_each_number_are_those_of_the_captions_drawn_so_far(store: Store) -> None:
    ingest_rows(store, rows_of([["a dog runs", "a dog", "the dog", "dogs run here"], ["a cat", "the cat", "cats sit"]]))
    captions, metrics = Captions(store, resolve(store, "set"), "bare"), requests(METRICS_OF_ALL_WAYS)
    grown = scores_by_references(captions, [], metrics, 2, rule="loo")
    for k in (1, 2):
        order = ReferenceOrder(2, 1, "loo")
        anew = score_candidates(order.first(captions, k), [order.candidates(k)], metrics)
        assert grown.filter(references=k).drop("references").equals(anew)


@pytest.mark.parametrize("mirrored", [False, True])
@pytest.mark.parametrize("rule", ["all", "loo"])
def test_each_number_of_random_texts_equals_a_score_of_its_own(store: Store, rule: Rule, mirrored: bool) -> None:
    """Words come back within a text, in other texts of the image, and in other images."""
    rng, words = np.random.default_rng(1), ["a", "dog", "runs", "café", "in", "The", "the", "park"]
    texts = [[" ".join(rng.choice(words, rng.integers(0, 9))) for _ in range(7)] for _ in range(5)]
    with Store.open(MEMORY) as other:  # which knows no counts of the first
        for each in (store, other):
            ingest_rows(each, rows_of(texts))
            ingest_rows(each, rows_of([[text[-1]] for text in texts]), "system", kind="candidates")
        captions, others = (Captions(each, resolve(each, "set"), "bare") for each in (store, other))
        system, metrics = [output_of(resolve(store, "system"))], requests([*BY_REFERENCES, *SETTINGS])
        order = ReferenceOrder(5, 3, rule, mirrored, held_out=2)
        for k, grown in enumerate(each_number(captions, system, metrics, order), 1):
            candidates = [order.candidates(k)] if rule == "loo" else system
            anew = score_candidates(order.first(others, k), candidates, metrics)
            assert grown.drop("references").equals(anew)
            assert grown["references"].unique().to_list() == [k]


def test_most_references_are_those_of_a_draw_of_as_many(store: Store) -> None:
    ingest_rows(store, rows_of([["a dog runs", "a dog", "the dog", "dogs run here"], ["a cat", "the cat", "cats sit"]]))
    selection, metrics = resolve(store, "set"), requests(["bleu-4", "cider-d", "ter"])
    for seed in (1, 2):
        grown = scores_by_references(Captions(store, selection, "bare"), [], metrics, 2, seed, rule="loo", at=[2])
        drawn = score_candidates(Captions(store, References("loo", 2, seed).of(selection), "bare"), [HUMAN], metrics)
        assert grown.drop("references").equals(drawn)


def test_mirrored_order_meets_other_references(store: Store) -> None:
    """Four captions an image, one held out: one reference from either end of the others."""
    ingest_rows(store, [(image, slot, f"{image} {slot}") for image in "ab" for slot in range(4)])
    found = {}
    for mirrored in (False, True):
        order = ReferenceOrder(3, 1, "loo", mirrored, held_out=2)
        (one,) = each_number(Captions(store, resolve(store, "set"), "bare"), [], requests(["bleu-1"]), order, at=[1])
        assert one.height == 4
        captions, candidates = order.first(Captions(store, resolve(store, "set"), "bare"), 1), order.candidates(1)
        places = captions.workspace()
        bind_candidates(places, [candidates])
        found[mirrored] = set(
            places.query(
                "select c.image, c.slot as own, r.slot from candidate as c join reference as r"
                " on r.image_no = c.image_no and r.slot <> c.held_out"
            ).rows()
        )
    assert {row[:2] for row in found[False]} == {row[:2] for row in found[True]}
    assert not found[False] & found[True]


def test_images_with_too_few_captions_are_left_out_at_every_number(store: Store) -> None:
    ingest_rows(store, rows_of([["a dog runs", "a dog", "the dog"], ["a cat", "the cat", "cats sit"], ["a dog"]]))
    ingest_rows(store, rows_of([["a dog"], ["a cat"], ["a dog"]]), "system", kind="candidates")
    system = output_of(resolve(store, "system"))
    grown = scores_by_references(
        Captions(store, resolve(store, "set"), "bare"), [system], requests(["cider"]), 3, at=[3, 1]
    )
    assert grown.select("references", "image").rows() == [
        (3, "image 0"), (3, "image 1"), (1, "image 0"), (1, "image 1"),
    ]  # fmt: skip


def test_no_candidate_has_no_score(store: Store) -> None:
    ingest_rows(store, rows_of([["a dog runs", "a dog"], ["a cat", "the cat"]]))
    ingest_rows(store, [("elsewhere", 0, "a dog")], "system", kind="candidates")
    system = output_of(resolve(store, "system"))
    grown = scores_by_references(Captions(store, resolve(store, "set"), "bare"), [system], requests(BY_REFERENCES), 2)
    assert grown.is_empty()
    assert pl.UInt32 == grown.schema["references"]
