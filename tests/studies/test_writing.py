"""Captions in other scripts and languages: what cannot read them gives no scores, and what is to be done is said."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from conftest import ingest_rows, searching_for

from auditor.errors import MetricError
from auditor.model import Gate
from auditor.scoring import registry
from auditor.scoring.registry import MetricRequest, request
from auditor.scoring.scores import unreadable
from auditor.store import captions as selected
from auditor.store.captions import Captions, chosen_tokenizer, unspaced
from auditor.store.connection import Store
from auditor.store.versions import resolve
from auditor.store.workspace import Workspace
from auditor.studies.bounds.study import bounds
from auditor.studies.check.study import check
from auditor.studies.diff import diff
from auditor.studies.diversity.study import diversity
from auditor.studies.profile import profile
from auditor.studies.report.card import card
from auditor.studies.report.request import ReportSettings
from auditor.studies.report.study import report
from auditor.studies.score.study import score

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
    result = score(store, "set", metrics=["rouge-1:ascii=false"])
    assert (result.frame.filter(pl.col("image") == "a")["value"] > 0).all()
    with pytest.raises(MetricError, match=r"rouge-1 not available: .*not in Latin letters; set ascii=false"):
        score(store, "set", metrics=["rouge-1"])
    left = score(store, "set")
    assert any("rouge-1" in note and "not in Latin letters" in note for note in left.sentences)
    assert "not in Latin letters" in left.frame.filter(metric="rouge-1")["reason"].item()
    assert left.frame.filter(metric="bleu-1")["reason"].null_count() == left.frame.filter(metric="bleu-1").height


def test_meteor_is_refused_for_other_letters_and_languages(store: Store, meteor: MetricRequest) -> None:
    ingest_rows(store, CHINESE, dataset="zh")
    ingest_rows(store, ENGLISH, dataset="en")
    ingest_rows(store, ENGLISH, dataset="nl")
    store.execute("update dataset set language = 'nl-BE' where dataset = 'nl'")
    assert "not in Latin letters" in unreadable(Captions(store, resolve(store, "zh"), "bare"), [meteor])["meteor"]
    assert "declared as nl-BE" in unreadable(Captions(store, resolve(store, "nl"), "bare"), [meteor])["meteor"]
    assert unreadable(Captions(store, resolve(store, "en"), "bare"), [meteor, request("rouge-l")]) == {}


def test_scripts_without_blanks_are_seen_and_the_profile_is_named(store: Store) -> None:
    for name, rows in (("zh", CHINESE), ("en", ENGLISH), ("ru", RUSSIAN)):
        ingest_rows(store, rows, dataset=name)
    said = unspaced(store, resolve(store, "zh"))
    assert said is not None
    assert said.startswith("zh has 4 of 4 captions")
    assert "tokenizer char" in said
    assert unspaced(store, resolve(store, "en")) is None
    assert unspaced(store, resolve(store, "ru")) is None


def test_characters_are_what_metrics_count(store: Store) -> None:
    ingest_rows(store, CHINESE)
    words, characters = (
        score(store, "set", metrics=["bleu-1"], tokenizer=profile).frame["value"] for profile in ("bare", "char")
    )
    assert (characters > words).all()


JAPANESE = [
    ("a", 0, "犬が走っている"),
    ("a", 1, "草の上を犬が走る"),
    ("b", 0, "二人の男性"),
    ("b", 1, "男性が二人いる"),
]


def _filled(store: Store, **datasets: list[tuple[str, int, str]]) -> None:
    for name, rows in datasets.items():
        ingest_rows(store, rows, dataset=name)


@pytest.mark.parametrize("rows", [CHINESE, JAPANESE])
def test_captions_without_blanks_are_counted_in_characters_where_no_profile_is_named(
    store: Store, rows: list[tuple[str, int, str]]
) -> None:
    _filled(store, set=rows)
    found, named = (bounds(store, "set", metrics=["bleu-1"], tokenizer=named) for named in ("auto", "char"))
    assert "tok:char" in found.signatures["bleu-1"]
    assert found.frame.equals(named.frame)
    assert found.sentences[0].startswith("tokenizer char splits text into characters: set has 4 of 4 captions")
    assert not any("tokenizer char" in note for note in named.sentences)
    assert "tok:bare" in bounds(store, "set", metrics=["bleu-1"], tokenizer="bare").signatures["bleu-1"]


@pytest.mark.parametrize("language", ["zh", "zh-CN", "JA", "th", "lo", "km", "my-MM"])
def test_declared_language_chooses_the_profile(store: Store, language: str) -> None:
    _filled(store, set=ENGLISH)
    assert chosen_tokenizer(store, ["set"]) == ("bare", [])
    store.execute("update dataset set language = $language", {"language": language})
    profile, (note,) = chosen_tokenizer(store, ["set"])
    assert profile == "char"
    assert f"set is declared as {language}" in note


def test_other_languages_and_datasets_that_only_lie_beside_stay_with_words(store: Store) -> None:
    _filled(store, zh=CHINESE, en=ENGLISH, ru=RUSSIAN)
    for name in ("en", "ru"):
        found = profile(store, name)
        assert not any("tokenizer char" in note for note in found.sentences)
        assert found.frame.equals(profile(store, name, tokenizer="bare").frame)


def test_one_profile_is_for_all_where_both_sorts_meet(store: Store) -> None:
    _filled(store, zh=CHINESE, en=[("a", 0, "a dog runs"), ("a", 1, "a dog"), ("b", 0, "two men"), ("b", 1, "men")])
    found = profile(store, "zh", "en")
    assert found.sentences[0].endswith("; it is also used for en, to keep tokens comparable")
    own = pl.col("dataset") == "en"
    assert found.frame.filter(own).equals(profile(store, "en", tokenizer="bare").frame)


def test_settings_without_a_profile_choose_one_too(store: Store) -> None:
    _filled(store, set=CHINESE)
    found = diversity(store, "set")
    assert found.frame["tokenizer"].drop_nulls().unique().to_list() == ["char"]
    assert found.sentences[0].startswith("tokenizer char")
    document = report(store, "set", sections=["facts"])
    assert any(note.startswith("tokenizer char") for section in document.sections for note in section.notes)
    assert diff(store, "set", "set", depth="drift").sentences[0].startswith("tokenizer char")


def test_gates_follow_the_rule_dataset_by_dataset_and_say_so(store: Store) -> None:
    _filled(store, zh=CHINESE, en=ENGLISH)
    demanded = [
        Gate(None, tuple(name.split(".")), 0, Path("datasets.toml")) for name in ("length.asl.min", "msttr.min")
    ]
    result = check(store, gates=demanded)
    of = {dataset: rows for (dataset,), rows in result.frame.partition_by("dataset", as_dict=True).items()}
    means = {name: profile(store, name).frame.filter(statistic="asl")["value"].item() for name in of}
    assert {name: rows.filter(gate="length.asl.min")["value"].item() for name, rows in of.items()} == means
    assert "tok:char" in of["zh"].filter(gate="msttr.min")["signature"].item()
    assert "tok:bare" in of["en"].filter(gate="msttr.min")["signature"].item()
    assert [note for note in result.sentences if "tokenizer" in note] == [
        "tokenizer char splits text into characters: zh has 4 of 4 captions in scripts without spaces between words"
    ]


@searching_for("markup")
def test_card_says_which_tokens_its_statistics_are_of(store: Store) -> None:
    _filled(store, zh=CHINESE, en=ENGLISH)
    said = {}
    for name in ("zh", "en"):
        made = card(store, name, settings=ReportSettings(("bleu-1",)))
        (said[name],) = (one.notes for one in made.sections if one.name == "statistics")
        assert f"tok:{'char' if said[name] else 'bare'}" in made.signatures["bleu-1"]
    assert said["zh"][0].startswith("tokenizer char splits text into characters: zh has 4 of 4")
    assert said["en"] == ()


def test_writing_is_counted_once_for_a_version_and_by_split(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.duckdb"
    rows = [*CHINESE, ("c", 0, "a dog runs"), ("c", 1, "a dog")]
    with Store.open(path, write=True) as store:
        ingest_rows(store, rows, splits={"train": ["a", "b"], "test": ["c"]})
    counted = []
    plain = Workspace.rows

    def watched(at_work: Workspace, name: str) -> pl.DataFrame:
        counted.append(name)
        return plain(at_work, name)

    monkeypatch.setattr(Workspace, "rows", watched)
    with Store.open(path) as store:
        assert chosen_tokenizer(store, ["set:train"])[0] == "char"
    assert counted == ["script_count"]
    with Store.open(path) as store:
        assert chosen_tokenizer(store, ["set"])[0] == "char"
        assert chosen_tokenizer(store, ["set:test"])[0] == "bare"
    assert counted == ["script_count"]


def test_captions_are_not_looked_at_where_the_store_holds_no_such_letter(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    _filled(store, ru=RUSSIAN)
    monkeypatch.setattr(selected, "script_counts", lambda *_: pytest.fail("counted"))
    assert chosen_tokenizer(store, ["ru"]) == ("bare", [])
