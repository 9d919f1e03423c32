"""Every command is asked by the laws, and each law excuses at most three, with a reason."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest
from asked import QUESTIONS, WRITING

from auditor.studies import STUDIES

LAWS = [file.stem for file in sorted(Path(__file__).parent.glob("test_*.py")) if file != Path(__file__)]


def test_every_command_that_answers_is_asked() -> None:
    assert {*QUESTIONS} == {*STUDIES} - WRITING, (
        "add what is asked of a new command to QUESTIONS in tests/laws/asked.py"
    )


@pytest.mark.parametrize("law", LAWS)
def test_a_law_excuses_few(law: str) -> None:
    excused = getattr(importlib.import_module(law), "EXCUSED", {})
    assert {*excused} <= {*QUESTIONS}
    assert len(excused) <= 3
    assert all(excused.values())
