"""The how-to pages show what their commands print, and their commands have the options that they use."""

from __future__ import annotations

import re
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
from conftest import ROOT

pytestmark = pytest.mark.store

PAGES = ("recaptioning", "dataset-paper", "benchmark-review", "choosing-a-metric")


def page(name: str) -> str:
    return (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8")


def given(text: str) -> dict[str, str]:
    """Find the files that a page prints, by the comment before each."""
    return dict(re.findall(r"<!-- (\S+) -->\n```\w+\n(.*?)```", text, re.DOTALL))


def runs(text: str) -> Iterator[tuple[str, list[str]]]:
    """Find each command that a page shows, with the pieces of its output, between which lines are left out."""
    for block in re.findall(r"```console\n(.*?)```", text, re.DOTALL):
        for run in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = run.partition("\n")
            yield (
                command,
                [piece for one in re.split(r"^…\n", output, flags=re.MULTILINE) if (piece := one.strip("\n"))],
            )


@pytest.fixture(scope="module")
def began(maker: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the bundled samples in a store, and the invented files of the command pages."""
    folder = tmp_path_factory.mktemp("howto") / "began"
    with maker.alone():
        maker._invented(folder)
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("name", PAGES)
def test_page_shows_what_its_commands_print(
    name: str, began: Path, maker: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = page(name)
    monkeypatch.chdir(shutil.copytree(began, tmp_path / name))
    for file, lines in given(text).items():
        if not Path(file).exists():
            Path(file).write_text(lines, encoding="utf-8")
        assert lines in Path(file).read_text(encoding="utf-8").replace(" # invented for these pages", "")
    with maker.alone():
        for command, pieces in runs(text):
            printed, after = maker.run(command), 0
            assert "error:" not in printed, command
            for piece in pieces:
                after = printed.find(f"\n{piece}\n" if after else f"{piece}\n", max(0, after - 1))
                assert after >= 0, f"{command}\n{piece}\nis not in\n{printed}"
                after += len(piece)


@pytest.mark.parametrize("name", PAGES)
def test_commands_have_the_options_of_the_page(name: str) -> None:
    text = page(name)
    assert text.count("\n") <= 70
    written = [
        line for block in re.findall(r"```(?:sh|console)\n(.*?)```", text, re.DOTALL) for line in block.split("\n")
    ]
    written += re.findall(r"`(auditor [^`]+)`", re.sub(r"```.*?```", "", text, flags=re.DOTALL))
    commands = [
        shlex.split(one.removeprefix("$ "), comments=True)[1:] for one in written if re.match(r"(\$ )?auditor ", one)
    ]
    assert commands
    for command, *words in commands:
        options = (ROOT / "docs" / "commands" / f"{command}.md").read_text(encoding="utf-8")
        used = {word for word in words if re.match("--?[a-z]", word)}
        assert used <= set(re.findall(r"--?[a-z][a-z-]*", options)), command


def test_jobs_are_listed_where_readers_begin() -> None:
    for name in (*PAGES, "ci", "tutorial"):
        link = f"{name}.ipynb" if name == "tutorial" else f"{name}.md"
        assert f"]({link})" in page("index")
        assert f"](docs/{link})" in (ROOT / "README.md").read_text(encoding="utf-8")
        assert name == "tutorial" or f": {link}\n" in (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
