"""What holds for every metric that the registry has, whichever captions it is given."""

from __future__ import annotations

import random
from collections.abc import Sequence

import polars as pl
import pytest
from conftest import Rows, ingest_rows
from hypothesis import given
from hypothesis import strategies as st
from sizes import examples

from auditor.errors import MetricError
from auditor.scoring.candidates import HUMAN, CandidateSet
from auditor.scoring.registry import METRICS, lacking, requests
from auditor.scoring.scores import score_candidates
from auditor.store.captions import Captions
from auditor.store.connection import MEMORY, Store
from auditor.store.versions import resolve

pytestmark = pytest.mark.store

NAMES = [name for name, metric in METRICS.items() if lacking(metric) is None and not metric.sees_images]
SIMILARITIES = [name for name in NAMES if not METRICS[name].lower_is_better]
#: The official ROUGE-W of a text and itself is below 1: it weighs the reference's length twice.
BELOW_ONE = {"rouge-w-1.2"}
#: They take the best of the references, or clip by the union of them.
NEVER_LOWERED = [name for name in ("bleu-4:bp=none", "meteor", "chrf") if name.partition(":")[0] in NAMES]
SYSTEM = CandidateSet("system", "candidate_system", {"system": "system", "system_seq": 1, "system_split": None})

Item = tuple[str, list[str]]

words = st.sampled_from("a dog the runs café 日本 2 sits".split())
captions = st.lists(words, min_size=1, max_size=8).map(" ".join)
references = st.lists(captions, min_size=2, max_size=4)
#: A candidate with its references: several in a store, which costs more than its captions.
items = st.lists(st.tuples(captions, references), min_size=4, max_size=8)


def scored(rows: Rows, metrics: list[str], system: Rows = ()) -> pl.DataFrame:
    """Score leave-one-out, or what a system says against all captions of the image; a row a candidate and metric."""
    with Store.open(MEMORY) as store:
        ingest_rows(store, rows, kind="candidates")  # which lets an empty caption in
        if system:
            ingest_rows(store, system, "system", "candidates")
        chosen = SYSTEM if system else HUMAN
        scores = score_candidates(Captions(store, resolve(store, "set"), "bare"), [chosen], requests(metrics))
    return scores.unpivot(index=["candidate", "image", "slot"], variable_name="metric").sort("metric", "image", "slot")


def values(items: Sequence[Item], metrics: list[str]) -> list[dict[str, float]]:
    """Score each candidate against its references, beside an image that shares no word with them."""
    rows = [*as_rows([texts for _, texts in items]), ("other", 0, "entirely different")]
    found = scored(rows, metrics, as_rows([[candidate] for candidate, _ in items]))
    return [
        dict(found.filter(pl.col("image") == f"{number:02}").select("metric", "value").iter_rows())
        for number in range(len(items))
    ]


def as_rows(images: Sequence[Sequence[str]]) -> list[tuple[str, int, str]]:
    return [(f"{image:02}", slot, text) for image, texts in enumerate(images) for slot, text in enumerate(texts)]


@given(
    st.lists(
        st.lists(st.sampled_from("a dog the runs fast 2 sits".split()), min_size=4, max_size=9).map(" ".join),
        min_size=4,
        max_size=8,
    )
)
@examples(3)
def test_caption_scores_best_against_itself(texts: list[str]) -> None:
    for text, found in zip(texts, values([(text, [text]) for text in texts], NAMES), strict=True):
        best = {name: 1.0 if name in SIMILARITIES else 0.0 for name in NAMES}
        if not {"dog", "runs", "fast", "sits"} & {*text.split()}:
            best |= {name: 0.0 for name in NAMES if METRICS[name].counts == "content_match"}
        for name in BELOW_ONE & found.keys():
            assert 0.7 < found.pop(name) < best.pop(name)
        assert found == pytest.approx(best, abs=1e-9)


@given(
    st.lists(references, min_size=2, max_size=4) | st.lists(references, min_size=6, max_size=9), st.integers(0, 1000)
)
@examples(4)
def test_order_of_references_and_images_changes_nothing(images: list[list[str]], seed: int) -> None:
    rows = as_rows(images)
    shuffled = random.Random(seed).sample(rows, len(rows))
    assert scored(rows, NAMES).equals(scored(shuffled, NAMES))


@given(st.lists(references, min_size=4, max_size=8))
@examples(3)
def test_slots_of_the_references_change_nothing(images: list[list[str]]) -> None:
    items = [(texts[0] + " runs", texts) for texts in images]
    turned = [(candidate, texts[1:] + texts[:1]) for candidate, texts in items]
    assert values(items, NAMES) == values(turned, NAMES)


def test_empty_candidate_is_defined() -> None:
    sides = [["a dog runs", "two dogs"], ["a dog runs", ""], [""], ["", ""]]
    for found, texts in zip(values([("", texts) for texts in sides], NAMES), sides, strict=True):
        assert [found[name] for name in SIMILARITIES] == [0.0] * len(SIMILARITIES)
        if "ter" in found:
            shortest = min(len(text.split()) for text in texts)
            length = sum(len(text.split()) for text in texts) / len(texts)
            assert found["ter"] == pytest.approx(shortest / length if length else 0.0, abs=1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_images_of_one_caption_have_no_score(name: str) -> None:
    with pytest.raises(MetricError, match="needs two captions per image; this dataset has one"):
        scored([("a", 0, "a dog runs"), ("b", 0, "a cat sits")], [name])


def test_image_of_one_caption_beside_others_has_no_score() -> None:
    frame = scored([("a", 0, "a dog"), ("b", 0, "a cat"), ("b", 1, "cats")], NAMES)
    assert set(frame["image"]) == {"b"}
    assert frame["metric"].n_unique() == len(NAMES)


def test_references_without_words_are_defined() -> None:
    candidates = ["a dog runs", "日本", "..."]
    for found, candidate in zip(values([(one, ["", "..."]) for one in candidates], NAMES), candidates, strict=True):
        assert all(0 <= value <= 1 for value in found.values())
        if "ter" in found:
            assert found["ter"] == (candidate != "...")


@given(items, captions)
@examples(3)
def test_one_more_reference_never_lowers_a_best(items: list[Item], another: str) -> None:
    counts = range(3)
    scores = [values([(text, texts + [another] * count) for text, texts in items], NEVER_LOWERED) for count in counts]
    for before, once, twice in zip(*scores, strict=True):
        assert all(once[name] >= before[name] - 1e-12 for name in NEVER_LOWERED)
        assert once == pytest.approx(twice, abs=1e-12)
