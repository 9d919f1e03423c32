"""Pictures by the command line: written where there are figures, refused before anything is counted where not."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from auditor.cli import options
from auditor.cli.app import app
from auditor.errors import MissingExtraError, StoreError, UsageError
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


def test_without_matplotlib_a_picture_is_refused_before_any_work_and_a_page_is_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.delitem(sys.modules, "auditor.reports.figures.drawing", raising=False)
    refused = pytest.raises(MissingExtraError, match=r"^figures need matplotlib: pip install 'auditor\[figures\]'$")
    with refused:
        app(["bounds", "nothing", "-o", "a.pdf"], standalone_mode=False)
    with refused:
        RESULT.save("a.svg")
    with refused:
        RESULT.plot()
    assert not Path("a.svg").exists()
    options.deliver(RESULT, None, False, Path("a.html"))


OTHER = replace(FIGURE, name="other", title="Other")
SEVERAL = replace(RESULT, figures=(FIGURE, OTHER))


def test_each_of_several_figures_has_its_file_and_these_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    options.deliver(SEVERAL, None, False, Path("a.pdf"))
    assert sorted(path.name for path in Path().iterdir()) == ["a-other.pdf", "a-shares.pdf"]
    assert capsys.readouterr().err.endswith("written: a-shares.pdf, a-other.pdf\n")


def test_named_figure_has_the_named_file_in_the_colors_of_all() -> None:
    options.deliver(SEVERAL, None, False, Path("a.svg"))
    options.deliver(SEVERAL, None, False, Path("one.svg"), "other")
    assert Path("one.svg").read_bytes() == Path("a-other.svg").read_bytes()


def test_unknown_figure_is_refused_with_the_names_of_all() -> None:
    with pytest.raises(UsageError, match="no figure nope; its figures are shares, other"):
        options.deliver(SEVERAL, None, False, Path("a.svg"), "nope")
    assert not [*Path().iterdir()]


def test_stdout_takes_one_figure(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    with pytest.raises(UsageError, match=r"set -o FILE\.svg, or one with --figure: shares, other"):
        options.deliver(SEVERAL, "svg", False, None)
    options.deliver(SEVERAL, "svg", False, None, "other")
    assert capfdbinary.readouterr().out.startswith(b"<?xml")


@pytest.mark.parametrize("arguments", [[], ["--json"], ["-o", "a.csv"], ["-o", "a.svg", "--format", "csv"]])
def test_figure_without_a_picture_is_refused_before_any_work(arguments: list[str]) -> None:
    with pytest.raises(UsageError, match="--figure needs a file for the figure"):
        app(["profile", "nothing", "--figure", "lengths", *arguments], standalone_mode=False)


def test_nothing_is_written_if_one_file_cannot_be() -> None:
    Path("a-other.png").mkdir()
    with pytest.raises(UsageError, match=r"a-other\.png: cannot be written"):
        options.deliver(SEVERAL, None, False, Path("a.png"))
    assert [path.name for path in Path().iterdir()] == ["a-other.png"]


@pytest.mark.parametrize("format_name", [None, "svg"])
def test_file_beside_is_refused_before_any_work_if_it_is_a_link_or_an_input(format_name: str | None) -> None:
    ending, arguments = (".odd", ["--format", format_name]) if format_name else (".svg", [])
    Path(f"a-other{ending}").symlink_to("elsewhere.svg")
    with pytest.raises(UsageError, match=r"a-other\.\w+: cannot be written: it is a link"):
        app(["templates", "nothing", "-o", f"a{ending}", *arguments], standalone_mode=False)
    Path(f"b-other{ending}").write_text("image,text\n")
    with pytest.raises(UsageError, match=r"dataset \./b-other\.\w+ is read from it"):
        app(["templates", f"./b-other{ending}", "-o", f"b{ending}", *arguments], standalone_mode=False)
    with pytest.raises(StoreError, match="no store here"):
        app(["templates", "nothing", "-o", f"a{ending}", "--figure", "openings", *arguments], standalone_mode=False)
