"""`auditor diversity` joins what compares captions of one image to the rest, or says why it cannot be had."""

from __future__ import annotations

import polars as pl
import pytest
from conftest import ingest_rows
from parts_of_diversity import local_diversity, within_image
from test_local_diversity import filled

from auditor.errors import UsageError
from auditor.store.connection import Store
from auditor.studies.diversity.settings import DiversitySettings
from auditor.studies.diversity.study import ROWS, diversity
from auditor.studies.words import missed_words

HUMANS = {"p": ["a dog runs", "the dog", "a cat"], "q": ["two cats sit", "cats", "a dog"], "r": ["a cow", "cow", "a"]}
WHOLE = DiversitySettings(draws=2, segment=2, curve=0)


def values(frame: pl.DataFrame, dataset: str, column: str = "value") -> dict:
    rows = frame.filter(pl.col("dataset") == dataset, pl.col("position").is_null())
    return dict(rows.select("statistic", column).iter_rows())


def test_one_command_gives_the_numbers_of_every_study(store: Store) -> None:
    filled(store, HUMANS, system={"p": "a dog", "q": "cats run", "r": ""})
    result = diversity(store, "system", "people", settings=WHOLE, evaluation="people")
    assert result.frame.columns == [*ROWS]
    assert result.frame.columns[:6] == ["dataset", "version", "statistic", "value", "low", "high"]
    for study, name in (
        (local_diversity(store, "system", "people", evaluation="people", settings=WHOLE), "system"),
        (within_image(store, "people", settings=WHOLE), "people"),
    ):
        joined = values(result.frame, name)
        alone = study.frame.filter(pl.col("dataset") == name)
        for statistic, value, signature in alone.select("statistic", "value", "signature").iter_rows():
            assert joined[statistic] == (None if value is None else pytest.approx(value, abs=1e-12))
            assert signature == values(result.frame, name, "signature")[statistic]
    assert result.frame["signature"].null_count() == 0
    assert values(result.frame, "system", "reason")["mbleu-4"] == "no image has 2 captions"
    assert values(result.frame, "system", "reason")["recall-5"] == "no image has such a word"
    assert "system: 1 of 3 captions without words, which recall nothing" in result.sentences


def test_without_people_there_is_no_recall_and_none_is_asked(store: Store) -> None:
    filled(store, HUMANS)
    found = values(diversity(store, "people", settings=WHOLE).frame, "people")
    assert "recall-1" not in found
    assert found["mbleu-1"] is not None


def test_a_system_of_other_images_is_refused_and_a_dataset_is_told_apart(store: Store) -> None:
    filled(store, HUMANS, system={"x.jpg": "a dog"})
    said = "system: no image in common with people: its ids look like 'x.jpg', those of people like 'p'"
    with pytest.raises(UsageError, match=said):
        diversity(store, "system", settings=WHOLE, evaluation="people")
    ingest_rows(store, [("x.jpg", 0, "a dog"), ("x.jpg", 1, "dog")], "others")
    result = diversity(store, "others", settings=WHOLE, evaluation="people")
    why = values(result.frame, "others", "reason")
    assert why["recall-1"] == why["precision"] == said.replace("system", "others")
    assert f"others: no local recall and precision: {why['precision']}" in result.sentences
    assert values(result.frame, "others")["mbleu-1"] is not None


def test_a_system_that_lacks_images_is_measured_on_the_rest_and_their_number_said(store: Store) -> None:
    filled(store, HUMANS, system={"p": "a dog"})
    result = diversity(store, "system", settings=WHOLE, evaluation="people")
    assert values(result.frame, "system")["precision"] == 1
    assert "2 images of people without a caption in system: not counted" in result.sentences


def test_fewer_tokens_than_a_segment_and_blank_captions_have_reasons(store: Store) -> None:
    filled(store, HUMANS, system={"p": "", "q": " "})
    why = values(
        diversity(store, "system", settings=DiversitySettings(draws=1), evaluation="people").frame, "system", "reason"
    )
    assert why["ttr-1"] is not None
    assert why["precision"] == "no image has such a word"


def test_references_are_drawn_equally_for_all(store: Store) -> None:
    filled(store, HUMANS, system=dict.fromkeys(HUMANS, "a dog"))
    frame = diversity(
        store, "system", "people", settings=DiversitySettings(draws=1, references=2), evaluation="people"
    ).frame
    drawn = frame.filter(pl.col("statistic").is_in(["recall-2", "mbleu-1"]))
    assert all("|k:2|seed:1|" in signature for signature in drawn["signature"])
    assert values(frame, "system")["recall-3"] is None
    with pytest.raises(UsageError, match="--references 0"):
        diversity(store, "people", settings=DiversitySettings(references=0))


def test_statistics_are_correlated_over_three_systems_and_not_over_two(store: Store) -> None:
    outputs = {"one": "a dog", "two": "a dog runs far", "three": "two cats sit on a big cow"}
    filled(store, HUMANS, **{name: dict.fromkeys(HUMANS, text) for name, text in outputs.items()})
    result = diversity(store, "one", "two", "three", "people", settings=WHOLE, evaluation="people")
    pairs = result.frame.filter(pl.col("statistic") == "spearman")
    assert pairs.filter(statistic_a="asl", statistic_b="types").select("value", "n").rows() == [(1, 3)]
    assert pairs["dataset"].null_count() == pairs.height
    (heatmap,) = (figure for figure in result.figures if figure.kind == "heatmap")
    assert heatmap.frame["value"].drop_nulls().min() >= 0
    assert (diversity(store, "one", "two", settings=WHOLE).frame["statistic"] != "spearman").all()


def test_fewer_captions_by_people_move_recall(store: Store) -> None:
    humans = {image: ["dog cat", "dog cow", "dog", "cat dog", "a dog"] for image in "pqr"}
    filled(store, humans, system=dict.fromkeys("pqr", "dog"))
    frame = diversity(store, "system", settings=DiversitySettings(draws=1), evaluation="people", robustness=True).frame
    moved = frame.filter(factor="people-2", statistic="recall-2").row(0, named=True)
    drawn = local_diversity(store, "system", evaluation="people", settings=DiversitySettings(references=2)).frame
    assert moved["base"] == 0  # two captions of an image have "cat"
    assert moved["value"] == values(drawn.with_columns(position=None), "system")["recall-2"] > 0
    assert frame.filter(factor="people-3", statistic="recall-5").is_empty()


def test_the_first_missed_words_of_each_ranking(store: Store) -> None:
    filled(store, HUMANS, system=dict.fromkeys(HUMANS, "a bird"))
    result = missed_words(store, "system", against="people", number=1, importance=2, minimum=1)
    assert result.frame.select("statistic", "ranking", "word", "times").rows() == [
        *(("missed", ranking, word, 1) for ranking, word in result.frame.filter(statistic="missed")
          .select("ranking", "word").rows()),
        *(("unsupported", ranking, "bird", 3) for ranking in
          ("unsupported", "unsupported-relative", "unsupported-floor")),
    ]  # fmt: skip
    assert result.frame["rank"].to_list() == [1] * 6
