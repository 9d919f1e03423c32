"""What every command prints on the sample fits 80, 100 and 120 columns; with -q nothing else is said."""

from __future__ import annotations

import contextlib
import io
import shlex
import shutil
from pathlib import Path
from types import ModuleType

import pytest
from conftest import ROOT
from rich.cells import cell_len
from sizes import some

from auditor.cli import app
from auditor.cli.verbosity import VERBOSITY
from auditor.reports import terminal
from auditor.reports.terminal import show
from auditor.result import Result
from auditor.studies import STUDIES

WIDTHS = (80, 100, 120)

GOLD = ROOT / "tests" / "gold" / "terminal"

#: Commands whose whole output is agreed: the one for people, wide tables, texts, verdicts.
GOLDEN = ("findings", "compare", "outliers", "check")

#: They write a document, which has no width.
DOCUMENTS = ("report",)

#: The page of `store` shows its subcommands.
NAMES = [name for name in [*STUDIES, "demo", "sql", "store"] if name not in DOCUMENTS and " " not in name]


@pytest.fixture(scope="module")
def began(maker: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a store that holds the sample, and what the pages of commands need besides."""
    folder = tmp_path_factory.mktemp("sample") / "began"
    with maker.alone():
        maker._invented(folder)
    return folder


def run(maker: ModuleType, name: str, monkeypatch: pytest.MonkeyPatch) -> tuple[list[Result], str, str]:
    """Run the example of a command's page, quietly; give the results that it would draw, and stdout and stderr."""
    results: list[Result] = []
    monkeypatch.setattr(terminal, "show", lambda result, screen, quiet: results.append(result))
    out, err = io.StringIO(), io.StringIO()
    for line in maker.EXAMPLES.get(name, (f"auditor {name} sample-flawed",)):
        program, *words = shlex.split(line)
        if program != "auditor":
            continue
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), contextlib.suppress(SystemExit):
            app.main([*words, "-q"])
    return results, out.getvalue(), err.getvalue()


def drawn(results: list[Result], width: int) -> str:
    out = io.StringIO()
    for result in results:
        show(result, terminal.Screen(out, color=False, width=width))
    return "".join(f"{line.rstrip()}\n" for line in out.getvalue().splitlines())


@pytest.mark.slow
@pytest.mark.parametrize("name", [*GOLDEN, *some([name for name in NAMES if name not in GOLDEN], 8)])
def test_output_fits_every_width(
    maker: ModuleType, began: Path, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "run"
    shutil.copytree(began, folder)
    monkeypatch.chdir(folder)
    with maker.alone():
        results, out, err = run(maker, name, monkeypatch)
    assert VERBOSITY.quiet
    assert err == ""
    assert results or out
    assert max(map(cell_len, out.split("\n"))) <= WIDTHS[0]
    differing: list[int] = []
    for width in WIDTHS:
        text = drawn(results, width)
        assert max(map(cell_len, text.split("\n"))) <= width, text
        differing += [width] if name in GOLDEN and differs(text, f"{name}.{width}.txt") else []
    assert not differing, f"compare tests/gold/terminal/{name}.*.txt with tests/actual/terminal"


def differs(text: str, name: str) -> bool:
    gold = GOLD / name
    if gold.exists() and gold.read_text(encoding="utf-8") == text:
        return False
    actual = ROOT / "tests" / "actual" / "terminal" / name
    actual.parent.mkdir(parents=True, exist_ok=True)
    actual.write_text(text, encoding="utf-8")
    return True
