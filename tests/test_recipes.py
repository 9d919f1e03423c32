"""The recipes of CONTRIBUTING.md: all that they ask for is there, a forgotten step is named, and the example works."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import plain
import pytest
from asked import QUESTIONS, WRITING
from broken import CASES as BROKEN
from conftest import ROOT
from sqlcases import CASES, SHARED, every_file, path_of

import auditor
from auditor.cli.app import LISTED
from auditor.findings import CAPTION_KINDS
from auditor.papers import PAPERS
from auditor.scoring.registry import METRICS, request
from auditor.sources import _MODULES, FORMATS
from auditor.studies import STUDIES

TESTS, DOCS = ROOT / "tests", ROOT / "docs"

#: The tests that have the formula of a metric that is not in `plain.METRICS`.
FORMULAS = {
    **dict.fromkeys(("rouge-3", "rouge-4", "rouge-s4"), "rouge"), "meteor": "meteor", "chrf": "chrf",
    **dict.fromkeys(("vector-ridge", "vector-rank", "vector-cosine", "clipscore"), "sight"),
    **dict.fromkeys(("content-f1", "content-precision", "content-recall"), "content"),
}  # fmt: skip

#: What the official program of a family said, in `tests/gold/`. Metrics of vectors are trained here, and no program
#: counts content words.
GOLD = {"bleu": "bleu", "rouge": "rouge", "meteor": "meteor", "cider": "cider_d_sample", "ter": "ter", "chrf": "chrf"}


def text_of(*files: Path) -> str:
    return "\n".join(file.read_text(encoding="utf-8") for file in files)


def told(recipe: str, forgotten: list[str]) -> str:
    return "\n".join([f"CONTRIBUTING.md, {recipe}:", *forgotten])


def test_no_step_of_a_study_is_forgotten() -> None:
    assert not (forgotten := [*of_studies()]), told("Adding a study", forgotten)


def of_studies() -> Iterator[str]:
    readme, llms = text_of(ROOT / "README.md"), text_of(ROOT / "llms.txt")
    of_files = {path_of(file): file for file in every_file()}
    for case in sorted({*CASES.rglob("*.toml")} - {SHARED} ^ {*of_files}):
        if case in of_files:
            yield f"{of_files[case].name}: write {case.relative_to(ROOT)} (step 2)"
        else:
            yield f"{case.relative_to(ROOT)}: remove it, or write the SELECT of this case in sql/ (step 1)"
    for name in sorted(QUESTIONS.keys() - STUDIES.keys()):
        yield f"{name}: add it to STUDIES in auditor/studies/__init__.py (step 4)"
    for name in STUDIES:
        if not hasattr(auditor.Auditor, name.rpartition(" ")[2]):
            yield f"{name}: add it to auditor/api.py (step 5)"
        if name not in QUESTIONS and name not in WRITING:
            yield f"{name}: add what it is asked to QUESTIONS in tests/laws/asked.py (step 6)"
        if not (DOCS / "schemas" / f"{name.replace(' ', '-')}.json").exists():
            yield f"{name}: run `python docs/make_schemas.py {name}`"
    for name in sorted({name.partition(" ")[0] for name in LISTED}):
        page = f"docs/commands/{name}.md"
        if not (ROOT / page).exists() or f"[{name}]({page})" not in readme:
            yield f"{name}: run `python docs/make_commands.py {name}`, which writes its page and the list in README.md"
        if f"[{name}]({page})" not in llms:
            yield f"{name}: run `python docs/make_schemas.py {name}`, which writes llms.txt"


def test_no_step_of_a_metric_is_forgotten() -> None:
    assert not (forgotten := [*of_metrics()]), told("Adding a metric", forgotten)


def of_metrics() -> Iterator[str]:
    for name in METRICS:
        family = name.partition("-")[0]
        if name not in plain.METRICS and not (TESTS / "metrics" / f"test_{FORMULAS.get(name)}.py").exists():
            yield f"{name}: write its formula in `score` of tests/plain.py, and name it in METRICS there (step 5)"
        if (
            not request(name).metric.sees_images
            and family != "content"
            and not (TESTS / "gold" / f"{GOLD.get(family)}.json").exists()
        ):
            yield f"{name}: write what its program says to tests/gold/, named in GOLD of tests/test_recipes.py (step 5)"


def test_no_step_of_a_kind_of_finding_is_forgotten() -> None:
    assert not (forgotten := [*of_kinds()]), told("Adding a kind of finding", forgotten)


def of_kinds() -> Iterator[str]:
    folder = TESTS / "studies" / "findings"
    tested, texts = text_of(*folder.glob("test_*.py")), text_of(folder / "signs.toml")
    for name, kind in CAPTION_KINDS.items():
        if kind.patterns and f'["{name}"' not in texts:
            yield f"{name}: add texts to {(folder / 'signs.toml').relative_to(ROOT)}"
        if not kind.patterns and f'"{name}"' not in tested:
            yield f"{name}: plant a caption in {(folder / 'test_kinds_of_captions.py').relative_to(ROOT)} (step 4)"


def test_no_published_figure_is_without_its_section() -> None:
    sections = text_of(DOCS / "reproduction.md")
    forgotten = [f"{name}: write its section in docs/reproduction.md (step 6)" for name in PAPERS
                 if f"auditor reproduce {name}" not in sections]  # fmt: skip
    assert not forgotten, told("Adding a published figure", forgotten)


def test_no_step_of_a_format_is_forgotten() -> None:
    assert not (forgotten := [*of_formats()]), told("Adding a file format", forgotten)


def of_formats() -> Iterator[str]:
    tested = text_of(*(TESTS / "sources").glob("test_*.py"))
    rows = text_of(DOCS / "data.md").partition("\n## Input formats\n")[2].partition("\n## ")[0]
    for module in sorted((ROOT / "auditor" / "sources").glob("*.py")):
        if module.stem not in _MODULES and re.search(r"^FORMAT = ", text_of(module), re.MULTILINE):
            yield f"{module.stem}: add it to _MODULES in auditor/sources/__init__.py (step 2)"
    for name in FORMATS:
        if f'"{name}"' not in tested:
            yield f"{name}: write tests/sources/test_{name}.py (step 3)"
        if name not in {case.format for case in BROKEN}:
            yield f"{name}: add a valid file to SOUND in tests/broken/whole.py, and broken ones beside it (step 4)"
        if not re.search(rf"^\|.*`{name}`", rows, re.MULTILINE):
            yield f"{name}: add a row to docs/data.md, Input formats (step 5)"


#: Before which lines of files the example of a study adds its own; at the end of another.
PLACES = {
    "auditor/studies/__init__.py": '    "templates": ',
    "auditor/api.py": "    syntax = Method(",
    "tests/laws/asked.py": '        Question("templates", ',
}


@pytest.mark.full
def test_example_of_a_study_passes_as_it_is_written(tmp_path: Path) -> None:
    for name in subprocess.check_output(["git", "ls-files", "-z"], cwd=ROOT, text=True).split("\0")[:-1]:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, tmp_path / name)
    recipe = text_of(ROOT / "CONTRIBUTING.md").partition("## Adding a study\n")[2].partition("\n## ")[0]
    steps = re.findall(r"^\*\*\d\. `(.+?)`\*\*.*?^```\w+\n(.*?)^```$", recipe, re.DOTALL | re.MULTILINE)
    for name, block in steps:
        add(tmp_path / name, block, PLACES.get(name))
    add(tmp_path / "auditor" / "api.py", "    spread,\n", "    syntax,\n")
    (commands,) = re.findall(r"^```sh\n(.*?)^```$", recipe, re.DOTALL | re.MULTILINE)
    asked = [line.partition("#")[0].split() for line in commands.splitlines()]
    ours = {"PYTHONPATH": str(tmp_path), "PYTHONPYCACHEPREFIX": str(tmp_path / "pycache")}
    folder = Path(sys.executable).parent
    for program, *arguments in [*asked, [".venv/bin/ruff", "check"], [".venv/bin/ruff", "format", "--check"]]:
        if Path(program).name in ("python", "pytest", "ruff"):
            command = [folder / Path(program).name, *arguments]
            done = subprocess.run(
                command, check=False, cwd=tmp_path, env=os.environ | ours, capture_output=True, text=True
            )
            assert done.returncode == 0, f"{command}:\n{done.stdout[-5000:]}{done.stderr[-5000:]}"


def add(file: Path, block: str, before: str | None) -> None:
    """Write a file, or add lines to it, before the first line that begins with these words or at its end."""
    file.parent.mkdir(parents=True, exist_ok=True)
    text = file.read_text(encoding="utf-8") if file.exists() else ""
    at = len(text) if before is None else text.index(f"\n{before}") + 1
    file.write_text(text[:at] + block + text[at:], encoding="utf-8")
