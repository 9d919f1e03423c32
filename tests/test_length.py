"""A function can be read at once: neither too complex nor too long. There is no list of exceptions."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import ROOT
from radon.complexity import cc_visit
from radon.visitors import Function

#: What radon calls D, and the most lines of a function without its docstring, which is a page of the manual.
MOST_COMPLEX, MOST_LINES = 25, 110

ROOMS = sorted(
    path for path in Path(ROOT, "auditor").iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()
)


def complexities(source: str) -> Iterator[tuple[str, int]]:
    """Yield the functions and methods with their cyclomatic complexity, closures included."""
    for block in cc_visit(source):
        if isinstance(block, Function):
            yield block.fullname, block.complexity


def lengths(source: str) -> Iterator[tuple[str, int]]:
    """Yield the functions and methods with their lines, those of the docstring left out."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            text = node.body[0]
            told = text.end_lineno - text.lineno + 1 if ast.get_docstring(node) is not None else 0
            yield node.name, node.end_lineno - node.lineno + 1 - told


def faults(name: str, source: str) -> list[str]:
    """Say which functions of a file are too complex or too long, and what to do."""
    complex_ones = [
        f"{name}: {function} has complexity {number}, more than {MOST_COMPLEX}: give the parts of it that have a name "
        "their own functions, or put what it decides into a table of data"
        for function, number in complexities(source)
        if number > MOST_COMPLEX
    ]
    long_ones = [
        f"{name}: {function} has {number} lines, more than {MOST_LINES}: give its steps their own functions"
        for function, number in lengths(source)
        if number > MOST_LINES
    ]
    return [*complex_ones, *long_ones]


@pytest.mark.parametrize("room", ROOMS, ids=lambda path: path.stem)
def test_functions_can_be_read_at_once(room: Path) -> None:
    files = sorted(room.rglob("*.py")) if room.is_dir() else [room]
    found = [fault for file in files for fault in faults(str(file.relative_to(ROOT)), file.read_text(encoding="utf-8"))]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(("body", "number"), [("    if a: a = 1\n" * 25, 26), ("    a = 1\n" * 110, 111)])
def test_what_is_too_much_is_named(body: str, number: int) -> None:
    (found,) = faults("x.py", f"def grown(a):\n{body}")
    assert f"x.py: grown has {number} lines" in found or f"x.py: grown has complexity {number}" in found
