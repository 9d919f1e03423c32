"""The tutorial notebook runs from its first cell to its last, and shows what its cells give."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from conftest import ROOT

nbformat = pytest.importorskip("nbformat")

NOTEBOOK = ROOT / "docs" / "tutorial.ipynb"


def run(cell: str, names: dict[str, object]) -> str:
    """Run a cell in this process. Give what a notebook shows of it as text: the value of its last line, if it has one."""
    *statements, last = ast.parse(cell).body
    exec(compile(ast.Module(statements, []), NOTEBOOK.name, "exec"), names)
    if isinstance(last, ast.Expr):
        value = eval(compile(ast.Expression(last.value), NOTEBOOK.name, "eval"), names)
        return "" if value is None else repr(value)
    exec(compile(ast.Module([last], []), NOTEBOOK.name, "exec"), names)
    return ""


def shown(outputs: list[dict[str, dict[str, str]]]) -> str:
    return "".join(one["data"]["text/plain"] for one in outputs)


@pytest.mark.slow
def test_tutorial_shows_what_its_cells_give() -> None:
    book = nbformat.read(NOTEBOOK, as_version=4)
    nbformat.validate(book)
    assert len(book.cells) <= 12
    names: dict[str, object] = {"__name__": "__main__"}
    for cell in book.cells:
        if cell.cell_type == "code":
            assert run(cell.source, names) == shown(cell.outputs)
    assert {"clean.csv", "audit.html", "tutorial.duckdb"} <= {one.name for one in Path().iterdir()}


def test_tutorial_names_no_folder_and_no_missing_page() -> None:
    book = nbformat.read(NOTEBOOK, as_version=4)
    for cell in book.cells:
        assert not re.search(r"(?:^|[\s\"'(])(?:/|~|[A-Z]:\\)\w", cell.source)
        for target in re.findall(r"\]\(([^)#\s]+)", cell.source if cell.cell_type == "markdown" else ""):
            assert (NOTEBOOK.parent / target).exists(), target
