"""Law: progress is in words, and "step k of n" has one n from the first step to the last."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest
from asked import Report
from looked_at import Asked

EXCUSED = {"check": "a step is a gate, by the name that the user wrote"}


@pytest.mark.slow
def test_progress_is_in_words_and_its_number_of_steps_stays(asked: Asked) -> None:
    stepped = set()
    for command, reports in asked.reports.items():
        check_progress(reports, *(r"_",) * (command not in EXCUSED))
        stepped |= {command} if any(what.startswith("step ") for what, *_ in reports) else set()
    assert {"profile", "bounds"} <= stepped


def check_progress(reports: Sequence[Report], *never: str) -> set[str]:
    """Check the progress of a command; return how it names its steps."""
    for what, done, total in reports:
        assert 0 <= done <= total, (what, done, total)
        for key in (r"[0-9a-f]{12}", r"[*|=]", *never):
            assert not re.search(key, what), what
    begun = [step for what, *_ in reports if (step := re.match(r"step (\d+) of (\d+), ([^:]+)", what))]
    numbers = [int(step[1]) for step in begun]
    assert len({step[2] for step in begun}) <= 1
    assert numbers == sorted(numbers)
    assert all(1 <= number <= int(step[2]) for number, step in zip(numbers, begun, strict=True))
    assert {*numbers} == {*range(1, int(begun[-1][2]) + 1)} if begun else True
    return {step[3] for step in begun}
