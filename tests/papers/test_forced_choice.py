"""Forced choices as published: what is missing is named with its commands, words have no order, answers may be one more."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import polars as pl
import pytest
from conftest import DATA, ingest_rows

from auditor.papers import paper
from auditor.papers.hsieh2023 import ANSWERS
from auditor.papers.reproduce import OUTSIDE, REMARK, UNANSWERED, WITHIN, reproduce
from auditor.result import Result
from auditor.store.connection import MEMORY, Store
from auditor.studies.distractors import distractors
from auditor.studies.ingest import ingest

TASKS = [
    "switch-people", "replace-person", "replace-scene", "share-person", "share-scene", "just-person", "just-scene",
    "just-scene-plus",
]  # fmt: skip

MADE_BY = (
    "`auditor distractors flickr30k:val --draw phrases -o items.csv`, then"
    " `auditor ingest flickr30k-choices --from items.csv`"
)

SAID = {
    "i0": ["a man feeds a horse", "the horse eats from a hand", "a man feeds his animal"],
    "i1": ["a farmer with his horse", "the farmer leads a pony home"],
    "i2": ["a dog runs in a barn", "a man in a barn"],
    "i3": ["two girls play", "girls with a ball"],
}

Item = tuple[str, str, str, str]


def write(folder: Path, items: Sequence[Item]) -> Path:
    file = folder / "items.csv"
    pl.DataFrame(items, schema=["part", "image", "right", "wrong"], orient="row").write_csv(file)
    return file


def figure(result: Result, metric: str, candidate: str, statistic: str) -> tuple[float | None, str]:
    rows = result.frame.filter(metric=metric, candidate=candidate, statistic=statistic, compared="value")
    value, verdict = rows.select("value", "verdict").row(0)
    return value, verdict


def flickr(store: Store) -> None:
    rows = [(image, slot, text) for image, texts in SAID.items() for slot, text in enumerate(texts)]
    ingest_rows(store, rows, "flickr30k", splits={"val": ["i0", "i1"], "train": ["i2", "i3"]})


def test_items_that_nobody_has_made_are_named_with_both_commands(store: Store) -> None:
    nothing = set(reproduce(store, "hodosh2016").frame.filter(dataset="flickr30k-choices")["reason"])
    assert "flickr30k is not in the store: `auditor ingest flickr30k`; nor is flickr30k-choices: " + MADE_BY in nothing
    flickr(store)
    result = reproduce(store, "hodosh2016")
    assert set(result.frame["verdict"]) <= {UNANSWERED, REMARK}
    assert f"flickr30k-choices is not in the store: {MADE_BY}" in set(result.frame["reason"])
    ingest_rows(store, [("i0", 0, "a man")], "flickr30k-choices")
    captions = set(reproduce(store, "hodosh2016").frame["reason"])
    assert f"flickr30k-choices contains captions, not forced-choice items: {MADE_BY}" in captions


def test_models_that_see_images_are_listed_and_never_answered(store: Store) -> None:
    rows = reproduce(store, "hodosh2016").frame.filter(pl.col("section") == "4, table 1")
    unseen = rows.filter(pl.col("reason").str.starts_with("the model needs images"))
    assert set(unseen["verdict"]) == {UNANSWERED}
    assert unseen.height == 5 * len(TASKS) - 1  # a bag of words is at chance on switched people, and any other too
    assert set(rows.filter(pl.col("metric").str.starts_with("bigram"))["candidate"]) == set(TASKS)


@pytest.fixture
def switched(store: Store, tmp_path: Path) -> Result:
    flickr(store)
    items = [
        ("switch-people", "i0", "a man feeds a horse", "a horse feeds a man"),
        ("switch-people", "i1", "a farmer with his horse", "a horse with his farmer"),
        ("just-scene", "i0", "a man feeds a horse in a barn", "a barn"),
        ("just-scene-plus", "i0", "a barn", "a man feeds a horse in a barn"),
    ]
    ingest(store, "flickr30k-choices", files=[write(tmp_path, items[1:])])
    ingest(store, "flickr30k-choices", files=[write(tmp_path, items)])
    return reproduce(store, "hodosh2016")


def test_items_of_each_task_are_counted_in_the_newest_version(switched: Result) -> None:
    assert figure(switched, "", "switch-people", "items") == (2.0, OUTSIDE)
    assert figure(switched, "", "just-scene", "items") == (1.0, OUTSIDE)
    assert figure(switched, "", "share-person", "items") == (None, UNANSWERED)


@pytest.mark.parametrize("scorer", ["bag-of-words", "bleu-1", "rouge-1", "cider:n=1"])
def test_what_sees_words_and_no_order_ties_on_switched_people(switched: Result, scorer: str) -> None:
    assert figure(switched, scorer, "switch-people", "tied") == (1.0, WITHIN)


def test_what_sees_pairs_of_words_does_not_tie(switched: Result) -> None:
    assert figure(switched, "cider", "switch-people", "tied")[1] == REMARK
    assert (figure(switched, "cider", "switch-people", "tied")[0] or 0) < 1


def test_scorers_of_the_paper_are_signed_and_no_others(switched: Result) -> None:
    pairs = {"bigram", "bigram-harmonic", "bigram-geometric"}
    assert switched.signatures.keys() == {*pairs, "bag-of-words", "bleu-1", "rouge-1", "cider:n=1", "cider"}


def test_what_goes_by_length_gets_one_task_right_and_its_converse_wrong(switched: Result) -> None:
    assert figure(switched, "bigram", "just-scene", "both-ways") == (1.0, WITHIN)
    assert figure(switched, "bigram", "just-scene-plus", "accuracy")[0] == 1.0


CREPE = [
    ("swap_att", "i0", "A white truck with a red car in it's back.", "A red truck with a white car in its back."),
    ("swap_att", "i0", "A cup of tea on a table", "a table on a cup of tea"),
    ("add_obj", "i1", "A dog.", "A dog and a cat."),
]


@pytest.fixture
def crepe(store: Store, tmp_path: Path) -> Store:
    ingest(store, "sugarcrepe", files=[write(tmp_path, CREPE)], config={})
    return store


def answers(folder: Path, items: Sequence[Item], correct: Sequence[int]) -> None:
    file = folder / "sugarcrepe" / ANSWERS
    file.parent.mkdir()
    rows = pl.DataFrame(items, schema=["part", "filename", "caption", "negative_caption"], orient="row")
    kinds = pl.col("part").str.split("_")
    rows.with_columns(
        type=kinds.list.first(), subtype=kinds.list.last(), correct=pl.Series(correct), model=pl.lit("ViT-B-32")
    ).drop("part").write_parquet(file)


def test_an_apostrophe_belongs_to_a_word_as_published_and_not_to_tokenizer_bare(crepe: Store) -> None:
    result = reproduce(crepe, "hsieh2023")
    assert figure(result, "letters-digits-apostrophes", "swap_att", "ties")[0] == 1
    assert figure(result, "bag-of-words", "swap_att", "ties")[0] == 2
    assert figure(result, "letters-digits-apostrophes", "all", "ties")[0] == 1
    assert figure(result, "letters-digits-apostrophes", "add_obj", "ties") == (0.0, WITHIN)


def test_without_answers_or_captions_of_coco_it_is_said_where_they_are_from(
    crepe: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AUDITOR_DATA", str(tmp_path))
    rows = reproduce(crepe, "hsieh2023").frame
    models = rows.filter(pl.col("metric").is_in(["ViT-B-32", "CLIP_COCO"]))
    assert models["value"].null_count() == models.height
    assert models["reason"].str.contains("SUGARCREPE_CORRECT_.*IMirandaM/BiVLC").all()
    described = rows.filter(statistic="captions")
    assert described["reason"].to_list() == ["coco-val2017 is not in the store: `auditor ingest coco-val2017`"]
    assert None not in rows.filter(verdict=UNANSWERED)["reason"]


def test_a_right_text_counts_as_a_caption_of_its_own_image_alone(crepe: Store) -> None:
    ingest_rows(crepe, [("i0", 0, CREPE[0][2]), ("i0", 1, CREPE[2][2]), ("i1", 0, "A dog")], "coco-val2017")
    assert figure(reproduce(crepe, "hsieh2023"), "", "all", "captions")[0] == 1


def test_answers_to_an_item_that_is_gone_count_where_answers_are_averaged(
    crepe: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AUDITOR_DATA", str(tmp_path))
    answers(tmp_path, [*CREPE, ("swap_obj", "i9", "A sign under a sign", "A sign over a sign")], [0, 0, 1, 1])
    result = reproduce(crepe, "hsieh2023")
    assert figure(result, "ViT-B-32", "all", "accuracy")[0] == pytest.approx(1 / 3)
    assert figure(result, "ViT-B-32", "all", "accuracy-of-answers")[0] == pytest.approx(2 / 4)
    assert figure(result, "ViT-B-32", "all", "mean-of-parts")[0] == pytest.approx((0 + 1) / 2)
    assert figure(result, "ViT-B-32", "swap_obj", "accuracy") == (None, UNANSWERED)
    assert figure(result, "ViT-B-32", "swap_obj", "accuracy-of-answers")[0] == 1


def test_datasets_of_other_kinds_hold_no_items(store: Store) -> None:
    ingest_rows(store, [("i0", 0, "a man")], "sugarcrepe")
    assert "sugarcrepe contains captions, not forced-choice items: `auditor ingest sugarcrepe`" in set(
        reproduce(store, "hsieh2023").frame["reason"]
    )


def outside(result: Result) -> list[tuple[str, str]]:
    return result.frame.filter(verdict=OUTSIDE).select("metric", "candidate").rows()


@pytest.fixture(scope="module")
def real() -> Iterator[Store]:
    if DATA is None:
        pytest.skip("the real datasets are not here: set AUDITOR_DATA to the folder that holds flickr8k/")
    with Store.open(MEMORY) as store:
        yield store


@pytest.mark.full
@pytest.mark.xdist_group("hsieh2023")
def test_sugarcrepe_comes_out_but_for_the_item_that_was_taken_out(real: Store, data: Path) -> None:
    if not (data / "sugarcrepe" / ANSWERS).exists():
        pytest.skip(f"no {ANSWERS} in {data / 'sugarcrepe'}")
    ingest(real, "sugarcrepe", "coco-val2017")
    result = reproduce(real, "hsieh2023")
    assert outside(result) == [("ViT-B-32", "swap_obj"), ("ViT-B-32", "all"), ("CLIP_COCO", "all")]
    answered = result.frame.filter(statistic="accuracy-of-answers")
    assert answered["holds"].all()
    assert set(result.frame.filter(verdict=UNANSWERED)["item"]) == {"005-07"}


@pytest.mark.full
@pytest.mark.xdist_group("hodosh2016")
@pytest.mark.usefixtures("data")
def test_6_of_16_cells_of_the_bigram_rows_come_out_and_no_count_of_items_does(real: Store, tmp_path: Path) -> None:
    ingest(real, "flickr30k")
    file = tmp_path / "items.csv"
    distractors(real, "flickr30k:val", draw="phrases", file=file)
    ingest(real, "flickr30k-choices", files=[file])
    result = reproduce(real, "hodosh2016")
    of_both = ["switch-people", "replace-person", "replace-scene"]
    assert outside(result) == [
        *(("", task) for task in TASKS),
        *(("bigram", task) for task in [*of_both, "share-scene", "just-person"]),
        *(("bigram-geometric", task) for task in [*of_both, "just-person", "just-scene"]),
    ]
    assert set(result.frame.filter(verdict=UNANSWERED)["item"]) == {"001-16", "001-17", "001-18", "001-21"}
    people = result.frame.filter(candidate="switch-people", statistic="accuracy")
    both = people.filter(pl.col("metric").is_in(["bigram", "bigram-geometric"]))["value"].to_list()
    assert both[0] == both[1]  # captions of as many words: as in the paper, and not by the harmonic mean


def test_every_figure_of_table_1_is_listed() -> None:
    table = [check for check in paper("hodosh2016").checks if "table 1" in check.section and check.remark_on is None]
    assert len(table) == 8 + 7 * 8
    assert all(check.printed for check in table)
