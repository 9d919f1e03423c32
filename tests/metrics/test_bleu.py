"""BLEU equals the programs whose rules it offers, caption by caption and as a corpus."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Iterator

import make_gold_bleu
import plain
import polars as pl
import pytest
from conftest import DATA, ROOT, ingest_rows
from hypothesis import given
from hypothesis import strategies as st
from sizes import examples

from auditor.metrics.bleu import corpus, per_image
from auditor.scoring.candidates import HUMAN, CandidateSet
from auditor.scoring.counting import count
from auditor.scoring.registry import References, request
from auditor.store.captions import Captions
from auditor.store.connection import MEMORY, Store
from auditor.store.versions import resolve
from auditor.studies.score.study import score
from auditor.text.stemmers.porter import stem

Segments = list[tuple[str, str, list[str]]]

GOLD = json.loads((ROOT / "tests" / "gold" / "bleu.json").read_text(encoding="utf-8"))
WORDS = ["a", "a", "dog", "the", "runs", "café", "two"]
texts = st.lists(st.sampled_from(WORDS), max_size=7).map(" ".join)
segments = st.lists(st.tuples(texts, st.lists(texts, min_size=1, max_size=4)), min_size=1, max_size=20)


def counted(store: Store, parts: Segments) -> pl.DataFrame:
    """Count what a system says of images against their references; sorted by image, of which each has one caption."""
    rows = [(image, slot, text) for image, _, references in parts for slot, text in enumerate(references)]
    ingest_rows(store, rows, "set", "candidates")  # which lets an empty caption in
    ingest_rows(store, [(image, 0, text) for image, text, _ in parts], "system", "candidates")
    params = {"system": "system", "system_seq": 1, "system_split": None}
    spec = request("bleu-4").counting
    system = CandidateSet("system", "candidate_system", params)
    return count(Captions(store, resolve(store, "set"), "bare"), [system], [spec])["system", spec]


def scores(counts: pl.DataFrame, asked: str) -> list[float]:
    return request(asked).scores(counts).to_list()


def of_corpus(counts: pl.DataFrame, asked: str) -> float:
    wanted = request(asked)
    return corpus(counts, {**wanted.metric.fixed, **wanted.settings})


@pytest.fixture(scope="module")
def segments_counted() -> Iterator[pl.DataFrame]:
    with Store.open(MEMORY) as store:
        yield counted(store, make_gold_bleu.SEGMENTS)


@pytest.mark.parametrize("asked", GOLD["coco"] | GOLD["sacrebleu"] | GOLD["nltk"])
def test_captions_score_as_the_program_scores_them(segments_counted: pl.DataFrame, asked: str) -> None:
    (gold,) = (GOLD[program][asked] for program in ("coco", "sacrebleu", "nltk") if asked in GOLD[program])
    assert scores(segments_counted, asked) == pytest.approx(gold[: len(make_gold_bleu.SEGMENTS)], abs=1e-11)


@pytest.mark.parametrize("asked", GOLD["coco"] | GOLD["sacrebleu"])
def test_corpus_scores_as_the_program_scores_it(segments_counted: pl.DataFrame, asked: str) -> None:
    gold = (GOLD["coco"] | GOLD["sacrebleu"])[asked]
    assert of_corpus(segments_counted, asked) == pytest.approx(gold[-1], abs=1e-12)


how_asked = st.tuples(
    st.integers(1, 4),
    st.sampled_from(["paper", "mteval", "none", "add-1", "floor", "nltk3", "exp", "coco"]),
    st.sampled_from(["closest", "shortest", "none"]),
    st.booleans(),
    st.booleans(),
)


@pytest.mark.slow
@given(segments, st.lists(how_asked, min_size=4, max_size=12, unique=True))
@examples(6)
def test_every_setting_equals_its_formula(
    parts: list[tuple[str, list[str]]], every: list[tuple[int, str, str, bool, bool]]
) -> None:
    with Store.open(MEMORY) as store:
        counts = counted(store, [(f"image {place:02}", *part) for place, part in enumerate(parts)])
    split = [(candidate.split(), [one.split() for one in references]) for candidate, references in parts]
    for n, smooth, bp, effective, quarter in every:
        weights = "quarter" if quarter else "uniform"
        asked = f"bleu-{n}:smooth={smooth},bp={bp},effective={str(effective).lower()},weights={weights},floor=0.3"
        how = {"smooth": smooth, "bp": bp, "effective": effective, "exponent": 0.25 if quarter else None, "floor": 0.3}
        assert scores(counts, asked) == pytest.approx([plain.bleu(*one, n, **how) for one in split], abs=1e-11)
        assert of_corpus(counts, asked) == pytest.approx(plain.bleu_of(split, n, **how), abs=1e-11)


def test_earlier_papers_without_smoothing_and_penalty_find_a_cow_a_good_sentence(store: Store) -> None:
    """Wang & Gaizauskas 2016, section 3.1, on BLEU as it was reported before."""
    counts = counted(store, [("a", "a cow", ["a cow stands on a green field near the road"])])
    assert scores(counts, "bleu-2:smooth=none,bp=none") == [1.0]
    assert scores(counts, "bleu-2")[0] < 0.05


def test_stems_are_those_of_the_words(store: Store) -> None:
    captions = ["two dogs running happily", "a dog runs", "the happy dogs ran", "a dog"]
    ingest_rows(store, [("a", slot, text) for slot, text in enumerate(captions)], "words")
    ingest_rows(store, [("a", slot, " ".join(map(stem, text.split()))) for slot, text in enumerate(captions)], "stems")
    of_words = score(store, "words", metrics=["bleu-4:stem=true"]).frame["value"].to_list()
    assert of_words == score(store, "stems", metrics=["bleu-4"]).frame["value"].to_list()
    assert request("bleu-4:stem=true").signature("bare", References()).parameters["stem"] is True
    assert "stem" not in request("bleu-4").signature("bare", References()).parameters


def test_corpus_is_no_mean_of_captions(segments_counted: pl.DataFrame) -> None:
    each = scores(segments_counted, "bleu-2:smooth=none")
    assert of_corpus(segments_counted, "bleu-2:smooth=none") != pytest.approx(sum(each) / len(each), abs=0.01)


def test_corpus_of_one_caption_is_its_score(segments_counted: pl.DataFrame) -> None:
    for place in range(segments_counted.height):
        one = segments_counted[place]
        assert of_corpus(one, "bleu-4") == pytest.approx(scores(one, "bleu-4")[0], abs=1e-12)


def test_corpus_without_captions_has_no_score(segments_counted: pl.DataFrame) -> None:
    assert math.isnan(of_corpus(segments_counted.clear(), "bleu-4"))


def test_image_is_a_corpus_of_its_captions(store: Store) -> None:
    """mBLEU: each caption of an image against its others."""
    images = {
        "one": ["a dog runs", "a dog sits there", "the dog runs"],
        "two": ["two men walk home", "two men walk"],
        "three": ["alone"],
    }
    ingest_rows(store, [(image, slot, text) for image, own in images.items() for slot, text in enumerate(own)])
    asked = request("bleu-4:smooth=add-1")
    counts = count(Captions(store, resolve(store, "set"), "bare"), [HUMAN], [asked.counting])["human", asked.counting]
    found = per_image(counts, {**asked.metric.fixed, **asked.settings})
    expected = []
    for image in ("one", "two"):
        own = [text.split() for text in images[image]]
        pairs = [(one, own[:slot] + own[slot + 1 :]) for slot, one in enumerate(own)]
        expected.append((image, plain.bleu_of(pairs, 4, smooth="add-1")))
    assert found["image"].to_list() == [image for image, _ in expected]
    assert found["value"].to_list() == pytest.approx([value for _, value in expected], abs=1e-12)


EDGE_COLUMNS = {
    **{f"bleu{n}_paper": f"bleu-{n}" for n in range(1, 5)},
    **{f"bleu{n}_mtevalrule": f"bleu-{n}:smooth=mteval" for n in range(1, 5)},
    **{f"bleu{n}_nltk3": f"bleu-{n}:smooth=nltk3" for n in range(1, 5)},
    "bleu1_sacre_eff": "bleu-1:smooth=exp,effective=true",
    "bleu4_sacre_eff": "bleu-4:smooth=exp,effective=true",
    "bleu4_sacre": "bleu-4:smooth=exp",
    "bleu1_coco": "bleu-1:smooth=coco",
    "bleu4_coco": "bleu-4:smooth=coco",
}


def test_edge_cases_score_as_the_programs_score_them(store: Store) -> None:
    path = DATA.parent / "oracles" / "edge-cases.csv" if DATA else None
    if path is None or not path.exists():
        pytest.skip("the official scores are not here: oracles/edge-cases.csv beside the real datasets")
    with path.open(encoding="utf-8", newline="") as file:
        cases = [case for case in csv.DictReader(file) if case["case"] != "punct_raw"]  # which is about tokenizers
    parts = [(f"{place:02}", case["candidate"], case["refs"].split(" || ")) for place, case in enumerate(cases)]
    counts = counted(store, parts)
    assert counts.height == 33
    for column, asked in EDGE_COLUMNS.items():
        official = [float(case[column]) for case in cases]
        assert scores(counts, asked) == pytest.approx(official, abs=1e-9), asked
