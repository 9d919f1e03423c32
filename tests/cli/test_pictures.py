"""Pictures by the command line: written where there are figures, refused before anything is counted where not."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

from auditor.cli import options
from auditor.cli.app import app
from auditor.errors import UsageError
from auditor.result import Figure, Result

FIGURE = Figure("shares", "Shares", "bars", pl.DataFrame({"a": ["x"], "b": [1.0]}), "a", "b")
RESULT = Result("bounds", FIGURE.frame, figures=(FIGURE,))


@pytest.mark.parametrize(
    ("name", "begins"),
    [("a.svg", b"<?xml"), ("a.pdf", b"%PDF"), ("a.png", b"\x89PNG"), ("a.html", b"<!doctype html>")],
)
def test_ending_chooses_the_picture(name: str, begins: bytes) -> None:
    options.deliver(RESULT, None, False, Path(name))
    assert Path(name).read_bytes().startswith(begins)


@pytest.mark.parametrize(
    "arguments",
    [
        ["duplicates", "nothing", "-o", "a.svg"],
        ["duplicates", "nothing", "-o", "a.pdf"],
        ["score", "nothing", "--format", "svg"],
        ["datasets", "nothing", "-o", "a.csv", "--format", "png"],
    ],
)
def test_command_without_figures_refuses_a_picture_before_it_opens_the_store(arguments: list[str]) -> None:
    with pytest.raises(
        UsageError, match=f"{arguments[0]} has no figures to write as .*commands with figures: .*bounds"
    ):
        app(arguments, standalone_mode=False)
    assert not Path("a.svg").exists()


@pytest.mark.parametrize("arguments", [["--json", "-o", "a.svg"], ["--format", "csv", "-o", "a.png"]])
def test_named_format_wins_over_the_ending_of_a_picture(arguments: list[str]) -> None:
    with pytest.raises(Exception, match=r"store|audit\.duckdb"):
        app(["profile", "nothing", *arguments], standalone_mode=False)


def test_result_without_figures_leaves_no_file_behind() -> None:
    with pytest.raises(UsageError, match="no figures to write"):
        options.deliver(Result("bounds", FIGURE.frame), None, False, Path("a.png"))
    assert not Path("a.png").exists()


def test_matplotlib_is_loaded_for_pictures_alone() -> None:
    program = (
        "import sys; from auditor.cli import app, options; from auditor.reports import terminal;"
        "from auditor.reports.html import document as html; from auditor.result import Result; import polars as pl; html.render(Result('x', pl.DataFrame()));"
        "assert 'matplotlib' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
