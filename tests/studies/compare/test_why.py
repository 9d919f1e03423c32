"""What carries homogeneity: a phrase that was planted is named, with its share, and homogeneity without it is as before."""

from __future__ import annotations

import math
import random
import re
from collections import Counter

import polars as pl
import pytest
from conftest import ingest_rows

from auditor.scoring.candidate_sets import intra
from auditor.store.captions import select_all
from auditor.store.connection import Store
from auditor.studies.compare import compare

PHRASE = "seen from far away"

Rows = list[tuple[str, int, str]]


def written(images: int, seed: int) -> Rows:
    """Write five captions of each image: words of the image, and others that are frequent everywhere."""
    draw = random.Random(seed)
    usual = [f"w{number}" for number in range(300)]
    chances = [1 / (number + 2) for number in range(300)]
    rows = []
    for image in range(images):
        own = draw.choices(usual, chances, k=6)
        for slot in range(5):
            words = [draw.choice(own) if draw.random() < 0.5 else draw.choices(usual, chances)[0] for _ in range(9)]
            rows.append((f"i{image:03}", slot, " ".join(words)))
    return rows


def planted(rows: Rows, share: float, seed: int) -> Rows:
    draw = random.Random(seed)
    return [(image, slot, f"{PHRASE} {text}" if draw.random() < share else text) for image, slot, text in rows]


def grams(text: str) -> Counter[str]:
    words = text.split()
    return Counter(" ".join(words[at : at + n]) for n in range(1, 5) for at in range(len(words) - n + 1))


def clipped(text: str, references: list[str]) -> Counter[str]:
    counts = [grams(one) for one in references]
    return Counter({gram: min(n, max(one[gram] for one in counts)) for gram, n in grams(text).items()})


def truth(store: Store, rows: Rows) -> tuple[float, float]:
    """Count plainly which share of the matches of captions of other images are in the phrase, and how many open it."""
    texts = {(image, slot): text for image, slot, text in rows}
    (captions,) = select_all(store, ["planted"])
    of = intra(1)
    drawn = captions.workspace(**of.params).rows(of.file)
    every, inside, opening, having = 0, 0, 0, 0
    for image, slot, other, other_slot in drawn.select("image", "slot", "from_image", "from_slot").iter_rows():
        text = texts[other, other_slot]
        found = clipped(text, [texts[image, one] for one in range(5) if one != slot])
        every += found.total()
        inside += found[PHRASE] * grams(PHRASE).total()
        having += found[PHRASE] > 0
        opening += found[PHRASE] > 0 and text.startswith(PHRASE)
    return inside / every, opening / having


@pytest.fixture
def made(store: Store) -> tuple[Store, Rows]:
    rows = written(200, 1)
    with_phrase = planted(rows, 0.4, 2)
    ingest_rows(store, rows, "before")
    ingest_rows(store, with_phrase, "planted")
    ingest_rows(store, [(f"o{image}", slot, text) for image, slot, text in written(200, 3)], "other")
    return store, with_phrase


def test_a_planted_phrase_is_named_with_its_share_and_homogeneity_without_it_is_as_before(
    made: tuple[Store, Rows],
) -> None:
    store, rows = made
    result = compare(store, "planted", "other", metrics=["bleu-4", "cider-d"])
    of = result.frame.filter(dataset="planted", metric="bleu-4")
    first = of.filter(statistic="phrase-share").row(0, named=True)
    share, opening = truth(store, rows)
    assert first["phrase"] == PHRASE
    assert first["value"] == pytest.approx(share, abs=1e-9)
    assert of.filter(statistic="phrase-opening", phrase=PHRASE)["value"].item() == pytest.approx(opening)
    without = of.filter(statistic="homogeneity-without", phrase=PHRASE)["value"].item()
    whole = of.filter(pl.col("test").is_null(), statistic="homogeneity").row(0, named=True)

    before = compare(store, "before", "other", metrics=["bleu-4"]).frame.row(
        by_predicate=(pl.col("statistic") == "homogeneity")
        & (pl.col("dataset") == "before")
        & pl.col("test").is_null(),
        named=True,
    )
    assert before["low"] < without < before["high"] < whole["low"]
    (why,) = [sentence for sentence in result.lead if sentence.startswith("Why: ")]
    assert why.startswith(f"Why: In planted, “{PHRASE}” and 9 others carry ")
    assert result.table("phrases").frame.filter(dataset="planted")["phrase"][0] == PHRASE


def test_of_datasets_whose_phrases_carry_as_much_none_is_named(made: tuple[Store, Rows]) -> None:
    result = compare(made[0], "before", "other", metrics=["bleu-4"])
    (why,) = [sentence for sentence in result.lead if sentence.startswith("Why: ")]
    stands_out = r"Why: No phrase stands out in before: its strongest phrases carry \d+% of .* \(elsewhere \d+%\)\. "
    assert re.match(stands_out, why)
    assert "“" not in why


def test_the_error_of_a_share_is_that_of_a_ratio_over_images(made: tuple[Store, Rows]) -> None:
    of = compare(made[0], "planted", "other", metrics=["bleu-4"]).frame.filter(dataset="planted")
    first = of.filter(statistic="phrase-share", phrase=PHRASE).row(0, named=True)
    again = planted(written(200, 1), 0.4, 5)
    ingest_rows(made[0], again, "again")
    other = compare(made[0], "again", "other", metrics=["bleu-4"]).frame.filter(dataset="again")
    second = other.filter(statistic="phrase-share", phrase=PHRASE).row(0, named=True)
    assert 0 < abs(first["value"] - second["value"]) < 3 * math.hypot(first["se"], second["se"])
    assert first["se"] == pytest.approx(second["se"], rel=0.2)


def test_the_phrases_together_carry_no_more_than_all_and_no_less_than_each(made: tuple[Store, Rows]) -> None:
    frame = compare(made[0], "planted", "other", metrics=["bleu-4"], resamples=0).frame
    for _, of in frame.group_by("dataset"):
        each = of.filter(pl.col("phrase").is_not_null(), statistic="phrase-share")["value"]
        together = of.filter(pl.col("phrase").is_null(), statistic="phrase-share")["value"].item()
        assert max(each) <= together <= min(1, sum(each)) + 1e-12
        assert len(each) == 10


def test_without_bleu_nothing_is_explained(made: tuple[Store, Rows]) -> None:
    result = compare(made[0], "planted", "other", metrics=["rouge-1"], resamples=0)
    assert not [table.name for table in result.tables if table.name in ("phrases", "carried")]
    assert "phrase" not in "".join(result.frame["statistic"].unique())
