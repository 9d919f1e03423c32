"""Items with two right captions: an item is right only if both score higher than the wrong one."""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from small_benchmarks import captions_of, items_of, row, sentence

from auditor.errors import SourceError
from auditor.result import Result
from auditor.store.connection import MEMORY, Store
from auditor.studies.choices import choices
from auditor.studies.choices.rows import SYSTEM, Scored, marks, of_sides, ranks
from auditor.studies.diff import diff
from auditor.studies.export import export
from auditor.studies.ingest import ingest

THIRD = 1 / 3

PLUS = [
    ("1.jpg", "a red dog runs", "a dog that is red runs", "a blue dog runs"),
    ("2.jpg", "a boy holds a girl", "the girl is held by a boy", "a girl holds a boy"),
    ("3.jpg", "a house", "there is a house on the green hill", "a house on a hill"),
]
SET = [
    ("1.jpg", "a red dog runs"), ("1.jpg", "a red dog is running"), ("2.jpg", "a boy holds a girl"),
    ("2.jpg", "the girl is held by a boy"), ("2.jpg", "two children"), ("3.jpg", "a house"), ("3.jpg", "one house stands"),
    ("8.jpg", "a dog runs"), ("9.jpg", "a girl and a boy"),
]  # fmt: skip


def plus_of(store: Store, folder: Path, items: Sequence[tuple[str, str, str, str]], name: str = "bench") -> str:
    """Ingest items as SugarCrepe++ has them: image, right, second right, wrong."""
    keys = ("filename", "caption", "caption2", "negative_caption")
    path = folder / "swap.json"
    path.write_text(json.dumps([{"id": at, **dict(zip(keys, item, strict=True))} for at, item in enumerate(items)]))
    ingest(store, name, files=[path])
    return name


@pytest.fixture
def asked(store: Store, tmp_path: Path) -> Store:
    captions_of(store, SET)
    plus_of(store, tmp_path, PLUS)
    return store


def given(store: Store, tmp_path: Path, text: str, **more: Any) -> Result:
    path = tmp_path / "clip.csv"
    path.write_text(text)
    return choices(store, "bench", metrics=(), scores=[path], **more)


def drawn(seed: int, items: int = 300) -> list[tuple[str, str, str, str]]:
    """Draw items of which nothing tells which caption is wrong."""
    draw = random.Random(seed)
    return [(f"{at % 150}.jpg", sentence(draw), sentence(draw), sentence(draw)) for at in range(items)]


def test_marks_of_all_orders_and_ties_are_worth_what_chance_is() -> None:
    every = [*itertools.product((0.0, 1.0, 2.0), repeat=3)]
    right, second, wrong = (list(side) for side in zip(*every, strict=True))
    numbers = range(len(every))
    items = pl.DataFrame({"item_no": numbers, "part": "p", "image": "i", "right2_id": 1, "options": 3}).cast(
        {"item_no": pl.UInt32}
    )
    scores = pl.DataFrame({"item_no": numbers, "right": right, "right2": second, "wrong": wrong}).cast(
        {"item_no": pl.UInt32}
    )
    marked = marks(ranks(items, [Scored("x", SYSTEM, "scores", of_sides(scores, items))]))
    assert marked["x"].mean() == pytest.approx(THIRD)
    assert set(marked["expected"]) == {THIRD}
    for low, high, other, mark in zip(right, second, wrong, marked["x"], strict=True):
        # A guess among those that tie, where none is lower than the wrong one.
        ties = (low == other) + (high == other)
        assert mark == (0 if min(low, high) < other else 1 / (1 + ties))


def test_both_right_captions_must_win(asked: Store, tmp_path: Path) -> None:
    result = given(asked, tmp_path, "item,right,right2,wrong\nswap/0,3,2,1\nswap/1,3,1,2\nswap/2,2,1,1\n")
    clip = row(result.frame, "clip")
    assert (clip["right"], clip["wrong"], clip["ties"], clip["accuracy"], clip["expected"]) == (1, 1, 1, 0.5, THIRD)
    shorter, longer = row(result.frame, "shorter"), row(result.frame, "longer")
    # Only the first item has a wrong caption that is longer than one right caption and shorter than the other.
    assert (shorter["right"], longer["right"]) == (0, 0)


def test_page_states_that_chance_is_a_third(store: Store, tmp_path: Path) -> None:
    marked = [(image, right, second, f"{wrong} surely") for image, right, second, wrong in drawn(1)]
    plus_of(store, tmp_path, marked)
    result = choices(store, "bench")
    assert "chance is 1/3: both right captions must score higher" in str(result.table("choices").caption)
    assert row(result.frame, "learnt")["accuracy"] == 1.0
    (found,) = result.found("benchmark-decided-by-words")
    assert "33% expected by chance" in found.sentence


def test_captions_with_the_words_of_the_wrong_one_tie_with_it(asked: Store) -> None:
    result = choices(asked, "bench", metrics=())
    bags = row(result.frame, "bag-of-words")
    # "a boy holds a girl" has the words of "a girl holds a boy", the other right caption has not: half right.
    assert (bags["right"], bags["ties"], bags["accuracy"]) == (2, 1, pytest.approx(2.5 / 3))
    (found,) = result.found("order-blind-ceiling")
    assert "a wrong caption of 1 of 3 items has the same words as a right one" in found.sentence


