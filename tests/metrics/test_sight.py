"""Metrics that see the image: what they learn is what equations say, and nothing of the image that they score."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from conftest import Rows, ingest_rows
from numpy.typing import NDArray
from seen_scenes import exchanged, ingest_vectors, scenes
from threadpoolctl import threadpool_limits

from auditor import config
from auditor.errors import MetricError, UsageError
from auditor.metrics.vectors import ranking
from auditor.metrics.vectors.bags import bags, unit
from auditor.model import Kind, Source
from auditor.scoring.candidate_sets import intra
from auditor.scoring.candidates import HUMAN
from auditor.scoring.registry import References, requests
from auditor.scoring.scores import scorable, score_candidates
from auditor.sources.reading.acceptance import complete
from auditor.store import ingestion
from auditor.store.captions import Captions
from auditor.store.connection import Store
from auditor.store.versions import resolve
from auditor.studies.agree import agree
from auditor.studies.bounds import bounds
from auditor.studies.choices import choices
from auditor.studies.consensus import consensus
from auditor.studies.ingest.sources import ingest_sources
from auditor.text import AT_INGEST

LEARNERS = ("vector-ridge", "vector-rank")


def scores(store: Store, *metrics: str, ref: str = "set") -> pl.DataFrame:
    return score_candidates(Captions(store, resolve(store, ref), "bare"), [HUMAN], requests(metrics)).drop("candidate")


def preferred(store: Store, metric: str, ref: str = "set") -> float:
    """The share of captions that score more than one of another image in their place."""
    scored = score_candidates(Captions(store, resolve(store, ref), "bare"), [HUMAN, intra(1)], requests([metric]))
    own, other = (scored.filter(candidate=who).sort("image", "slot")[metric] for who in ("human", "intra"))
    return float((own > other).mean() or 0.0)


def seen(store: Store, rows: Rows | None = None, **options: int) -> tuple[Rows, list[str], NDArray[np.float64]]:
    made, names, vectors = scenes(**options)
    ingest_rows(store, rows or made)
    ingest_vectors(store, names, vectors)
    return made, names, vectors


def test_ridge_is_the_solution_of_its_equations(store: Store) -> None:
    """Counted again with dense matrices: images in no training split are scored by a model of all that are."""
    rows, names, vectors = scenes(images=30)
    train = [name for name in names if int(name[1:]) < 20]
    ingest_rows(store, rows, splits={"train": train, "test": names[20:]})
    ingest_vectors(store, names, vectors)
    found = scores(store, "vector-ridge", ref="set:test").sort("image", "slot")
    taught = [(image, text.split()) for image, _, text in rows if image in train]
    documents = {word: sum(word in text for _, text in taught) for _, text in taught for word in text}
    words = sorted(word for word, count in documents.items() if count > 1)
    weights = np.array([np.log((1 + len(taught)) / (1 + documents[word])) + 1 for word in words])

    def bag(text: list[str]) -> NDArray[np.float64]:
        return unit((np.array([[text.count(word) for word in words]]) * weights).astype(np.float64))[0]

    given = dict(zip(names, unit(vectors.astype(np.float32)), strict=True))
    mean = np.mean([given[image] for image in train], axis=0)
    x = np.array([bag(text) for _, text in taught])
    y = np.array([given[image] - mean for image, _ in taught])
    learnt = np.linalg.solve(x.T @ x + 3.0 * np.eye(len(words)), x.T @ y)
    for image, slot, score in found.iter_rows():
        said = bag(next(text for other, place, text in rows if (other, place) == (image, slot)).split()) @ learnt
        right = given[image] - mean
        expected = said @ right / np.linalg.norm(said) / np.linalg.norm(right)
        assert score == pytest.approx(expected, abs=2e-6)


@pytest.mark.parametrize("metric", LEARNERS)
def test_no_image_is_scored_by_a_model_that_saw_it(store: Store, metric: str) -> None:
    """Another vector of one image changes its own scores, and of other images only those of other folds."""
    _, names, vectors = seen(store)
    before = scores(store, metric)
    moved = vectors.copy()
    moved[0] = -moved[0]
    ingest_vectors(store, names, moved)
    after = scores(store, metric)
    changed = before.join(after, on=["image", "slot"]).filter(pl.col(metric) != pl.col(f"{metric}_right"))["image"]
    folds = store.query(
        "select ('i' || lpad(i::varchar, 4, '0')) as image, md5_number(concat_ws(chr(31), 'fold', 1,"
        " 'i' || lpad(i::varchar, 4, '0'))) % 5 as fold from range(150) as r(i)"
    )
    own = dict(folds.iter_rows())
    assert names[0] in set(changed)
    assert {name for name in names[1:] if own[name] == own[names[0]]}.isdisjoint(set(changed))
    assert len(set(changed)) > 100


@pytest.mark.parametrize("metric", LEARNERS)
def test_captions_are_preferred_to_those_of_other_images(store: Store, metric: str) -> None:
    seen(store)
    assert preferred(store, metric) > 0.95


def test_captions_mean_nothing_where_vectors_are_of_other_images(store: Store) -> None:
    rows, names, vectors = scenes()
    ingest_rows(store, rows)
    ingest_vectors(store, names, np.random.default_rng(5).permutation(vectors))
    assert 0.3 < preferred(store, "vector-ridge") < 0.7


@pytest.mark.parametrize("metric", LEARNERS)
def test_scores_do_not_depend_on_threads(metric: str) -> None:
    told = []
    for threads in (1, 2):
        with Store.open(Path(":memory:")) as store, threadpool_limits(threads, "blas"):
            store.execute(f"set threads = {threads}")
            seen(store)
            told.append(scores(store, metric))
    assert told[0].equals(told[1])


def test_an_image_without_a_vector_has_no_score_and_a_caption_of_unknown_words_scores_0(store: Store) -> None:
    rows, names, vectors = scenes(images=30)
    odd = [
        *rows,
        ("i0000", 9, "zyzzyva"),
        ("i0001", 9, ""),
        ("lone", 0, "a balt"),
        ("unseen", 0, "a"),
        ("unseen", 1, "b"),
    ]
    ingest_rows(store, odd, kind="candidates")
    ingest_vectors(store, [*names, "lone"], np.vstack([vectors, vectors[:1]]))
    found = scores(store, "vector-ridge")
    assert found.filter(image="unseen").is_empty()
    assert found.filter(pl.col("slot") == 9)["vector-ridge"].to_list() == [0.0, 0.0]
    assert found.filter(image="lone").height == 1, "it has no reference, and needs none"
    both = scores(store, "cider", "vector-ridge")
    assert set(both["image"]) == set(names), "metrics are compared on the captions that all of them score"
    assert scores(store, "cider").filter(image="unseen").height == 2


def test_signature_names_vectors_training_captions_and_seed(store: Store) -> None:
    rows, names, vectors = scenes(images=30)
    ingest_rows(store, rows, splits={"train": names[:20], "test": names[20:]})
    ingest_vectors(store, names, vectors)
    ingest_vectors(store, names[:3], vectors[:3], name="few")
    held, seen_as = resolve(store, "set"), resolve(store, "seen", vectors=True)
    (metric,), notes = scorable(
        Captions(store, resolve(store, "set:test"), "bare"), requests(["vector-rank:margin=0.3"]), ["vector-rank"]
    )
    signature = str(metric.signature("bare", References()))
    assert metric.label == "vector-rank:margin=0.3"
    assert signature == (
        f"vector-rank|tok:bare|refs:none|vectors:{seen_as.pinned_name}|train:{held.pinned_name}:train|folds:5|"
        "model_seed:1|margin:0.3|v:1"
    )
    assert notes == []
    named = requests(["vector-ridge:vectors=few,train=set,folds=2,model_seed=7"])
    (other,), notes = scorable(Captions(store, held, "bare"), named, ["vector-ridge"])
    assert f"vectors:{resolve(store, 'few', vectors=True).pinned_name}" in str(other.signature("bare", References()))
    assert f"train:{held.pinned_name}|folds:2|model_seed:7" in str(other.signature("bare", References()))
    assert "27 images have no vector in few" in notes[0]


def test_other_vectors_or_another_seed_are_not_taken_from_what_is_kept(tmp_path: Path) -> None:
    rows, names, vectors = scenes(images=40)
    path = tmp_path / "kept.duckdb"
    told = []
    for given, metric in (
        (vectors, "vector-ridge"),
        (vectors[::-1], "vector-ridge"),
        (vectors, "vector-ridge:model_seed=2"),
    ):
        with Store.open(path, write=True) as store:
            ingest_rows(store, rows)
            ingest_vectors(store, names, given)
        with Store.open(path) as store:
            told.append(scores(store, metric).to_series(2).to_list())
    assert len({tuple(one) for one in told}) == 3


def test_text_vectors_are_compared_as_they_are(store: Store) -> None:
    ingest_rows(store, [("a", 0, "left"), ("a", 1, "right"), ("b", 0, "no vector"), ("b", 1, "up")])
    texts = np.array([[3.0, 4.0], [-3.0, -4.0], [0.0, 2.0]])
    ingest_vectors(store, ["a", "b"], np.array([[1.0, 0.0], [0.0, 5.0]]), texts=["left", "right", "up"], of_texts=texts)
    found = scores(store, "vector-cosine", "clipscore").rows()
    assert found == [("a", 0, 0.6, 1.5), ("a", 1, -0.6, 0.0), ("b", 1, 1.0, 2.5)]


def test_what_is_lacking_is_said(store: Store) -> None:
    rows, names, vectors = scenes(images=10)
    ingest_rows(store, rows)
    with pytest.raises(
        MetricError,
        match="the store has no vectors of its images; import them with `auditor ingest NAME --from FILE --format vectors",
    ):
        bounds(store, "set", metrics=["vector-ridge"])
    ingest_vectors(store, ["other"], vectors[:1])
    with pytest.raises(MetricError, match="the store has no vectors of its images"):
        bounds(store, "set", metrics=["vector-ridge"])
    ingest_vectors(store, names[:1], vectors[:1])
    with pytest.raises(MetricError, match="set: 1 of its images have a vector in seen, too few to learn from"):
        bounds(store, "set", metrics=["vector-ridge"])
    with pytest.raises(MetricError, match="the store has no vectors of its texts and images"):
        bounds(store, "set", metrics=["clipscore"])
    with pytest.raises(MetricError, match="vectors=set: holds captions, not vectors"):
        bounds(store, "set", metrics=["vector-ridge:vectors=set"])
    with pytest.raises(UsageError, match="nothing: not in"):
        bounds(store, "set", metrics=["vector-ridge:vectors=nothing"])


def test_slope_of_the_ranking_loss_is_that_of_finite_differences() -> None:
    draws = np.random.default_rng(3)
    texts, images = draws.random((5, 4)) + 0.1, draws.standard_normal((5, 4))
    whose = np.array([0, 1, 2, 2, 3])

    def loss(texts: NDArray[np.float64], images: NDArray[np.float64]) -> float:
        lengths = [np.linalg.norm(side, axis=1, keepdims=True) + np.sqrt(ranking._LEAST) for side in (texts, images)]
        likeness = (texts / lengths[0]) @ (images / lengths[1]).T
        total = 0.0
        for own in range(5):
            for other in range(5):
                if whose[own] != whose[other]:
                    total += max(0.0, 0.2 - likeness[own, own] + likeness[own, other])
                    total += max(0.0, 0.2 - likeness[own, own] + likeness[other, own])
        return total / 5

    slopes = ranking._slopes(texts, images, whose, 0.2)
    for side, slope in enumerate(slopes):
        for place in np.ndindex(texts.shape):
            ends = []
            for step in (1e-6, -1e-6):
                both = [texts.copy(), images.copy()]
                both[side][place] += step
                ends.append(loss(*both))
            assert slope[place] == pytest.approx((ends[0] - ends[1]) / 2e-6, abs=1e-4)


def test_bags_are_of_length_1_or_0() -> None:
    words = pl.DataFrame({"token_id": [3, 7], "word_no": [0, 1], "weight": [2.0, 1.0]})
    made = bags(pl.Series([[3, 7, 7, 9], [], [9], [7]], dtype=pl.List(pl.UInt32)), words).toarray()
    root = np.sqrt(0.5)
    assert made == pytest.approx(np.array([[root, root], [0, 0], [0, 0], [0, 1]]))


def test_choices_by_other_metrics_are_not_lost_for_want_of_vectors(store: Store) -> None:
    rows, names, vectors = scenes(images=40)
    ingest_rows(store, rows)
    ingest_vectors(store, names[:20], vectors[:20])
    texts = {(image, slot): text for image, slot, text in rows}
    pairs = [(name, texts[name, 0], texts[names[place - 1], 0]) for place, name in enumerate(names)]
    told = []
    for number, (image, right, wrong) in enumerate(pairs):
        for slot, (side, text) in enumerate((("right", right), ("wrong", wrong))):
            pair = {"pair": number + 1, "side": side, "category": "swap", "origin": f"x{number}", "votes": None}
            told.append({"image": image, "slot": slot, "text": text, "pair": pair})
    ingest_items(store, told)
    result = choices(store, "items", against="set", metrics=["bleu-1", "vector-ridge"])
    by = {row["scorer"]: row for row in result.frame.filter(part="swap").iter_rows(named=True)}
    assert (by["bleu-1"]["n"], by["bleu-1"]["missing"]) == (40, 0)
    assert (by["vector-ridge"]["n"], by["vector-ridge"]["missing"]) == (20, 20)
    assert by["vector-ridge"]["accuracy"] > 0.9


def ingest_items(store: Store, rows: list[dict[str, object]], kind: Kind = "choices") -> None:
    frame = pl.DataFrame(rows).with_columns(
        source=pl.lit("made"), unit=pl.lit("line"), line=pl.int_range(1, pl.len() + 1)
    )
    ingestion.write(store, Source("items", kind, "literal", ()), iter([complete(frame)]), {}, AT_INGEST, "0" * 64)


def test_exchanged_captions_score_less_than_those_that_stay(store: Store) -> None:
    rows, names, vectors = scenes()
    ingest_rows(store, exchanged(rows, (names[3], 1), (names[70], 2)))
    ingest_vectors(store, names, vectors)
    found = scores(store, "vector-ridge").sort("vector-ridge")
    assert {(names[3], 1), (names[70], 2)} <= set(found.head(30).select("image", "slot").rows())


@pytest.mark.full
@pytest.mark.xdist_group("flickr8k-clip")
def test_vectors_bring_a_metric_nearer_to_experts_than_references_do(data: Path, store: Store) -> None:
    """Of the rated pairs whose image has a vector, those that are not references; no metric learns from these images."""
    sources = config.sources(data=data)
    ingest_sources(store, [sources[name] for name in ("flickr8k", "flickr8k-clip", "flickr8k-expert")])
    result = agree(store, "flickr8k-expert", metrics=["cider", "vector-ridge"])
    pooled = result.frame.filter(statistic="spearman", protocol="pooled").unique(
        "metric", keep="first", maintain_order=True
    )
    found = {row["metric"]: row for row in pooled.iter_rows(named=True)}
    assert found["vector-ridge"]["value"] == pytest.approx(0.6673, abs=5e-4)
    assert found["cider"]["value"] == pytest.approx(0.5318, abs=5e-4)
    ahead = next(table.frame for table in result.tables if "difference" in table.frame.columns)
    assert ahead["low"][0] > 0.05
    assert preferred(store, "vector-ridge", "flickr8k:test") > 0.96
    assert preferred(store, "vector-rank", "flickr8k:test") > 0.96


def test_consensus_counts_pairs_of_seen_images_alone(store: Store) -> None:
    """People prefer the caption of the image; of the pairs without a vector nobody says whom the metric prefers."""
    rows, names, vectors = scenes(images=40)
    ingest_rows(store, rows)
    ingest_vectors(store, names[:30], vectors[:30])
    texts = {(image, slot): text for image, slot, text in rows}
    told = []
    for place, name in enumerate(names):
        for slot, (side, text, votes) in enumerate((("B", texts[name, 0], 9), ("C", texts[names[place - 1], 0], 1))):
            pair = {"pair": place + 1, "side": side, "category": "HI", "origin": "human", "votes": votes}
            told.append({"image": name, "slot": slot, "text": text, "pair": pair})
    ingest_items(store, told, "pairs")
    result = consensus(store, "items", against="set", metrics=["bleu-1", "vector-ridge"])
    accuracy = result.frame.filter(statistic="accuracy", kind="all")
    assert dict(accuracy.select("metric", "n").iter_rows()) == {"bleu-1": 30, "vector-ridge": 30}
    assert dict(accuracy.select("metric", "value").iter_rows())["vector-ridge"] > 0.9
    assert any("10 images have no vector in seen and no score by vector-ridge" in note for note in result.notes)
