"""What holds for every metric that the registry has, whichever captions it is given."""

from __future__ import annotations

import random

import polars as pl
import pytest
from conftest import Rows, ingest_rows
from hypothesis import given, settings
from hypothesis import strategies as st

from auditor.errors import MetricError
from auditor.metrics.counting import CandidateSet
from auditor.registry import METRICS, lacking, requests
from auditor.store.connection import MEMORY, Store
from auditor.store.versions import resolve
from auditor.studies.scores import HUMAN, score_candidates

NAMES = [name for name, metric in METRICS.items() if lacking(metric) is None]
SIMILARITIES = [name for name in NAMES if not METRICS[name].lower_is_better]
#: The official ROUGE-W of a text and itself is below 1: it weighs the reference's length twice.
BELOW_ONE = {"rouge-w-1.2"}
#: They take the best of the references, or clip by the union of them.
NEVER_LOWERED = [name for name in ("bleu-4:bp=none", "meteor", "chrf") if name.partition(":")[0] in NAMES]
SYSTEM = CandidateSet("system", "candidate_system", {"system": "system", "system_seq": 1, "system_split": None})

words = st.sampled_from("a dog the runs café 日本 2 sits".split())
captions = st.lists(words, min_size=1, max_size=8).map(" ".join)
datasets = st.lists(st.lists(captions, min_size=2, max_size=4), min_size=2, max_size=4)


def scored(rows: Rows, metrics: list[str], candidate: str | None = None) -> pl.DataFrame:
    """Score leave-one-out, or `candidate` against all captions of image "a"; one row per candidate and metric."""
    with Store.open(MEMORY) as store:
        ingest_rows(store, rows, kind="candidates")  # which lets an empty caption in
        if candidate is not None:
            ingest_rows(store, [("a", 0, candidate)], "system", "candidates")
        chosen = HUMAN if candidate is None else SYSTEM
        scores = score_candidates(store, resolve(store, "set"), "bare", [chosen], requests(metrics))
    return scores.unpivot(index=["candidate", "image", "slot"], variable_name="metric").sort("metric", "image", "slot")


def values(rows: Rows, metrics: list[str], candidate: str) -> dict[str, float]:
    return dict(scored(rows, metrics, candidate).select("metric", "value").iter_rows())


def as_rows(images: list[list[str]]) -> list[tuple[str, int, str]]:
    return [("abcdef"[image], slot, text) for image, texts in enumerate(images) for slot, text in enumerate(texts)]


@given(st.lists(st.sampled_from("a dog the runs fast 2 sits".split()), min_size=4, max_size=9).map(" ".join))
@settings(max_examples=6)
def test_caption_scores_best_against_itself(text: str) -> None:
    found = values([("a", 0, text), ("b", 0, "entirely other")], NAMES, text)
    best = {name: 1.0 if name in SIMILARITIES else 0.0 for name in NAMES}
    for name in BELOW_ONE & found.keys():
        assert 0.7 < found.pop(name) < best.pop(name)
    assert found == pytest.approx(best, abs=1e-9)


@given(datasets, st.integers(0, 1000))
@settings(max_examples=6)
def test_order_of_references_and_images_changes_nothing(images: list[list[str]], seed: int) -> None:
    rows = as_rows(images)
    shuffled = random.Random(seed).sample(rows, len(rows))
    assert scored(rows, NAMES).equals(scored(shuffled, NAMES))


@given(datasets)
@settings(max_examples=5)
def test_slots_of_the_references_change_nothing(images: list[list[str]]) -> None:
    turned = [texts[1:] + texts[:1] for texts in images]
    before, after = (values(as_rows(some), NAMES, images[0][0] + " runs") for some in (images, turned))
    assert before == after


@given(datasets, captions)
@settings(max_examples=6)
def test_scores_keep_to_their_range(images: list[list[str]], candidate: str) -> None:
    found = values(as_rows(images), NAMES, candidate)
    assert all(found[name] >= 0 for name in NAMES)
    assert all(found[name] <= 1 for name in SIMILARITIES)


@pytest.mark.parametrize("references", [["a dog runs", "two dogs"], ["a dog runs", ""], [""], ["", ""]])
def test_empty_candidate_is_defined(references: list[str]) -> None:
    rows = [*(("a", slot, text) for slot, text in enumerate(references)), ("b", 0, "something else")]
    found = values(rows, NAMES, "")
    assert [found[name] for name in SIMILARITIES] == [0.0] * len(SIMILARITIES)
    if "ter" in found:
        shortest = min(len(text.split()) for text in references)
        length = sum(len(text.split()) for text in references) / len(references)
        assert found["ter"] == pytest.approx(shortest / length if length else 0.0, abs=1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_images_of_one_caption_have_no_score(name: str) -> None:
    with pytest.raises(MetricError, match="no caption has a reference"):
        scored([("a", 0, "a dog runs"), ("b", 0, "a cat sits")], [name])
    assert set(scored([("a", 0, "a dog"), ("b", 0, "a cat"), ("b", 1, "cats")], [name])["image"]) == {"b"}


@pytest.mark.parametrize("candidate", ["a dog runs", "日本", "..."])
def test_references_without_words_are_defined(candidate: str) -> None:
    found = values([("a", 0, ""), ("a", 1, "..."), ("b", 0, "something else")], NAMES, candidate)
    assert all(0 <= value <= 1 for value in found.values())
    if "ter" in found:
        assert found["ter"] == (candidate != "...")


@given(datasets, captions, captions)
@settings(max_examples=6)
def test_one_more_reference_never_lowers_a_best(images: list[list[str]], candidate: str, another: str) -> None:
    rows = as_rows(images)
    before, once, twice = (
        values([*rows, *(("a", 90 + slot, another) for slot in range(count))], NEVER_LOWERED, candidate)
        for count in range(3)
    )
    assert all(once[name] >= before[name] - 1e-12 for name in NEVER_LOWERED)
    assert once == pytest.approx(twice, abs=1e-12)
