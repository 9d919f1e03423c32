"""README and docs lead to what there is."""

from __future__ import annotations

import re
import shlex
from itertools import pairwise
from pathlib import Path

import pytest
from conftest import ROOT
from site_links import dead

from auditor.findings import KINDS
from auditor.studies import GROUPS

DOCUMENTS = sorted(one.relative_to(ROOT).as_posix() for one in (*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")))

#: What else has links that readers follow in the repository.
LINKED = [
    *DOCUMENTS,
    "llms.txt",
    "sql/README.md",
    *sorted(f"benchmarks/{one.name}" for one in (ROOT / "benchmarks").glob("*.md")),
]

#: Pages that programs write.
GENERATED = {"docs/findings.md"}

#: Headings of a version in the changelog, in their order, and the most bytes of its lines.
HEADINGS, BYTES = ["Removed", "Refused now", "New", "Changed", "Fixed", "Numbers change"], 20_000

AVOIDED = r"\b(?:told|nobody|somebody|whoever|anew|pictures?|blanks|by heart|beside|colours?|licence)\b|\d %"


@pytest.mark.parametrize("document", LINKED)
def test_every_link_leads_to_a_file(document: str) -> None:
    text = re.sub(r"^```.*?^```$", "", (ROOT / document).read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    for target in re.findall(r"\]\(([^)#\s]+)", text):
        if not target.startswith(("http:", "https:", "mailto:")):
            assert ((ROOT / document).parent / target).exists(), target


def anchors(document: Path) -> set[str]:
    """Give the names of the headings of a page, as the site and the repository make them."""
    text = re.sub(r"^```.*?^```$", "", document.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    titles = [re.sub(r"[`*]|\]\([^)]*\)|\[", "", title) for title in re.findall(r"^#+ (.*)$", text, re.MULTILINE)]
    return {re.sub(r"\s", "-", re.sub(r"[^\w\s-]", "", title).strip().lower()) for title in titles}


@pytest.mark.parametrize("document", LINKED)
def test_every_link_to_a_heading_leads_to_one(document: str) -> None:
    text = re.sub(r"^```.*?^```$", "", (ROOT / document).read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    for target, heading in re.findall(r"\]\((?!\w+:)([^)#\s]*)#([^)\s]+)\)", text):
        page = (ROOT / document).parent / target if target else ROOT / document
        assert page.suffix != ".md" or heading in anchors(page), f"{target}#{heading}"


def test_dead_links_of_a_site_are_named(tmp_path: Path) -> None:
    (tmp_path / "scale").mkdir()
    (tmp_path / "index.html").write_text(
        '<h2 id="top"><a href="scale/#rows"></a><a href="#top"></a><a href="#end"></a>'
    )
    links = ("../", "../#top", "../schemas/", "../#gone", "../none.png", "https://example.org/none")
    (tmp_path / "scale" / "index.html").write_text("".join(f'<p id="rows"><a href="{link}"></a>' for link in links))
    assert [*dead(tmp_path)] == ["index.html: #end", *(f"scale/index.html: {link}" for link in links[2:5])]


def test_changelog_is_short_lines_under_known_headings() -> None:
    versions = re.split(r"^## ", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    for version in versions:
        found = re.findall(r"^### (.*)$", version, re.MULTILINE)
        assert found == [heading for heading in HEADINGS if heading in found], version.split()[0]
        assert len(version.encode()) <= BYTES, version.split()[0]


def test_readme_has_the_groups_of_the_help_in_its_order() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert re.findall(r"^\| (\w+): ", readme, re.MULTILINE) == [*GROUPS]


def test_readme_and_ci_run_the_same_tests() -> None:
    blocks = re.findall(
        r"^```sh\n(.*?)^```$", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE
    )
    shown = {shlex.join(shlex.split(line, comments=True)) for block in blocks for line in block.splitlines()}
    run = {line.strip() for line in (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()}
    assert {"make test", "make demo"} <= shown & run


def test_picture_of_the_report_is_small() -> None:
    assert Path(ROOT / "docs" / "report.png").stat().st_size < 100_000


def test_questions_are_answered_by_commands_options_and_kinds_that_exist() -> None:
    page = (ROOT / "docs" / "questions.md").read_text(encoding="utf-8")
    commands = [shlex.split(line) for line in re.findall(r"^\|[^|]*\| `auditor ([^`]+)` \|", page, re.MULTILINE)]
    assert len(commands) == len(re.findall(r"^\| (?!question|---)", page, re.MULTILINE)) >= 40
    for name, *words in commands:
        if name == "mine.csv":  # `auditor FILE`, which has no page
            continue
        options = (ROOT / "docs" / "commands" / f"{name}.md").read_text(encoding="utf-8")
        assert {word for word in words if re.match("--?[a-z]", word)} <= set(re.findall(r"--?[a-z][a-z-]*", options))
        assert {kind for option, kind in pairwise(words) if name == "findings" and option == "-k"} <= {*KINDS}


@pytest.mark.parametrize("document", [name for name in DOCUMENTS if name not in GENERATED and "/commands/" not in name])
def test_prose_avoids_words_that_readers_must_translate(document: str) -> None:
    text = re.sub(
        r"^ *```.*?^ *```$|`[^`\n]*`", "", (ROOT / document).read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE
    )
    assert not re.findall(AVOIDED, text, re.IGNORECASE)
