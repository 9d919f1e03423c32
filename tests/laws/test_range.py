"""Law: values and the ends of intervals lie within what their card declares, and an interval has a width."""

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
from auditor.statistics.cards import ENDS
from auditor.statistics.intervals import ANY

pytestmark = pytest.mark.slow

EXCUSED = {
    "diversity": "low and high of several lists are the lowest and the highest of them",
    "references": "low and high are the lowest and the highest of its draws",
    "reproduce": "low and high are what the paper's figure allows",
}

#: A rounding error.
SLACK = 1e-9


def test_values_and_intervals_lie_in_the_range(asked: Asked) -> None:
    for command, answer in asked.answers.items():
        for frame in _frames(answer):
            for row in frame.iter_rows(named=True):
                _check(row, command)


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
    for name in ("value", "mean", "min", "max", "low", "high", "median"):
        if isinstance(found := row.get(name), float):
            assert lowest - SLACK <= found <= highest + SLACK, (command, row)
    assert value is None or isinstance(value, int | float | str), (command, row)


def _ends(row: dict[str, object], command: str) -> Ends:
    """Return the range of a score or of a statistic, where a row is of one."""
    if command in {"score", "bounds"} and isinstance(metric := row.get("metric"), str):
        (request,) = requests([metric])
        return request.metric.ends(request.settings)
    return ENDS.get(str(row.get("statistic")), ANY) if command == "diversity" else ANY
