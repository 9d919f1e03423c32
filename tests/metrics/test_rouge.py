"""ROUGE is what ROUGE-1.5.5.pl prints, and what its formulas say.

`gold/rouge.json` holds what the script printed for made-up captions; `make_gold_rouge.py` makes it
again.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import make_gold_rouge
import numpy as np
import plain
import polars as pl
import pytest
from conftest import DATA, ROOT, ingest_rows
from hypothesis import given
from hypothesis import strategies as st

from auditor.errors import MetricError
from auditor.metrics.kernels.columns import meetings, sides
from auditor.metrics.kernels.lcs import common_subsequences, weighted_subsequences
from auditor.metrics.rouge.scoring import as_printed
from auditor.scoring.candidate_sets import intra
from auditor.scoring.candidates import HUMAN, CandidateSet
from auditor.scoring.registry import requests
from auditor.scoring.scores import score_candidates
from auditor.store.captions import Captions
from auditor.store.connection import MEMORY, Store
from auditor.store.versions import resolve
from auditor.text.stemmers.rouge import stem

GOLD: Mapping[str, Any] = json.loads((ROOT / "tests" / "gold" / "rouge.json").read_text(encoding="utf-8"))
SYSTEM = CandidateSet("system", "candidate_system", {"system": "system", "system_seq": 1, "system_split": None})
MEASURES = ("recall", "precision", "f")

Item = tuple[str, Sequence[str]]


def score_items(items: Sequence[Item], metrics: Sequence[str]) -> pl.DataFrame:
    """Score each candidate against its references: a row an item, a column a metric as it was asked for."""
    names = [f"{number:05}" for number in range(len(items))]
    references = [
        (name, slot, text) for name, (_, texts) in zip(names, items, strict=True) for slot, text in enumerate(texts)
    ]
    asked = requests(metrics)
    with Store.open(MEMORY) as store:
        ingest_rows(store, references, kind="candidates")  # which lets an empty one in
        ingest_rows(
            store, [(name, 0, item[0]) for name, item in zip(names, items, strict=True)], "system", "candidates"
        )
        scores = score_candidates(Captions(store, resolve(store, "set"), "bare"), [SYSTEM], asked).sort("image")
    assert scores["image"].to_list() == names
    return scores.select(pl.col(one.label).alias(name) for one, name in zip(asked, metrics, strict=True))


def score_one(metric: str, candidate: str, *references: str) -> float:
    return score_items([(candidate, references)], [metric]).item()


def test_golden_items_score_as_the_script_prints() -> None:
    asked = {
        (options, metric, measure): ",".join(filter(None, [f"{metric}:rounding=official,measure={measure}", settings]))
        for options, settings in make_gold_rouge.RUNS.items()
        for metric in GOLD["runs"][options]
        for measure in MEASURES
    }
    scores = score_items(make_gold_rouge.gold_items(), list(asked.values()))
    for (options, metric, measure), name in asked.items():
        printed = [values[MEASURES.index(measure)] for values in GOLD["runs"][options][metric]]
        assert scores[name].to_list() == printed, (options, metric, measure)


def test_edge_cases_score_as_the_script_prints() -> None:
    oracle = DATA.parent / "oracles" / "edge-cases.csv" if DATA else None
    if oracle is None or not oracle.exists():
        pytest.skip("the official scores are not here: oracles/edge-cases.csv beside the real datasets")
    # the script has seen the apostrophe of punct_raw, which tokenizer bare deletes
    cases = pl.read_csv(oracle, infer_schema=False).filter(pl.col("case") != "punct_raw")
    texts = cases.select(pl.col("candidate").fill_null(""), pl.col("refs").fill_null("").str.split("||")).rows()
    columns = {
        f"{name.upper()}_{mode}_{letter}": f"{name}:rounding=official,aggregate={aggregate},measure={measure}"
        for name in ("rouge-1", "rouge-l", "rouge-w-1.2", "rouge-su4")
        for mode, aggregate in (("A", "pooled"), ("B", "best"))
        for letter, measure in zip("RPF", MEASURES, strict=True)
    }
    scores = score_items(texts, [*columns.values(), make_gold_rouge.COCO])
    for column, name in columns.items():
        printed = cases[column].cast(pl.Float64)  # nothing, where the script dies of an empty reference
        assert scores[name].filter(printed.is_not_null()).to_list() == printed.drop_nulls().to_list(), column
    some = pl.Series([bool(candidate) for candidate, _ in texts])  # coco-caption takes two empty texts for equal
    expected = cases["rougeL_coco"].cast(pl.Float64).filter(some).to_list()
    assert scores[make_gold_rouge.COCO].filter(some).to_list() == pytest.approx(expected, abs=1e-12)


def test_stems_are_the_scripts() -> None:
    assert {word: stem(word) for word in GOLD["stems"]} == GOLD["stems"]


def test_stems_of_real_captions_are_the_scripts() -> None:
    oracle = DATA.parent / "oracles" / "rouge-stems.tsv" if DATA else None
    if oracle is None or not oracle.exists():
        pytest.skip("the official stems are not here: oracles/rouge-stems.tsv beside the real datasets")
    stems = dict(line.split("\t") for line in oracle.read_text(encoding="utf-8").splitlines())
    assert {word: stem(word) for word in stems} == stems


ITEMS: list[Item] = [
    *make_gold_rouge.hard_items(80, 2, make_gold_rouge.WORDS),
    ("a dog runs", ["", "a dog", "日本"]),
    ("a dog", [""]),
    ("", ["", "dog"]),
    ("日本", ["日本"]),
    ("dog", ["a", "dog"]),
    ("a b a", ["a b c d", "a b"]),
]
SETTINGS: dict[str, dict[str, Any]] = {
    **{
        f"{name}:measure={measure},aggregate={aggregate}": {"measure": measure, "aggregate": aggregate}
        for name in plain.ROUGE
        for aggregate in ("pooled", "best", "mean", "max", "coco")
        for measure in MEASURES
    },
    **{f"{name}:beta=1.2": {"beta": 1.2} for name in plain.ROUGE},
    **{f"{name}:alpha=.2": {"beta": 2.0} for name in plain.ROUGE},
    **{f"{name}:ascii=false": {"ascii_only": False} for name in plain.ROUGE},
    "rouge-w-1.2:weighting=paper": {"weighting": "paper"},
    "rouge-w-1.2:weighting=paper,aggregate=best": {"weighting": "paper", "aggregate": "best"},
    "rouge-su4:last=counted": {"last": "counted"},
    "rouge-su4:skip=0": {"skip": 0},
    "rouge-su4:skip=2,last=counted": {"skip": 2, "last": "counted"},
    **{f"rouge-{order}:measure={measure}": {"measure": measure} for order in "34" for measure in MEASURES},
    "rouge-3:ascii=false": {"ascii_only": False},
    "rouge-4:beta=1.2": {"beta": 1.2},
    **{
        f"rouge-s4:measure={measure},aggregate={aggregate}": {"measure": measure, "aggregate": aggregate}
        for aggregate in ("pooled", "best", "mean", "max", "coco")
        for measure in MEASURES
    },
    "rouge-s4:skip=0": {"skip": 0},
}


@pytest.fixture(scope="module")
def scores_by_setting() -> pl.DataFrame:
    return score_items(ITEMS, list(SETTINGS))


@pytest.mark.parametrize("request_text", SETTINGS)
def test_settings_equal_their_formulas(scores_by_setting: pl.DataFrame, request_text: str) -> None:
    expected = [
        plain.rouge(
            request_text.partition(":")[0],
            plain.tokenize(candidate),
            [plain.tokenize(text) for text in references],
            **SETTINGS[request_text],
        )
        for candidate, references in ITEMS
    ]
    assert scores_by_setting[request_text].to_list() == pytest.approx(expected, abs=1e-11)


def test_candidates_counted_together_score_as_those_counted_apart(store: Store) -> None:
    """Captions are candidates and references by turns, substitutes are candidates alone."""
    rows = [(f"{number}", slot, text) for number, (_, texts) in enumerate(ITEMS) for slot, text in enumerate(texts)]
    ingest_rows(store, rows, kind="candidates")
    asked = requests([*plain.ROUGE, "rouge-3", "rouge-4", "rouge-s4"])
    selection = resolve(store, "set")
    together = score_candidates(Captions(store, selection, "bare"), [HUMAN, intra(1)], asked)
    apart = [
        score_candidates(Captions(store, selection, "bare"), [candidate], asked) for candidate in (HUMAN, intra(1))
    ]
    assert together.equals(pl.concat(apart))
    assert set(together["candidate"]) == {"human", "intra"}


def test_kept_counts_give_the_scores_that_fresh_ones_gave(tmp_path: Path) -> None:
    path = tmp_path / "store.duckdb"
    with Store.open(path, write=True) as store:
        rows = [(f"{number}", slot, text) for number, (_, texts) in enumerate(ITEMS) for slot, text in enumerate(texts)]
        ingest_rows(store, rows, kind="candidates")
    asked = requests(list(SETTINGS))
    found = []
    for _ in range(2):
        with Store.open(path) as store:
            found.append(score_candidates(Captions(store, resolve(store, "set"), "bare"), [HUMAN], asked))
    assert found[0].equals(found[1])


def test_long_n_grams_of_held_out_captions_and_their_substitutes_equal_the_formula(store: Store) -> None:
    captions = ["a b c d e", "x a b c d", "a b c d a b c d", "a b c d a b c d", "", "日本"]
    others = ["a b c d e f", "c d a b c", "b c d e a b c d"]
    ingest_rows(store, [("1", *each) for each in enumerate(captions)] + [("2", *each) for each in enumerate(others)],
                kind="candidates")  # fmt: skip
    texts = {"1": captions, "2": others}
    found = score_candidates(
        Captions(store, resolve(store, "set"), "bare"), [HUMAN, intra(1)], requests(["rouge-3", "rouge-4"])
    )
    for row in found.filter(candidate="human").iter_rows(named=True):
        references = [text for slot, text in enumerate(texts[row["image"]]) if slot != row["slot"]]
        for name in ("rouge-3", "rouge-4"):
            expected = plain.rouge(
                name, plain.tokenize(texts[row["image"]][row["slot"]]), list(map(plain.tokenize, references))
            )
            assert row[name] == pytest.approx(expected, abs=1e-11), row
    for row in found.filter(candidate="intra").iter_rows(named=True):
        references = [text for slot, text in enumerate(texts[row["image"]]) if slot != row["slot"]]
        possible = {
            round(plain.rouge("rouge-3", plain.tokenize(text), list(map(plain.tokenize, references))), 9)
            for text in texts["2" if row["image"] == "1" else "1"]
        }
        assert round(row["rouge-3"], 9) in possible


def test_rouge_l_of_coco_caption_is_a_setting() -> None:
    items = [item for item in make_gold_rouge.gold_items() if item[0]]
    scores = score_items(items, [make_gold_rouge.COCO])[make_gold_rouge.COCO]
    assert scores.to_list() == pytest.approx(GOLD["coco"], abs=1e-12)


def test_identical_captions_score_below_one_by_rouge_w_alone() -> None:
    """The script weights the reference's length twice: recall of k words is k ** -.2."""
    expected = {1: 1.0, 2: 0.9308, 3: 0.89058, 8: 0.795}
    captions = [" ".join("abcdefgh"[:length]) for length in expected]
    found = score_items([(text, [text]) for text in captions], ["rouge-w-1.2:rounding=official", "rouge-l"])
    assert found.to_series(0).to_list() == list(expected.values())
    assert found.to_series(1).to_list() == [1.0] * 4


