"""Every answer in docs/cookbook.md is what its statement prints."""

from __future__ import annotations

import importlib.util
import sys
from types import ModuleType

import pytest
from conftest import ROOT


@pytest.fixture
def cookbook(maker: ModuleType, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The program that runs the page again, by the one that runs the pages of commands."""
    monkeypatch.setitem(sys.modules, "make_commands", maker)
    spec = importlib.util.spec_from_file_location("make_cookbook", ROOT / "docs" / "make_cookbook.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.slow
def test_twenty_questions_are_answered_as_printed(cookbook: ModuleType) -> None:
    page = cookbook.PAGE.read_text(encoding="utf-8")
    assert page.count("\n## ") == page.count("\n$ auditor sql ") >= 20
    assert cookbook.again(page) == page, "python docs/make_cookbook.py writes the answers again"
    assert "error" not in page.lower()
