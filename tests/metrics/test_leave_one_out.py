"""Every metric equals its formula: on captions of any shape, and on a thousand images of Flickr8k."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import plain
import polars as pl
import pytest
from conftest import Bound, Rows, ingest_rows
from hypothesis import given
from hypothesis import strategies as st
from sizes import examples

from auditor import config
from auditor.scoring.candidate_sets import intra
from auditor.scoring.candidates import HUMAN, CandidateSet
from auditor.scoring.registry import METRICS, requests
from auditor.scoring.scores import score_candidates
from auditor.store.captions import Captions
from auditor.store.connection import MEMORY, Store
from auditor.store.versions import resolve
from auditor.studies.ingest import ingest_sources

pytestmark = pytest.mark.store

#: Few words, so that captions overlap; odd ones, so that every rule of the tokenizer and of ROUGE's words is met.
WORDS = [
    "a",
    "dog",
    "dog",
    "the",
    "runs",
    "café",
    "naïve",
    "日本",
    "man's",
    "tri-coloured",
    "!",
    "...",
    "2",
    "x_y",
    "É",
]
captions = st.lists(st.sampled_from(WORDS), max_size=9).map(" ".join).filter(str.strip)
an_image = st.lists(captions, min_size=1, max_size=6)
#: Two images at least: with one, every idf is 0, and CIDEr is refused. Many of them cost little more than a store of few.
datasets = (st.lists(an_image, min_size=2, max_size=5) | st.lists(an_image, min_size=12, max_size=20)).filter(
    lambda images: any(len(texts) > 1 for texts in images)
)


def as_rows(images: list[list[str]]) -> Rows:
    return [(f"image {i}", slot, text) for i, texts in enumerate(images) for slot, text in enumerate(texts)]


def leave_one_out(
    images: list[list[list[str]]], metrics: Sequence[str] = plain.METRICS
) -> dict[tuple[int, int, str], float]:
    df = plain.DocumentFrequency(images)
    return {
        (i, slot, metric): plain.score(metric, tokens, texts[:slot] + texts[slot + 1 :], df)
        for i, texts in enumerate(images)
        if len(texts) > 1
        for slot, tokens in enumerate(texts)
        for metric in metrics
    }


def scored(
    store: Store, ref: str = "set", metrics: list[str] | None = None, candidates: Sequence[CandidateSet] = (HUMAN,)
) -> pl.DataFrame:
    """One row per candidate and metric."""
    scores = score_candidates(
        Captions(store, resolve(store, ref), "bare"), candidates, requests(metrics or plain.METRICS)
    )
    return scores.unpivot(index=["candidate", "image", "slot"], variable_name="metric")


@given(datasets)
@examples(6)
def test_scores_equal_the_formulas_on_random_captions(images: list[list[str]]) -> None:
    expected = leave_one_out([[plain.tokenize(text) for text in texts] for texts in images])
    with Store.open(MEMORY) as store:
        ingest_rows(store, as_rows(images))
        scores = scored(store)
    found = {(int(i.split()[1]), slot, metric): value for _, i, slot, metric, value in scores.iter_rows()}
    assert found == pytest.approx(expected, abs=1e-9)


@given(st.lists(captions.filter(lambda text: len(plain.tokenize(text)) >= 4), min_size=4, max_size=8))
@examples(3)
def test_identical_captions_of_four_words_score_one(texts: list[str]) -> None:
    with Store.open(MEMORY) as store:
        others = [("other", 0, "something else"), ("other", 1, "entirely")]
        ingest_rows(store, [*as_rows([[text, text] for text in texts]), *others])
        scores = scored(store)
    for number, text in enumerate(texts):
        expected = {name: 0.0 if METRICS[name].lower_is_better else 1.0 for name in plain.METRICS}
        # nothing may be left of it by ROUGE's own words, and ROUGE-W of more than one word is below 1
        expected |= {name: plain.rouge(name, plain.tokenize(text), [plain.tokenize(text)]) for name in plain.ROUGE}
        for slot in (0, 1):
            found = scores.filter((pl.col("image") == f"image {number}") & (pl.col("slot") == slot))
            assert dict(found.select("metric", "value").iter_rows()) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("request_text", "expected"),
    [
        ("bleu-4:smooth=mteval", lambda c, r, _: plain.bleu(c, r, 4, smooth="mteval")),
        ("bleu-4:smooth=none,bp=false", lambda c, r, _: plain.bleu(c, r, 4, smooth="none", bp="none")),
        ("bleu-2:bp=none", lambda c, r, _: plain.bleu(c, r, 2, bp="none")),
        ("cider:scale=x10", lambda c, r, df: 10 * plain.cider(c, r, df)),
        ("cider-d:sigma=2", lambda c, r, df: plain.cider_d(c, r, df, sigma=2)),
    ],
)
def test_parameters_equal_their_formulas(store: Store, request_text: str, expected: object) -> None:
    images = [
        ["a dog runs", "a dog runs fast over grass", "dog", "the café dog runs runs"],
        ["the man sits", "a man sits on the bench", "man"],
        ["日本 dog", "dog 日本 runs"],
    ]
    ingest_rows(store, as_rows(images))
    tokens = [[plain.tokenize(text) for text in texts] for texts in images]
    df = plain.DocumentFrequency(tokens)
    scores = scored(store, metrics=[request_text])
    for _, image, slot, _, value in scores.iter_rows():
        texts = tokens[int(image.split()[1])]
        assert value == pytest.approx(expected(texts[slot], texts[:slot] + texts[slot + 1 :], df), abs=1e-9)


def test_system_is_scored_on_a_split_as_on_a_set_of_its_own(store: Store) -> None:
    """A split has its own document frequency, which is counted first; the candidates come after it."""
    rows = [("a", 0, "a dog runs"), ("a", 1, "the dog runs"), ("b", 0, "a cat sits"), ("c", 0, "a bird")]
    ingest_rows(store, rows, splits={"test": ["a", "b"]})
    ingest_rows(store, rows[:3], dataset="alone")
    ingest_rows(store, [("a", 0, "dog runs fast"), ("b", 0, "one cat sits")], dataset="system", kind="candidates")
    params = {"system": "system", "system_seq": 1, "system_split": None}
    system = [CandidateSet("system", "candidate_system", params)]
    found = scored(store, "set:test", candidates=system)
    assert found["value"].min() > 0
    assert found.equals(scored(store, "alone", candidates=system))


def test_two_words_do_not_score_bleu_3_above_bleu_2(store: Store) -> None:
    """The oddity of mteval that Wang & Gaizauskas 2016, footnote 4, mends."""
    ingest_rows(store, [("a", 0, "a dog"), ("a", 1, "a cat sits"), ("b", 0, "x"), ("b", 1, "y")])
    scores = scored(store).filter((pl.col("image") == "a") & (pl.col("slot") == 0))
    by_metric = dict(scores.select("metric", "value").iter_rows())
    assert by_metric["bleu-3"] < by_metric["bleu-2"]


def test_intra_never_draws_from_the_same_image(store: Store, bound: Bound) -> None:
    images = [[f"word{i} {slot}" for slot in range(3)] for i in range(20)]
    ingest_rows(store, as_rows(images))
    scores = scored(store, metrics=["rouge-1"], candidates=[intra(1)])
    assert scores.height == 60
    drawn = bound("select c.image, t.text from candidate as c join caption as t using (caption_id)")
    assert all(f"word{image.split()[1]} " not in f"{text} " for image, text in drawn.iter_rows())


def test_intra_depends_on_the_seed_alone(store: Store, bound: Bound) -> None:
    images = [[f"word{i} {slot}" for slot in range(3)] for i in range(20)]
    ingest_rows(store, as_rows(images))

    def draw(seed: int) -> list[tuple[object, ...]]:
        scored(store, metrics=["bleu-1"], candidates=[intra(seed)])
        return bound("select image, slot, caption_id from candidate order by all").rows()

    first = draw(1)
    ingest_rows(store, [("z", 0, "unrelated"), ("z", 1, "set")], dataset="other")
    assert draw(2) != first
    assert draw(1) == first


def test_one_image_has_no_intra_candidate(store: Store) -> None:
    ingest_rows(store, [("a", 0, "a dog"), ("a", 1, "the dog")])
    scores = scored(store, metrics=["bleu-1"], candidates=[HUMAN, intra(1)])
    assert set(scores["candidate"]) == {"human"}


@pytest.fixture(scope="module")
def flickr8k_test(tmp_path_factory: pytest.TempPathFactory) -> Path | None:
    from conftest import DATA

    if DATA is None:
        return None
    path = tmp_path_factory.mktemp("flickr8k") / "audit.duckdb"
    source = config.sources(data=DATA)["flickr8k"]
    with Store.open(path, write=True) as store:
        ingest_sources(store, [source])
    return path


@pytest.mark.full
def test_thousand_images_of_flickr8k_equal_the_formulas(data: Path, flickr8k_test: Path) -> None:
    metrics = [name for name in plain.METRICS if name != "ter"]  # plain TER is slow
    with Store.open(flickr8k_test) as store:
        scores = scored(store, "flickr8k:test", metrics)
        texts = store.query(
            "select image, slot, text from captions where dataset = 'flickr8k' and split = 'test' order by image, slot"
        )
    names = texts["image"].unique(maintain_order=True).to_list()
    images = [
        [plain.tokenize(text) for text in one["text"]] for one in texts.partition_by("image", maintain_order=True)
    ]
    expected = leave_one_out(images, metrics)
    places = {name: number for number, name in enumerate(names)}
    differences = [
        abs(value - expected[places[image], slot, metric]) for _, image, slot, metric, value in scores.iter_rows()
    ]
    assert len(differences) == 11 * 5000
    assert max(differences) < 1e-9


def test_means_on_flickr8k_test_are_the_official_ones(data: Path, flickr8k_test: Path) -> None:
    """Made by the official programs: BLEU as paper 000's footnote 4, ROUGE-1.5.5 -f A, the CIDEr authors' code / 10."""
    with Store.open(flickr8k_test) as store:
        means = dict(scored(store, "flickr8k:test").group_by("metric").agg(pl.col("value").mean().round(4)).iter_rows())
    assert means["bleu-1"] == 0.6205
    assert means["bleu-4"] == 0.2277
    assert means["rouge-1"] == 0.3744
    assert means["rouge-l"] == 0.3415
    assert means["rouge-w-1.2"] == 0.2320
    assert means["rouge-su4"] == 0.1714
    assert means["ter"] == 0.6849
    assert means["cider"] == 0.1023
    assert means["cider-d"] == 0.0832