def test_metrics_hold_out_a_right_caption_and_say_which_items_they_cannot_score(asked: Store) -> None:
    result = choices(asked, "bench", against="set", metrics=["bleu-1"])
    bleu = row(result.frame, "bleu-1")
    # Of 2.jpg both right captions are references: whichever is held out, the other would meet itself.
    assert (bleu["n"], bleu["missing"]) == (2, 1)
    assert any(note.startswith("bleu-1 scores 2 of 3 items") for note in result.notes)


class TestScoresFromElsewhere:
    """A file of scores or answers."""

    def test_answers_are_of_the_item(self, asked: Store, tmp_path: Path) -> None:
        clip = row(given(asked, tmp_path, "item,correct\nswap/0,1\nswap/1,0\nswap/2,.5\n").frame, "clip")
        assert (clip["right"], clip["wrong"], clip["ties"], clip["accuracy"]) == (1, 1, 1, 0.5)

    def test_captions_name_items(self, asked: Store, tmp_path: Path) -> None:
        lines = ["filename,caption,negative_caption,right_score,right2_score,wrong_score"]
        lines += [f"{image},{right},{wrong},3,2,1" for image, right, _, wrong in PLUS]
        assert row(given(asked, tmp_path, "\n".join(lines)).frame, "clip")["right"] == 3

    def test_file_without_the_second_score_is_refused(self, asked: Store, tmp_path: Path) -> None:
        with pytest.raises(SourceError, match="lacks column right2: items here have two right captions"):
            given(asked, tmp_path, "item,right,wrong\nswap/0,3,1\n")

    def test_item_without_the_second_score_is_named(self, asked: Store, tmp_path: Path) -> None:
        result = given(asked, tmp_path, "item,right,right2,wrong\nswap/0,3,2,1\nswap/1,3,,2\nswap/2,3,2,1\n")
        (found,) = result.found("items-without-scores")
        assert found.sentence == "clip: 1 item has no score in clip.csv: swap/1"
        assert (row(result.frame, "clip")["n"], row(result.frame, "clip")["missing"]) == (2, 1)

    def test_answers_file_has_the_second_caption(self, asked: Store, tmp_path: Path) -> None:
        path = tmp_path / "answers.csv"
        choices(asked, "bench", metrics=(), answers=path)
        written = pl.read_csv(path)
        assert written["right2_text"].to_list() == [second for _, _, second, _ in PLUS]
        assert written["longer/right2"].to_list() == [float(len(second)) for _, _, second, _ in PLUS]


def test_blind_fair_subset_is_a_third_right(store: Store, tmp_path: Path) -> None:
    draw = random.Random(7)
    longer = [(image, right, second, f"{wrong} at noon") for image, right, second, wrong in drawn(2)]
    plus_of(
        store, tmp_path, [one if draw.random() < 0.6 else other for one, other in zip(longer, drawn(2), strict=True)]
    )
    result = choices(store, "bench")
    assert row(result.frame, "shorter")["accuracy"] > 0.45
    fair = result.frame.filter(part="blind-fair", kind="blind")
    assert set(fair["chance"]) == {"no different"}
    assert row(result.frame, "shorter", "blind-fair")["accuracy"] == pytest.approx(THIRD, abs=0.03)


def test_clean_benchmarks_bring_no_finding(tmp_path: Path) -> None:
    for seed in range(4):
        with Store.open(MEMORY) as store:
            plus_of(store, tmp_path, drawn(seed))
            result = choices(store, "bench")
        assert not result.findings
        assert row(result.frame, "first-in-the-alphabet")["chance"] == "no different"


def test_one_and_two_right_captions_in_one_benchmark(store: Store, tmp_path: Path) -> None:
    path = tmp_path / "mixed.jsonl"
    records = [
        {
            "item": str(image),
            "image": image,
            "right": right,
            "right2": second if image == "1.jpg" else None,
            "wrong": wrong,
        }
        for image, right, second, wrong in PLUS
    ]
    path.write_text("\n".join(map(json.dumps, records)))
    ingest(store, "bench", files=[path], file_format="choices")
    result = choices(store, "bench")
    assert row(result.frame, "longer", "mixed")["expected"] == pytest.approx((THIRD + 0.5 + 0.5) / 3)
    assert ".5 for one right caption and 1/3 for two" in str(result.table("choices").caption)


def test_items_of_one_right_caption_show_no_second(store: Store, tmp_path: Path) -> None:
    path = tmp_path / "answers.csv"
    items_of(store, tmp_path, [("swap", image, right, wrong) for image, right, _, wrong in PLUS])
    result = choices(store, "bench", answers=path)
    assert not [name for name in pl.read_csv(path).columns if "right2" in name]
    assert "chance is .5, a tie counts half" in str(result.table("choices").caption)


def test_two_right_captions_are_versioned_exported_and_read_back(store: Store, tmp_path: Path) -> None:
    plus_of(store, tmp_path, PLUS)
    plus_of(store, tmp_path, [(*PLUS[0][:2], "the red dog runs", PLUS[0][3]), *PLUS[1:]])
    assert (
        dict(diff(store, "bench@v1", "bench@v2", depth="totals").frame.select("change", "captions").iter_rows())[
            "edited"
        ]
        == 1
    )
    export(store, "bench", tmp_path / "bundle")
    with Store.open(MEMORY) as other:
        again = ingest(other, "bench", files=[tmp_path / "bundle"]).frame.row(0, named=True)
        before, after = (choices(one, "bench").frame.to_dicts() for one in (store, other))
    assert (again["read"], again["captions"]) == (3, 9)
    assert before == after
