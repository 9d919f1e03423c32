"""Several judgement sets give one table: metrics and raters against the same truth, whatever raters did at each."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl
import pytest
from conftest import ingest_rows
from scipy import stats

from auditor.cli.app import app
from auditor.errors import UsageError
from auditor.model import Part, Source
from auditor.store.connection import Store
from auditor.studies.agree import agree, trust
from auditor.studies.agree.trust import Place
from auditor.studies.consensus import half_marks
from auditor.studies.ingest import ingest_sources

WORDS = ("dog", "cat", "bird", "fish", "cow", "hen", "horse", "sheep")
REFERENCES = [
    (f"i{n}", slot, f"a {word} {verb}") for n, word in enumerate(WORDS) for slot, verb in ((0, "runs"), (1, "sits"))
]
QUICK: dict[str, Any] = {"resamples": 60}


def ingest(store: Store, folder: Path, name: str, kind: str, table: str) -> None:
    path = folder / f"{name}.csv"
    path.write_text(table, encoding="utf-8")
    layout = "votes" if kind == "pairs" else "judgements"
    ingest_sources(store, [Source(name, kind, layout, (Part((path,)),), related=("set",))])  # type: ignore[arg-type]


@pytest.fixture
def sets(store: Store, tmp_path: Path) -> Store:
    ingest_rows(store, REFERENCES, "set")
    good, bad = [f"a {word} runs there" for word in WORDS], [f"the {word} is blue" for word in WORDS]
    lines = [(f"i{n}", text, judge, score + (n + shift) % 2) for texts, score in ((good, 3), (bad, 1))
             for n, text in enumerate(texts) for judge, shift in (("ann", 0), ("bob", n // 4))]  # fmt: skip
    ingest(store, tmp_path, "stars", "judgements", "image,caption,judge,score\n" + rows(lines))
    lines = [
        (f"i{n}", text, share + n % 2 / 3, 3)
        for texts, share in ((good, 2 / 3), (bad, 0))
        for n, text in enumerate(texts)
    ]
    ingest(store, tmp_path, "crowd", "judgements", "image,caption,human_score,votes\n" + rows(lines))
    lines = [(f"i{n}", good[n], bad[n], "HC" if n < 4 else "MM", 5 - n % 3, n % 3) for n in range(len(WORDS))]
    ingest(store, tmp_path, "sides", "pairs", "image,b,c,category,votes_b,votes_c\n" + rows(lines))
    return store


def rows(lines: list[Any]) -> str:
    return "".join(",".join(map(str, line)) + "\n" for line in lines)


def test_each_set_has_its_ceiling_and_the_share_that_metrics_reach(sets: Store) -> None:
    found = agree(sets, "stars", "crowd", "sides", metrics=["bleu-1", "ter"], **QUICK)
    (table,) = found.tables
    assert table.frame["set"].to_list() == ["stars", "crowd", "sides HC", "sides MM"]
    frame, alone = found.frame, agree(sets, "stars", metrics=["bleu-1", "ter"], **QUICK).frame
    pooled = alone.filter(protocol="pooled", statistic="spearman", candidates="all")
    stars = {row["metric"]: row for row in frame.filter(dataset="stars").iter_rows(named=True)}
    for row in pooled.iter_rows(named=True):
        sign = -1 if row["metric"] == "ter" else 1
        assert stars[row["metric"]]["value"] == pytest.approx(sign * row["value"])
        ends = [abs(stars[row["metric"]][end]) for end in ("low", "high")]
        assert ends == pytest.approx(sorted(abs(row[end]) for end in ("low", "high")))
    ceiling = alone.filter(statistic="ceiling", protocol="pooled")["value"].item()
    assert stars["human"]["value"] == stars["ter"]["ceiling"] == pytest.approx(ceiling)
    assert stars["ter"]["share"] == pytest.approx(stars["ter"]["value"] / ceiling)
    votes = [vote for share in [2, 3] * 4 + [0, 1] * 4 for vote in [1] * share + [0] * (3 - share)]
    others = [(share - vote) / 2 for share in [2, 3] * 4 + [0, 1] * 4 for vote in [1] * share + [0] * (3 - share)]
    crowd = frame.filter(dataset="crowd", metric="human").row(0, named=True)
    assert crowd["value"] == pytest.approx(stats.spearmanr(votes, others).statistic)
    assert crowd["n"] == 48
    sides = frame.filter(dataset="sides", metric="bleu-1")
    assert sides["statistic"].to_list() == ["half-accuracy"] * 2
    assert found.lead == (found.lead[0],)
    assert found.lead[0].startswith("Trust bleu-1 on stars")


def test_captions_that_are_a_reference_are_counted_and_left_out_by_the_declared_rule_of_a_set(
    sets: Store, tmp_path: Path
) -> None:
    copies = [(f"i{n}", f"a {word} runs", f"a {word} flies", "HC", 5, 1) for n, word in enumerate(WORDS[:3])]
    more = [(f"i{n}", f"a {word} runs fast", f"a {word} flies", "HC", 5, 1) for n, word in enumerate(WORDS[3:], 3)]
    ingest(sets, tmp_path, "copies", "pairs", "image,b,c,category,votes_b,votes_c\n" + rows([*copies, *more]))
    source = Source("copies", "pairs", "votes", (), related=("set",))  # type: ignore[arg-type]
    kept = agree(sets, "stars", "copies", metrics=["bleu-1"], **QUICK, config={"copies": source})
    declared = Source("copies", "pairs", "votes", (), related=("set",), leaves_out="own-references")  # type: ignore[arg-type]
    fewer = agree(sets, "stars", "copies", metrics=["bleu-1"], **QUICK, config={"copies": declared})
    assert [one.frame.filter(dataset="copies", metric="bleu-1")["n"].item() for one in (kept, fewer)] == [8, 5]
    assert any("3 pairs have a caption identical" in one and one.endswith("left out") for one in fewer.sentences)
    alone = agree(sets, "copies", metrics=["bleu-1"], **QUICK, config={"copies": declared})
    assert alone.frame.filter(statistic="accuracy", kind="all")["n"].to_list() == [5]


def test_options_of_a_single_set_are_refused_for_several(sets: Store, tmp_path: Path) -> None:
    asked: list[tuple[Sequence[str], dict[str, Any], str]] = [
        (["stars", "sides"], {"protocols": ["mean"]}, "--protocol: only for ratings; leave out for several sets"),
        (["stars", "sides"], {"draws": 2}, "--draws: only for pairs and triplets; leave out for several sets"),
        (["stars", "sides"], {"statistics": ["pearson", "spearman"]}, "compared by one coefficient; name one"),
        (["stars", "crowd"], {"ties": "wrong"}, "--most, --ties: only for pairs and triplets"),
        (["sides", "copies"], {"missing": "empty"}, "--statistic, --scale, --missing: only for ratings"),
    ]
    ingest(sets, tmp_path, "copies", "pairs", (tmp_path / "sides.csv").read_text())
    for names, options, message in asked:
        with pytest.raises(UsageError, match=message):
            agree(sets, *names, metrics=["bleu-1"], **options)


def test_one_command_prints_one_table_and_one_sentence(sets: Store, tmp_path: Path) -> None:
    path = tmp_path / "audit.duckdb"
    with Store.open(path, write=True) as store:
        ingest_rows(store, REFERENCES, "set")
        for name, kind in (("stars", "judgements"), ("sides", "pairs")):
            ingest(store, tmp_path, name, kind, (tmp_path / f"{name}.csv").read_text())
    app(["agree", "stars", "sides", "-m", "bleu-1", "--resamples", "60", "--store", str(path), "-q", "-o", "o.json"],
        standalone_mode=False)  # fmt: skip
    made = json.loads(Path("o.json").read_text())["auditor.agree/v3"]
    assert {row["kind"] for row in made["rows"]} == {None, "HC", "MM"}
    assert len(agree(sets, "stars", "sides", metrics=["bleu-1"], **QUICK).tables) == 1


@pytest.mark.parametrize(("votes_b", "votes_c"), [(3, 2), (0, 4), (1, 1), (2, 5)])
def test_metric_is_compared_with_every_half_of_the_votes(votes_b: int, votes_c: int) -> None:
    labels = {"b": 1, "c": -1, "tied": 0}
    pair = {"kind": "HC", "image": "a", "votes_b": votes_b, "votes_c": votes_c, **labels}
    row = half_marks(pl.DataFrame([pair]), list(labels), "half").row(0, named=True)
    votes = [1] * votes_b + [-1] * votes_c
    drawn = [sum(half) for half in combinations(votes, len(votes) - len(votes) // 2)]
    for label, choice in labels.items():
        marks = [0.5 if not choice else float(choice * lead > 0) for lead in drawn if lead]
        assert row[label] == pytest.approx(sum(marks) / len(drawn))
    assert row["whole"] == pytest.approx(sum(map(bool, drawn)) / len(drawn))


class Named(NamedTuple):
    """What is read of a selection and its version."""

    dataset: str
    version: Any = "1"
    split: None = None

    @property
    def label(self) -> str:
        return self.dataset

    pinned_name = label


def place(name: str, values: dict[str, float], seed: int) -> Place:
    draws = np.random.default_rng(seed)
    drawn = {label: value + 0.02 * draws.standard_normal(200) for label, value in values.items()}
    selection: Any = Named(name, Named(name))
    return Place(selection, selection, None, "half-accuracy", 0.5, 100, 100, values, drawn, {})


def test_metrics_that_change_places_are_named_and_chance_rarely_is() -> None:
    here = place("here", {"human": 0.9, "a": 0.85, "b": 0.7, "c": 0.6}, 1)
    there = place("there", {"human": 0.9, "a": 0.6, "b": 0.8, "c": 0.58}, 2)
    result = trust.compared([here, there], [], 0.95)
    changes = result.frame.filter(statistic="changes-places").select(
        "metric", "other", "dataset", "other_dataset", "p_holm"
    )
    assert changes.rows()[0][:4] == ("a", "b", "here", "there")
    assert changes.rows()[0][4] < 0.001
    assert "a is better on here, b on there" in str(result.tables[0].caption)
    assert result.lead == ("Trust a on here; b on there.",)
    found = 0
    for seed in range(200):  # a is better at one set, and equal at three
        noise = 0.02 * 2**0.5 * np.random.default_rng(seed).standard_normal(4)
        places = [place(str(at), {"human": 0.9, "a": 0.7 + shift, "b": 0.7}, 10 * seed + at)
                  for at, shift in enumerate([0.3, *noise[1:]])]  # fmt: skip
        found += trust._changes(places, ["a", "b"])[0]["p"] < 0.05 if any(noise[1:] < 0) else 0
    assert found <= 20  # 5% of 200, and twice its error


def test_set_without_a_second_rater_has_no_ceiling(store: Store, tmp_path: Path) -> None:
    ingest_rows(store, REFERENCES, "set")
    for name in ("one", "two"):
        lines = [(f"i{n}", f"a {word} {name}", n % 3) for n, word in enumerate(WORDS)]
        ingest(store, tmp_path, name, "judgements", "image,caption,human_score\n" + rows(lines))
    found = agree(store, "one", "two", metrics=["bleu-1"], **QUICK)
    assert found.lead == ("No set has a second rater, so the human ceiling is unknown.",)
    assert found.tables[0].frame["human ceiling"].to_list() == ["unknown", "unknown"]


def test_axes_of_one_table_are_sets_and_so_are_splits_of_one_dataset(store: Store, tmp_path: Path) -> None:
    ingest_rows(store, REFERENCES, "set")
    lines = [
        (f"i{n}", f"a {word} runs {judge}", judge, n % 4, (n + 1) % 4) for n, word in enumerate(WORDS) for judge in "ab"
    ]
    (tmp_path / "axes.csv").write_text("image,caption,judge,fluent,correct\n" + rows(lines))
    for axis in ("fluent", "correct"):
        part = Part((tmp_path / "axes.csv",), options={"score_col": axis})
        ingest_sources(store, [Source(axis, "judgements", "judgements", (part,), related=("set",))])
    found = agree(store, "fluent", "correct", metrics=["bleu-1"], **QUICK)
    assert found.tables[0].frame["set"].to_list() == ["fluent", "correct"]
    rated = [Place(*place(name, {"human": 0.9, "a": 0.8}, 1).__dict__.values()) for name in ("same", "same:val")]
    assert trust.compared(rated, [], 0.95).lead == ("Trust a on same and same:val.",)
    chance = place("chance", {"human": 0.5, "a": 0.5}, 1)
    assert trust.compared([chance], [], 0.95).lead == ("No set has a second rater, so the human ceiling is unknown.",)
