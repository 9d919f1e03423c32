"""No score and no statistic leaves the range that its card declares: a bug for ours, an error for a metric of the user's."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
from conftest import ingest_rows
from running import run_auditor
from sizes import some

import auditor
from auditor.errors import MetricError
from auditor.metrics.card import Metric
from auditor.ranges import in_words, statistics_within
from auditor.scoring import registry
from auditor.scoring.registry import METRICS, lacking, request
from auditor.statistics.cards import FILES, ends_of
from auditor.store.connection import Store
from auditor.studies.score import score

#: Equal captions, one word, none, a word many times, other scripts, and nothing in common.
CAPTIONS = [
    (image, slot, text)
    for image, texts in {
        "equal": ["A brown dog runs over the wet grass.", "A brown dog runs over the wet grass."],
        "short": ["dog", "dog", "a dog"],
        "none": ["...", "...", "two cats"],
        "many": ["the the the the the the", "the", "the cat the cat"],
        "other": ["日本 猫", "a café in 日本", "猫"],
        "apart": ["three birds", "people wait at a bus stop by the sea, smiling"],
    }.items()
    for slot, text in enumerate(texts)
]

CSV = "image,caption\n1.jpg,a dog\n1.jpg,two dogs\n2.jpg,a cat\n2.jpg,cats\n"


def of_settings() -> Iterator[str]:
    """Yield each metric with each value of each parameter, and with numbers at the ends of what it may be."""
    for name, metric in METRICS.items():
        if not metric.sees_images and lacking(metric) is None:
            yield name
            for key, parameter in metric.parameters.items():
                numbers = () if parameter.choices else (parameter.least or 1, min(parameter.most, 7.0))
                for value in (*parameter.choices, *map(int, numbers)):
                    yield f"{name}:{key}={str(value).lower()}"
    yield from (f"bleu-{n}:smooth=floor,floor=1" for n in (1, 4))
    yield from ("rouge-1:alpha=0", "rouge-su4:alpha=1", "cider-d:idf=none,scale=x10", "chrf:smooth=eps,scale=x100")


@pytest.mark.parametrize("number", range(4))
def test_no_setting_takes_a_score_out_of_its_range(store: Store, number: int) -> None:
    ingest_rows(store, CAPTIONS)
    asked = some([*of_settings()][number::4], 12)
    frame = score(store, "set", metrics=asked).frame
    ends = {label: metric.metric.ends(metric.settings) for metric in map(request, asked) for label in [metric.label]}
    for label, (lowest, highest) in ends.items():
        assert frame.filter(metric=label)["value"].is_between(lowest - 1e-9, highest + 1e-9).all()


@pytest.mark.parametrize(
    "name", ["bleu-4", "rouge-l", "cider-d:idf=none", "cider:idf=none,scale=x10", "chrf", "chrf:scale=x100"]
)
def test_equal_captions_reach_the_highest_value(store: Store, name: str) -> None:
    ingest_rows(store, CAPTIONS[:2])
    metric = request(name)
    assert score(store, "set", metrics=[name]).frame["value"].to_list() == pytest.approx(
        [metric.metric.ends(metric.settings)[1]] * 2
    )


def test_value_of_a_metric_of_the_user_outside_of_its_range_is_an_error_that_names_it(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "import auditor\n@auditor.metric(name='mine', lowest=0, highest=1)\n"
        "def mine(candidate, references):\n    return 1.5 if candidate == 'cats' else 1.0\n"
    )
    (tmp_path / "a.csv").write_text(CSV)
    assert run_auditor("ingest", "a", "--from", "a.csv", folder=tmp_path).returncode == 0
    ended = run_auditor("score", "a", "-m", "python:mine.mine", folder=tmp_path)
    assert ended.returncode == 5
    assert "mine: image 2.jpg, slot 1: 1.5 is outside of its range, 0 to 1" in ended.stderr


def test_comments_of_a_select_declare_its_range(store: Store) -> None:
    ingest_rows(store, CAPTIONS)
    select = "select id, len(text) as score from candidates"
    Path("length.sql").write_text(f"-- lowest: 0\n-- highest: 20\n{select}")
    with pytest.raises(MetricError, match=r"length: image apart, slot 1: 45.0 is outside of its range, 0 to 20"):
        score(store, "set", metrics=["sql:length.sql"])
    Path("length.sql").write_text(f"-- highest: twenty\n{select}")
    with pytest.raises(MetricError, match=r"lowest and highest must be numbers: .*twenty"):
        request("sql:length.sql")


def test_a_metric_of_the_user_without_a_range_can_be_any_number(store: Store) -> None:
    @auditor.metric(columns=True)
    def far(candidates: pl.Series, references: pl.Series) -> pl.Series:
        return references.list.len() * -1e6

    ingest_rows(store, CAPTIONS)
    assert score(store, "set", metrics=["far"]).frame["value"].max() == -1e6
    assert METRICS["far"].range == "any number"


@pytest.mark.parametrize("value", [1.5, -0.1, math.nan])
def test_score_of_ours_outside_of_its_range_is_a_bug(
    store: Store, monkeypatch: pytest.MonkeyPatch, value: float
) -> None:
    broken = replace(METRICS["bleu-1"], score=lambda counts, _: pl.repeat(value, counts.height, eager=True))
    for known in (METRICS, registry._OURS):
        monkeypatch.setitem(known, "bleu-1", broken)
    ingest_rows(store, CAPTIONS)
    with pytest.raises(RuntimeError, match=r"bleu-1: image apart, slot 0: .* is outside of its range, 0 to 1"):
        score(store, "set", metrics=["bleu-1"])
    Path("a.csv").write_text(CSV)
    assert run_auditor("ingest", "a", "--from", "a.csv").returncode == 0
    assert run_auditor("score", "a", "-m", "bleu-1").returncode == 70


def test_statistic_outside_of_its_range_is_a_bug() -> None:
    rows = pl.DataFrame({"statistic": ["unique", "tokens", "elsewhere"], "value": [1.0 + 1e-10, None, -5.0]})
    assert statistics_within(rows, ends_of("diversity")) is rows
    for name, value in (("unique", 1.1), ("zipf-slope", 0.1), ("tokens", -1.0), ("mbleu-2", math.nan)):
        with pytest.raises(RuntimeError, match=f"{name}: .* is outside of its range"):
            statistics_within(pl.DataFrame({"statistic": [name], "value": [value]}), ends_of("diversity"))


def test_each_card_has_a_range_and_says_so() -> None:
    ends = {name: (card.lowest, card.highest) for name, card in METRICS.items()}
    for name, (lowest, highest) in [*ends.items(), *(pair for file in FILES for pair in ends_of(file).items())]:
        assert lowest < highest, name
    assert in_words((-math.inf, math.inf)) == "any number"
    for name, words in {
        "ter": "0 or more", "cider-d": "0 to 1; 0 to 10 with scale=x10", "zipf-slope": "0 or less", "pos-noun": "0 to 1",
    }.items():  # fmt: skip
        ended = run_auditor("metrics", name)
        assert words in ended.stdout


def test_a_setting_that_would_leave_the_range_is_refused() -> None:
    for asked, words in (
        ("rouge-1:alpha=1.1", "a number from 0 to 1"),
        ("bleu-4:floor=2", "a positive number up to 1"),
    ):
        with pytest.raises(MetricError, match=words):
            request(asked)


def test_a_metric_has_no_range_until_it_declares_one() -> None:
    assert (Metric.lowest, Metric.highest) == (-math.inf, math.inf)
