"""Each law excuses at most three commands, with a reason."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest
from asked import QUESTIONS

LAWS = [file.stem for file in sorted(Path(__file__).parent.glob("test_*.py")) if file != Path(__file__)]


@pytest.mark.parametrize("law", LAWS)
def test_a_law_excuses_few(law: str) -> None:
    excused = getattr(importlib.import_module(law), "EXCUSED", {})
    assert {*excused} <= {*QUESTIONS}
    assert len(excused) <= 3
    assert all(excused.values())
