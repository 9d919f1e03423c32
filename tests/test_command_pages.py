"""The pages of docs/commands are what docs/make_commands.py makes of the code."""

from __future__ import annotations

from types import ModuleType

import pytest
from sizes import some

from auditor.cli import derived
from auditor.studies import STUDIES
from auditor.text.spacy import pipelines

REPAIR = "python docs/make_commands.py writes the pages again"

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


@pytest.mark.slow
def test_examples_on_pages_are_what_is_printed(maker: ModuleType) -> None:
    if pipelines.installed() is None:
        pytest.skip(f"the pages are made where a spaCy pipeline is: {pipelines.INSTALL}")
    for name, runs in maker.examples(some([*maker.commands()], 8)).items():
        assert runs == (maker.PAGES / f"{name}.md").read_text().partition(EXAMPLE)[2].removesuffix("```\n"), (
            f"{name}: {REPAIR}"
        )


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
