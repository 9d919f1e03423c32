"""The pages of docs/commands are what docs/make_commands.py makes of the code; what their examples draw fits a terminal."""

from __future__ import annotations

import io
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import pytest
from conftest import ROOT
from rich.cells import cell_len
from sizes import some

from auditor.cli import derived
from auditor.reports import terminal
from auditor.reports.terminal import show as terminal_show
from auditor.result import Result
from auditor.studies import STUDIES
from auditor.text.spacy import pipelines

REPAIR = "python docs/make_commands.py writes the pages again"

WIDTHS = (80, 100, 120)

#: Commands whose whole output is agreed: the one for people, wide tables, texts, verdicts.
GOLDEN = ("findings", "compare", "outliers", "check")

EXAMPLE = "## Example\n\n```console\n"


def test_pages_say_what_the_code_says(maker: ModuleType) -> None:
    commands = maker.commands()
    assert {one.stem for one in maker.PAGES.glob("*.md")} == {*commands, "index"}, REPAIR
    assert (maker.PAGES / "index.md").read_text() == maker.index(), REPAIR
    readme = maker.README.read_text()
    assert readme == maker.readme(readme), REPAIR
    for name, command in commands.items():
        written = (maker.PAGES / f"{name}.md").read_text()
        runs = written.partition(EXAMPLE)[2].removesuffix("```\n")
        assert runs.startswith("$ "), f"{name} has no example"
        assert written == maker.page(command, runs), f"{name}: {REPAIR}"


class Ran(NamedTuple):
    """What the examples of commands printed, as a page shows it, and the results that they drew."""

    printed: Mapping[str, str]
    results: Mapping[str, list[Result]]


@pytest.fixture(scope="module")
def ran(maker: ModuleType) -> Ran:
    results: dict[str, list[Result]] = {}

    def noted(result: Result, screen: terminal.Screen, *, quiet: bool = False) -> None:
        results.setdefault(Path.cwd().name, []).append(result)
        terminal_show(result, screen, quiet=quiet)

    others = [name for name in maker.commands() if name not in GOLDEN]
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(terminal, "show", noted)
        return Ran(maker.examples([*GOLDEN, *some(others, 8)]), results)


@pytest.mark.slow
@pytest.mark.xdist_group("pages of commands")
def test_examples_on_pages_are_what_is_printed(maker: ModuleType, ran: Ran) -> None:
    if pipelines.installed() is None:
        pytest.skip(f"the pages are made where a spaCy pipeline is: {pipelines.INSTALL}")
    for name, printed in ran.printed.items():
        assert printed == (maker.PAGES / f"{name}.md").read_text().partition(EXAMPLE)[2].removesuffix("```\n"), (
            f"{name}: {REPAIR}"
        )


@pytest.mark.slow
@pytest.mark.xdist_group("pages of commands")
def test_results_of_examples_fit_every_width(ran: Ran) -> None:
    assert {*GOLDEN} <= {*ran.results}
    differing = []
    for name, results in ran.results.items():
        for width in WIDTHS:
            text = drawn(results, width)
            assert max(map(cell_len, text.split("\n"))) <= width, text
            differing += [f"{name}.{width}.txt"] if name in GOLDEN and differs(text, f"{name}.{width}.txt") else []
    assert not differing, f"compare tests/gold/terminal with tests/actual/terminal: {differing}"


def drawn(results: list[Result], width: int) -> str:
    out = io.StringIO()
    for result in results:
        terminal_show(result, terminal.Screen(out, color=False, width=width))
    return "".join(f"{line.rstrip()}\n" for line in out.getvalue().splitlines())


def differs(text: str, name: str) -> bool:
    gold = ROOT / "tests" / "gold" / "terminal" / name
    if gold.exists() and gold.read_text(encoding="utf-8") == text:
        return False
    actual = ROOT / "tests" / "actual" / "terminal" / name
    actual.parent.mkdir(parents=True, exist_ok=True)
    actual.write_text(text, encoding="utf-8")
    return True


@pytest.mark.parametrize("name", STUDIES)
def test_every_study_says_how_to_read_it_and_where_it_ends(name: str) -> None:
    begun = {one.partition(":")[0] for one in derived.paragraphs(STUDIES[name].load())}
    assert {"How to read it", "Limits"} <= begun
    assert {"Example", "Examples"} & begun


@pytest.mark.parametrize("name", STUDIES)
def test_help_is_for_people_at_a_prompt(name: str) -> None:
    told = derived.help_of(STUDIES[name].load())
    assert "Raises" not in told
    assert all(line.startswith("- ") for paragraph in told.split("\n\n") for line in paragraph.split("\n")[1:])
