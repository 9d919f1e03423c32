"""What the library says of itself: every method tells what it gives, and what it raises."""

from __future__ import annotations

import inspect
import re

import pytest

import auditor
from auditor import errors

_METHODS = [name for name, _ in inspect.getmembers(auditor.Auditor, callable) if not name.startswith("_")]

#: They name nothing that could be missing.
_CANNOT_FAIL = {"close", "datasets", "info"}


@pytest.mark.parametrize("name", _METHODS)
def test_method_says_which_errors_it_raises(name: str) -> None:
    said = inspect.getdoc(getattr(auditor.Auditor, name)) or ""
    raised = re.findall(r"`(\w+Error)`", said)
    assert raised or name in _CANNOT_FAIL, "add Raises with the errors of auditor/errors.py to its docstring"
    assert all(hasattr(errors, one) or one == "KeyError" for one in raised)


@pytest.mark.parametrize("name", sorted({*_METHODS} - {"close", "sql", "info", "gc"}))
def test_study_says_how_to_read_what_it_gives(name: str) -> None:
    said = inspect.getdoc(getattr(auditor.Auditor, name)) or ""
    assert "How to read it:" in said
    assert re.search(r"^Examples?: auditor ", said, re.MULTILINE)


@pytest.mark.parametrize("name", auditor.__all__)
def test_everything_public_has_a_docstring(name: str) -> None:
    assert inspect.getdoc(getattr(auditor, name))
