"""What has become dearer is named, on a machine of any speed."""

from __future__ import annotations

from typing import Any

import pytest
from cost_budget import grown, ratios


def record(test: str, cpu: float, opens: int = 1) -> dict[str, Any]:
    return {"test": test, "cpu": cpu, "opens": opens, "ingests": 1, "processes": 0}


FLOOR = [record(f"tests/a/test_floor.py::test_{n}", 0.2) for n in range(5)]


def test_what_grew_is_named_and_a_slow_machine_is_not() -> None:
    before = [*FLOOR, record("tests/b/test_dear.py::test_report", 20.0, opens=3)]
    slower = [one | {"cpu": one["cpu"] * 3} for one in before]
    dearer = [*FLOOR, record("tests/b/test_dear.py::test_report", 26.0, opens=3)]
    assert grown(ratios(before), ratios(slower)) == []
    assert grown(ratios(before), ratios(dearer)) == [
        "tests/b: 130 floors, +30%",
        "tests/b/test_dear.py: 130 floors, +30%",
    ]


def test_costs_without_a_floor_are_an_error() -> None:
    with pytest.raises(ValueError, match="there is no floor"):
        ratios([record("tests/a/test_floor.py::test", 1.0, opens=2)])
