"""Questions with options, or answered by yes or no: what solves them without the image."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from conftest import searching_for
from small_benchmarks import items_of, sentence, with_length_cue

from auditor.papers.reproduce import reproduce
from auditor.result import Result
from auditor.store.connection import Store
from auditor.studies.choices import choices
from auditor.studies.choices.rows import items_in_words
from auditor.studies.findings import findings
from auditor.studies.ingest import ingest
from auditor.studies.report import report

FIFTH = 0.2


def asked(store: Store, tmp_path: Path, records: Sequence[dict[str, Any]], **settings: Any) -> Result:
    path = tmp_path / "asked.jsonl"
    path.write_text("\n".join(map(json.dumps, records)))
    ingest(store, "asked", files=[path], file_format="choices")
    return choices(store, "asked", metrics=(), **settings)


def of_options(seed: int, items: int = 300, at_second: float = FIFTH) -> list[dict[str, Any]]:
    """Write questions with five options, of which the second is right in so many items."""
    draw = random.Random(seed)
    records = []
    for number in range(items):
        place = 1 if draw.random() < at_second else draw.choice([0, 2, 3, 4])
        options = draw.sample([sentence(draw) + f" {word}" for word in ("now", "then", "here", "there", "soon")], 5)
        records.append({
            "image": f"{number % (items // 2)}.jpg", "question": sentence(draw), "options": options,
            "answer": "ABCDE"[place],
        })  # fmt: skip
    return records


def yes_or_no(seed: int, items: int = 300, telling: bool = False) -> list[dict[str, Any]]:
    """Write questions as often answered by yes as by no; where it tells, one word is in those with yes."""
    draw = random.Random(seed)
    return [
        {
            "image": f"{number // 2}.jpg",
            "question": f"is {'surely ' if telling and number % 2 else ''}{sentence(draw)}",
            "answer": ("no", "yes")[number % 2],
        }
        for number in range(items)
    ]


def values(result: Result, column: str = "accuracy") -> dict[str, Any]:
    return dict(result.frame.filter(pl.col("part") != "blind-fair").select("scorer", column).iter_rows())


def decided(result: Result) -> list[str]:
    return [one.kind for one in result.findings if one.kind.startswith("benchmark-decided-by-")]


def test_five_options_by_hand(store: Store, tmp_path: Path) -> None:
    one = {"image": "a.jpg", "question": "what", "options": ["a dog", "a", "a dog ", "cats", "dog a"], "answer": "B"}
    other = {**one, "image": "b.jpg", "options": ["cats", "a dog", "one cat"], "answer": "one cat"}
    answers = tmp_path / "answers.csv"
    result = asked(store, tmp_path, [one, other], answers=answers)
    # The shortest is right, then the longest; chance is the mean of 1/5 and 1/3.
    assert values(result)["shorter"] == values(result)["longer"] == 0.5
    assert values(result, "expected")["shorter"] == pytest.approx((1 / 5 + 1 / 3) / 2)
    # The best constant answer is "a": right where it is offered, a guess among three where it is not.
    assert values(result, "majority")["shorter"] == pytest.approx((1 + 1 / 3) / 2)
    rows = pl.read_csv(answers)
    assert rows.select("question", "right_text", "shorter/right", "shorter/wrong").row(0) == ("what", "a", -1, -4)


def test_position_is_found_and_the_fair_subset_has_each_rank_equally_often(store: Store, tmp_path: Path) -> None:
    result = asked(store, tmp_path, of_options(1, at_second=0.6))
    assert decided(result) == ["benchmark-decided-by-position"]
    assert values(result)["position-prior"] == pytest.approx(0.6, abs=0.1)
    fair = result.frame.filter(part="blind-fair", scorer="position-prior")
    assert fair["accuracy"].item() == pytest.approx(FIFTH, abs=0.05)


def test_balanced_answers_are_a_control_and_a_telling_word_is_found(store: Store, tmp_path: Path) -> None:
    clean = asked(store, tmp_path, yes_or_no(1))
    assert values(clean)["shorter"] == values(clean)["longer"] == values(clean, "majority")["shorter"] == 0.5
    assert "bag-of-words" not in values(clean)
    assert decided(clean) == []
    told = asked(store, tmp_path, yes_or_no(1, telling=True))
    assert values(told)["question-ngrams"] > 0.9
    assert decided(told) == ["benchmark-decided-by-words", "benchmark-decided-by-question"]


def test_blind_scorers_are_compared_with_the_best_constant_answer(store: Store, tmp_path: Path) -> None:
    """Always no is right in 80 of 140 items (57.1%), and so is a rule that prefers it."""
    records = [
        {"image": f"{n}.jpg", "question": f"is it {n * 7 % 11}", "answer": "no" if n % 7 < 4 else "yes"}
        for n in range(140)
    ]
    result = asked(store, tmp_path, records)
    best = result.frame.filter(part="asked", scorer=result.frame["best_blind"][0]).row(0, named=True)
    assert best["majority"] == pytest.approx(4 / 7)
    assert "50% expected by chance; the best constant answer gets 57.1%)" in result.lead[0]


@pytest.mark.parametrize(("scorer", "why"), [("learnt", "only train it"), ("clip", "have no score by it")])
def test_items_that_are_left_out_are_counted_with_the_reason(scorer: str, why: str) -> None:
    row = {"n": 5_967, "missing": 638, "scorer": scorer}
    assert items_in_words(row) == f"5,967 of 6,605 items (the others {why})"
    assert items_in_words({**row, "missing": 0}) == "the 5,967 items"


@pytest.mark.parametrize("seed", range(2, 5))
def test_shuffled_questions_are_clean(store: Store, tmp_path: Path, seed: int) -> None:
    assert decided(asked(store, tmp_path, of_options(seed))) == []


def test_board_has_every_benchmark_in_the_store_and_names_the_others(store: Store, tmp_path: Path) -> None:
    asked(store, tmp_path, yes_or_no(1))
    result = reproduce(store, "blind-board")
    board = next(table for table in result.page if table.name == "board").frame
    assert board.select("benchmark", "items", "chance", "length", "found").rows() == [("asked", 300, 0.5, 0.5, "none")]
    assert "tvbench is not in the store: `auditor ingest tvbench`" in result.frame["reason"].to_list()


@searching_for("benchmark-decided-by-length", "benchmark-decided-by-words", "common-skeletons", "markup")
def test_report_and_card_have_the_findings_on_a_benchmark_that_no_dataset_describes(
    store: Store, tmp_path: Path
) -> None:
    items_of(store, tmp_path, with_length_cue(1, share=0.9, items=120, images=60))
    listed = findings(store, "bench").findings
    assert "benchmark-decided-by-length" in {finding.kind for finding in listed}
    page = report(store, "bench", timed=False, browse=False)
    assert next(section for section in page.sections if section.name == "findings").findings == listed
    assert page.answer[0].startswith("bench has 2 errors (Benchmark solvable by length")
    assert "Without the image, `" in page.answer[1]
    words = " ".join(note for section in page.sections for note in section.notes)
    assert "run `auditor choices bench --against DATASET`" in words
    assert report(store, "bench", card=True).findings == listed