def test_single_word_scores_nothing_by_rouge_su4_unless_the_last_counts() -> None:
    assert score_one("rouge-su4", "dog", "dog") == 0
    assert score_one("rouge-su4:last=counted", "dog", "dog") == 1


def test_gap_in_the_candidate_does_not_break_a_run_of_the_script() -> None:
    gaps = score_one("rouge-w-1.2:measure=recall", "a x b x c x d", "a b c d")
    assert gaps == score_one("rouge-w-1.2:measure=recall", "a b c d", "a b c d")
    assert score_one("rouge-w-1.2:measure=recall,weighting=paper", "a x b x c x d", "a b c d") < 1


def test_empty_reference_adds_to_the_totals_of_the_candidate_only() -> None:
    items = [("a dog runs", ["a dog runs", ""]), ("a dog runs", ["a dog runs"])]
    found = score_items(items, [f"{name}:measure={measure}" for name in plain.ROUGE for measure in MEASURES])
    for name in plain.ROUGE:
        beside_nothing, alone = found[f"{name}:measure=recall"]
        assert beside_nothing == pytest.approx(alone)
        assert found[f"{name}:measure=precision"][0] < 1


def test_best_is_the_first_of_the_references_with_the_highest_recall() -> None:
    """Recall is 1/2 by both; precision 1/2 by the first, 1 by the other."""
    assert score_one("rouge-1:aggregate=best,measure=precision", "a b", "a x", "b a x x") == 0.5
    assert score_one("rouge-1:aggregate=best,measure=precision", "a b", "b a x x", "a x") == 1.0


