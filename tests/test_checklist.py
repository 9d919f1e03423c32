"""The tally of what the five papers compute is of all 174 items, and each names a command that exists."""

from __future__ import annotations

import importlib.util

import pytest
from conftest import ROOT

SPEC = importlib.util.spec_from_file_location("checklist", ROOT / "benchmarks" / "checklist.py")
assert SPEC
assert SPEC.loader
checklist = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(checklist)


def test_every_item_has_a_command_and_a_state(capsys: pytest.CaptureFixture[str]) -> None:
    listed = checklist.items()
    assert len(listed) == 174
    assert checklist.faults(listed) == []
    assert checklist.main() == 0
    last = next(line for line in capsys.readouterr().out.splitlines() if line.startswith("all"))
    assert sum(map(int, last.split()[1:5])) == int(last.split()[5]) == 174


def test_wrong_entries_are_listed() -> None:
    wrong = checklist.faults({"000-01": ("x", "auditor nothing", "done"), "000-02": ("x", "auditor bounds", "soon")})
    assert wrong[:2] == ["000-01: no command auditor nothing", "000-02: no state soon"]
    assert "000-03: has figures, but is not listed" in wrong
