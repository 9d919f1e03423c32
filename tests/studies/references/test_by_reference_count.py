"""Scores by number of references: one counting gives what counting anew for each number gives, to the last bit."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from conftest import Rows, ingest_rows
from hypothesis import given
from hypothesis import strategies as st
from sizes import examples

from auditor import config
from auditor.metrics.candidates import HUMAN, bind_candidates, output_of
from auditor.scoring.by_reference_count import ReferenceOrder, Rule, each_number, scores_by_references
from auditor.scoring.registry import METRICS, References, requests
from auditor.scoring.scores import score_candidates
from auditor.store.connection import MEMORY, Store
from auditor.store.ngrams import workspace
from auditor.store.versions import resolve
from auditor.studies.ingest.sources import ingest_sources

BY_REFERENCES = [name for name, metric in METRICS.items() if not metric.sees_images]

SETTINGS = (
    *BY_REFERENCES,
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
@examples(2)
@given(images=IMAGES, enough=ENOUGH, seed=st.integers(1, 9), text=TEXTS, k=st.integers(1, 3))
def test_one_counting_gives_what_one_for_each_number_gives(
    rule: Rule, images: list[list[str]], enough: list[list[str]], seed: int, text: str, k: int
) -> None:
    metrics = requests(SETTINGS)
    with Store.open(MEMORY) as store:
        every = [*images, *enough]
        ingest_rows(store, rows_of(every), "set", kind="candidates")
        ingest_rows(store, rows_of([[text, texts[0]] for texts in every[:-1]]), "system", kind="candidates")
        selection, system = resolve(store, "set"), output_of(resolve(store, "system"))
        most = 4 if rule == "all" else 3
        got = scores_by_references(store, selection, "bare", [system], metrics, most, seed, rule=rule)
        order = ReferenceOrder(most, seed, rule)
        meeting = system if rule == "all" else order.candidates(k)
        anew = score_candidates(store, order.first(selection, k), "bare", [meeting], metrics)
        assert got.filter(references=k).drop("references").equals(anew)


def test_rare_settings_are_counted_anew(store: Store) -> None:
    ingest_rows(store, rows_of([["a dog runs", "a dog", "the dog", "dogs run here"], ["a cat", "the cat", "cats sit"]]))
    selection, metrics = resolve(store, "set"), requests(RARE)
    grown = scores_by_references(store, selection, "bare", [], metrics, 2, rule="loo")
    for k in (1, 2):
        order = ReferenceOrder(2, 1, "loo")
        anew = score_candidates(store, order.first(selection, k), "bare", [order.candidates(k)], metrics)
        assert grown.filter(references=k).drop("references").equals(anew)


def test_most_references_are_those_of_a_draw_of_as_many(store: Store) -> None:
    ingest_rows(store, rows_of([["a dog runs", "a dog", "the dog", "dogs run here"], ["a cat", "the cat", "cats sit"]]))
    selection, metrics = resolve(store, "set"), requests(["bleu-4", "cider-d", "ter"])
    for seed in (1, 2):
        grown = scores_by_references(store, selection, "bare", [], metrics, 2, seed, rule="loo", at=[2])
        drawn = score_candidates(store, References("loo", 2, seed).of(selection), "bare", [HUMAN], metrics)
        assert grown.drop("references").equals(drawn)


def test_mirrored_order_meets_other_references(store: Store) -> None:
    """Four captions an image, one held out: one reference from either end of the others."""
    ingest_rows(store, [(image, slot, f"{image} {slot}") for image in "ab" for slot in range(4)])
    found = {}
    for mirrored in (False, True):
        order = ReferenceOrder(3, 1, "loo", mirrored, held_out=2)
        (one,) = each_number(store, resolve(store, "set"), "bare", [], requests(["bleu-1"]), order, at=[1])
        assert one.height == 4
        selection, candidates = order.first(resolve(store, "set"), 1), order.candidates(1)
        places = workspace(store, selection, "bare")
        bind_candidates(store, places, [candidates])
        places.params |= {"first_image": 1, "last_image": 2}
        found[mirrored] = set(
            places.rows("reference_step")
            .join(places.query("select candidate_no, image, slot as own from candidate"), "candidate_no")
            .select("image", "own", "slot")
            .rows()
        )
    assert {row[:2] for row in found[False]} == {row[:2] for row in found[True]}
    assert not found[False] & found[True]


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


def test_real_captions_score_as_by_counting_anew(data: Path, store: Store) -> None:
    """What the published pairs hold of PASCAL-1K: 628 images with three captions."""
    ingest_sources(store, [config.sources(data=data)["pascal1k-part"]])
    selection, metrics = resolve(store, "pascal1k-part"), requests(["bleu-4", "rouge-su4", "cider-d", "ter"])
    order = ReferenceOrder(2, 1, "loo")
    (grown,) = each_number(store, selection, "bare", [], metrics, order, at=[1])
    anew = score_candidates(store, order.first(selection, 1), "bare", [order.candidates(1)], metrics)
    assert grown.height > 1_000
    assert grown.drop("references").equals(anew)


def test_systems_together_score_as_each_alone(store: Store) -> None:
    ingest_rows(store, rows_of([["a dog runs", "a dog", "the dog"], ["a cat", "the cat", "cats sit"]]))
    systems = []
    for name, texts in (("one", [["a dog"], ["a cat", "cats"]]), ("two", [["dogs", "run", "the dog"], ["sit"]])):
        ingest_rows(store, rows_of(texts), name, kind="candidates")
        systems.append(output_of(resolve(store, name)))
    metrics = requests(["bleu-2", "rouge-su4", "rouge-w-1.2", "meteor", "cider-d", "ter", "chrf"])
    selection = resolve(store, "set")
    together = scores_by_references(store, selection, "bare", systems, metrics, 3)
    for system in systems:
        alone = scores_by_references(store, selection, "bare", [system], metrics, 3)
        assert together.filter(candidate=system.name).equals(alone)


def test_no_candidate_has_no_score(store: Store) -> None:
    ingest_rows(store, rows_of([["a dog runs", "a dog"], ["a cat", "the cat"]]))
    ingest_rows(store, [("elsewhere", 0, "a dog")], "system", kind="candidates")
    system = output_of(resolve(store, "system"))
    grown = scores_by_references(store, resolve(store, "set"), "bare", [system], requests(BY_REFERENCES), 2)
    assert grown.is_empty()
    assert pl.UInt32 == grown.schema["references"]