def test_stems_meet_only_where_they_are_asked_for() -> None:
    assert score_one("rouge-1", "dogs running", "dog runs") == 0
    assert score_one("rouge-1:stem=true", "dogs running", "dog runs") == 1
    assert score_one("rouge-l:stem=true,ascii=false", "dogs running café", "dog runs café") == 1


def test_irregular_plural_does_not_meet_a_singular_that_the_stemmer_cuts() -> None:
    """WordNet's exceptions make goose of geese, Porter makes goos of goose."""
    assert score_one("rouge-1:stem=true", "geese", "goose") == 0


def test_more_than_all_the_weight_is_refused() -> None:
    with pytest.raises(MetricError, match="from 0 to 1"):
        score_one("rouge-1:alpha=1.5", "a", "a")


@given(
    st.floats(0, 1)
    | st.integers(0, 200_000).map(lambda half: half / 200_000)
    | st.integers(0, 64).map(lambda n: n / 64)
)
def test_numbers_are_rounded_as_c_prints_them(value: float) -> None:
    assert as_printed(np.array([value])).item() == float(f"{value:.5f}")


TOKENS = st.lists(st.integers(1, 4), max_size=100)


@pytest.mark.slow
@given(st.lists(TOKENS, min_size=1, max_size=3), st.lists(TOKENS, min_size=1, max_size=3))
def test_common_subsequences_of_any_length_equal_the_tables(ours: list[list[int]], theirs: list[list[int]]) -> None:
    tokens = pl.List(pl.UInt32)
    candidates = pl.DataFrame(
        {
            "image_no": 1,
            "held_out": pl.Series([None] * len(ours), dtype=pl.UInt32),
            "caption_id": 1,
            "tokens": pl.Series(ours, dtype=tokens),
        }
    ).with_columns(pl.col("image_no").cast(pl.UInt32))
    references = pl.DataFrame(
        {"image_no": 1, "slot": range(len(theirs)), "caption_id": 2, "tokens": pl.Series(theirs, dtype=tokens)}
    )
    references = references.with_columns(pl.col("image_no", "slot").cast(pl.UInt32))
    both = sides(candidates, references)[1]
    met = meetings(both)
    expected = [(mine, other) for mine in ours for other in theirs]
    assert list(zip(*met, strict=True)) == [(i, j) for i in range(len(ours)) for j in range(len(theirs))]
    assert common_subsequences(both, met).tolist() == [plain.lcs(*pair) for pair in expected]
    found = zip(*weighted_subsequences(both, met, 1.2), strict=True)
    assert list(found) == [pytest.approx(plain.weighted_lcs(*pair)) for pair in expected]
