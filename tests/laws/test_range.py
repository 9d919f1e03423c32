"""Law: a statistic has a card; values and the ends of intervals lie within what it declares; an interval has a width."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from asked import Result
from looked_at import Asked
from sizes import some
from worlds import SYSTEMS, Shape, put, world

from auditor.ranges import Ends
from auditor.scoring.registry import requests
from auditor.statistics.cards import FILES, Statistic, cards_of
from auditor.statistics.intervals import ANY

pytestmark = pytest.mark.slow

EXCUSED = {
    "diversity": "low and high of several lists are the lowest and the highest of them",
    "references": "low and high are the lowest and the highest of its draws",
    "reproduce": "low and high are what the paper's figure allows",
}

#: Commands whose statistics are not ours to explain: those of papers are in `PAPER.toml`.
WITHOUT_CARDS = {"reproduce"}

#: A rounding error.
SLACK = 1e-9


def test_values_and_intervals_lie_in_the_range(asked: Asked) -> None:
    for command, answer in asked.answers.items():
        for frame in _frames(answer):
            for row in frame.iter_rows(named=True):
                _check(row, command)


def test_every_statistic_has_a_card(asked: Asked) -> None:
    for command, answer in asked.answers.items():
        if isinstance(answer, Result) and "statistic" in answer.frame.columns and command not in WITHOUT_CARDS:
            statistics = answer.frame["statistic"].drop_nulls().unique()
            assert [name for name in statistics if card_of(command, name) is None] == [], command


@pytest.mark.parametrize("number", some(range(8), 2))
def test_intervals_of_few_images_lie_in_the_range(tmp_path: Path, number: int) -> None:
    with put(world(Shape(8 + number, 1, 0.3), number), folder=tmp_path, roles=("refs", *SYSTEMS)) as audit:
        answer = audit.score(
            "refs", candidates=SYSTEMS, metrics=["bleu-1", "rouge-l", "cider-d", "chrf"], resamples=100
        )
    for row in answer.table("means").frame.rows(named=True):
        _check(row, "score")


def _frames(answer: object) -> list[pl.DataFrame]:
    return [answer.frame, *(table.frame for table in answer.tables)] if isinstance(answer, Result) else []


def _check(row: dict[str, object], command: str) -> None:
    low, high, value = (row.get(name) for name in ("low", "high", "value"))
    if isinstance(low, float) and isinstance(high, float):
        assert low <= high, (command, row)
        assert low < high or low in _ends(row, command) or command in EXCUSED, (command, row)
    lowest, highest = _ends(row, command)
    of_value = () if "effect" in row else ("low", "high")
    for name in ("value", "mean", "min", "max", "median", *of_value):
        if isinstance(found := row.get(name), float):
            assert lowest - SLACK <= found <= highest + SLACK, (command, row)
    assert value is None or isinstance(value, int | float | str), (command, row)


def _ends(row: dict[str, object], command: str) -> Ends:
    """Return the range of a score or of a statistic, where a row is of one."""
    if command in {"score", "bounds"} and isinstance(metric := row.get("metric"), str):
        (request,) = requests([metric])
        return request.metric.ends(request.settings)
    card = card_of(command, str(row.get("statistic")))
    return ANY if card is None else card.ends


def card_of(command: str, name: str) -> Statistic | None:
    """Return the card of a statistic of a command: its own, a coefficient, or of a gate any; open families go on."""
    for cards in map(cards_of, FILES):
        first = next(iter(cards.values()))
        if command == "check" or first.study in (command, "correlate"):
            of_family = (card for card in cards.values() if card.family != card.name)
            found = cards.get(name) or next((card for card in of_family if name.startswith(f"{card.family}-")), None)
            if found:
                return found
    return None
