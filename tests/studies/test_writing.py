"""Captions in other scripts and languages: what cannot read them gives no scores, and what is to be done is said."""

from __future__ import annotations

import polars as pl
import pytest
from conftest import ingest_rows

from auditor import registry
from auditor.errors import MetricError
from auditor.registry import MetricRequest, request
from auditor.store.connection import Store
from auditor.store.versions import resolve
from auditor.studies.scores import score
from auditor.studies.writing import unreadable, unspaced

CHINESE = [
    ("a", 0, "一只狗在草地上跑"),
    ("a", 1, "一只狗跑过草地 iPhone"),
    ("b", 0, "两个人骑车"),
    ("b", 1, "两个人在骑自行车"),
]
RUSSIAN = [("a", 0, "собака бежит"), ("a", 1, "собака бежит по траве"), ("b", 0, "люди едут"), ("b", 1, "два человека")]
ENGLISH = [("a", 0, "a dog runs"), ("a", 1, "日本 a dog"), ("b", 0, "two men"), ("b", 1, "a café")]


@pytest.fixture
def meteor() -> MetricRequest:
    return registry.defaults_of(registry.METRICS["meteor"])


def test_rouge_of_latin_letters_is_no_default_for_other_scripts(store: Store) -> None:
    ingest_rows(store, RUSSIAN)
    result = score(store, "set", ["rouge-1:ascii=false"])
    assert (result.frame.filter(pl.col("image") == "a")["value"] > 0).all()
    with pytest.raises(MetricError, match=r"no rouge-1: .*not in Latin letters: ascii=false"):
        score(store, "set", ["rouge-1"])
    left = score(store, "set")
    assert any("rouge-1" in note and "not in Latin letters" in note for note in left.notes)
    assert "rouge-1" not in left.frame["metric"].unique()
    assert "bleu-1" in left.frame["metric"].unique()


def test_meteor_is_refused_for_other_letters_and_languages(store: Store, meteor: MetricRequest) -> None:
    ingest_rows(store, CHINESE, dataset="zh")
    ingest_rows(store, ENGLISH, dataset="en")
    ingest_rows(store, ENGLISH, dataset="nl")
    store.execute("update dataset set language = 'nl-BE' where dataset = 'nl'")
    assert "not in Latin letters" in unreadable(store, resolve(store, "zh"), [meteor])["meteor"]
    assert "declared as nl-BE" in unreadable(store, resolve(store, "nl"), [meteor])["meteor"]
    assert unreadable(store, resolve(store, "en"), [meteor, request("rouge-l")]) == {}


def test_scripts_without_blanks_are_seen_and_the_profile_is_named(store: Store) -> None:
    for name, rows in (("zh", CHINESE), ("en", ENGLISH), ("ru", RUSSIAN)):
        ingest_rows(store, rows, dataset=name)
    said = unspaced(store, resolve(store, "zh"))
    assert said is not None
    assert said.startswith("zh: 4 of 4 captions")
    assert "--profile char" in said
    assert unspaced(store, resolve(store, "en")) is None
    assert unspaced(store, resolve(store, "ru")) is None


def test_characters_are_what_metrics_count(store: Store) -> None:
    ingest_rows(store, CHINESE)
    words, characters = (
        score(store, "set", ["bleu-1"], text_profile=profile).frame["value"] for profile in ("bare", "char")
    )
    assert (characters > words).all()
