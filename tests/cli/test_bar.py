"""The bar says how far a command is, and vanishes; a step that begins anew is timed anew."""

from __future__ import annotations

import io
import re
import time

import pytest
from rich.console import Console
from terminals import screen

from auditor.cli.bar import drawn
from auditor.steps import Steps


@pytest.mark.parametrize(("done", "total"), [(1, 10), (7, 20)], ids=["goes back", "another total"])
def test_a_step_that_begins_anew_is_timed_anew(done: int, total: int) -> None:
    now, received = [0.0], io.StringIO()
    console = Console(file=received, force_terminal=True, width=80, legacy_windows=False, get_time=lambda: now[0])
    with drawn(console) as report:
        report("set: reading", 5, 10)
        now[0] = 100.0
        report("set: counting", done, total)
    assert f"{done} of {total}, 0:00:00" in received.getvalue()


def test_bar_says_how_far_it_is_within_the_width(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("auditor.cli.bar.SHORT", 0.0)
    received = io.StringIO()
    console = Console(file=received, force_terminal=True, width=80, no_color=True, legacy_windows=False)
    with drawn(console) as report:
        for done in range(0, 3000, 300):
            report("set: reading captions " + "of a very long name " * 5, done, 3000)
            time.sleep(0.05)
        report("set: counting", 1, 2)
        report("set: of an unknown number", 12345, 12345)
    shown_once = re.sub(r"\x1b\[[?0-9;]*[A-Za-z]", "", received.getvalue())
    assert re.search(r"set: reading captions.* ━[━╸╺]* +\d+%, [\d,]+ of 3,000, 0:00:\d\d left", shown_once)
    assert max(len(line) for line in re.split(r"[\r\n]+", shown_once) if "━" in line) <= 80
    shown = screen(received.getvalue())
    assert [line.rpartition(":")[0].rpartition(":")[0][:22] for line in shown if line.startswith("set")] == [
        "set: reading captions ",
        "set: counting: 0",
        "set: of an unknown num",
    ], "a line for each step, and nothing of the bar"
    assert not any("━" in line for line in shown)


def test_step_that_takes_no_time_needs_no_line() -> None:
    received = io.StringIO()
    with drawn(Console(file=received, force_terminal=True, width=80, legacy_windows=False)) as report:
        report("counting", 0, 2)
        report("scoring", 1, 2)
    assert screen(received.getvalue()) == []


def test_a_long_step_of_a_command_leaves_one_line_with_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("auditor.cli.bar.SHORT", 0.0)
    received = io.StringIO()
    with drawn(Console(file=received, force_terminal=True, width=80, no_color=True, legacy_windows=False)) as report:
        steps = Steps(report, ("Findings", "Diversity"))
        for name in steps.over(("set", "other")):
            inner = Steps(steps, ("Captions", "Bounds"))
            for _ in inner.over("ab"):
                inner(f"{name}: words", 1, 2)
        report("writing", 0, 1)
        time.sleep(0.2)
    assert "step 2 of 2, Diversity: Bounds: other: w" in received.getvalue()
    assert [line for line in screen(received.getvalue()) if line] == [
        "Findings: 0:00:00",
        "Diversity: 0:00:00",
        "writing: 0:00:00",
    ]


def test_a_single_step_is_not_numbered() -> None:
    reports = list[tuple[str, int, int]]()
    steps = Steps(lambda *report: reports.append(report), ("set",))
    for _ in steps.over("a"):
        steps("set: words", 1, 2)
        Steps(steps, ("Captions", "Bounds"))("comparing", 0, 1)
    assert [what for what, *_ in reports] == ["set", "set: words", "Captions: comparing"]
