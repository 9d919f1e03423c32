"""A user's script is checked by `mypy --strict` against the types of the library; the wheel says that it has them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT

SCRIPT = """
from pathlib import Path

import polars as pl

import auditor
from auditor.errors import AuditorError


@auditor.metric
def shared(candidate: str, references: list[str]) -> float:
    return float(candidate in references)


@auditor.metric(name="lengths", columns=True)
def lengths(candidates: pl.Series, references: pl.Series) -> pl.Series:
    return candidates.str.len_chars() / references.list.len()


def worst(audit: auditor.Auditor) -> list[auditor.Finding]:
    found: auditor.Result = audit.findings("mine")
    return [one for one in found.findings if one.severity == "warning"]


try:
    with auditor.open("audit.duckdb", write=True) as audit:
        audit.ingest("mine", data=[{"image": "a", "caption": "a dog"}])
        bounds = audit.bounds("mine", metrics=[shared, "lengths"], candidates=["human"])
        rows: pl.DataFrame = bounds.frame
        where: list[Path] = bounds.save("bounds.csv")
        svg: list[str] = [*bounds.plot().svgs.values()]
        report: auditor.Document = audit.report("mine")
        audit.words("mine", "yours", against="others", evaluation="people", by="training")
        audit.bounds("mine", "yours", draws=3)
        audit.bounds("mine", workers=2, file=Path("scores.parquet"))
        audit.findings("mine", captions_only=True, known=Path("known.json"))
        audit.findings("shards/*.parquet", verdicts=Path("verdicts"), workers=2)
        audit.score("mine", rank=True, references=5)
        audit.score("mine", candidates=["a"], missing="empty")
        audit.score("mine", preset="coco", candidates=["a"])
        print(rows.height, where, svg, report.save("report.html"), worst(audit), shared("a", ["a"]))
except AuditorError as error:
    print(error.exit_code)
"""

#: What the types refuse: no such parameter, no such name, a number for a name.
WRONG = """
import auditor

with auditor.open(5) as audit:
    audit.profile("mine", metric="cider")
    audit.compare("mine").nothing
"""

#: Options of two forms of a command, and a form without what it requires.
MIXED = {
    'audit.bounds("mine", metric="cider")',
    'audit.bounds("mine", draws=3, workers=2)',
    'audit.bounds("mine", "yours", executor="here")',
    'audit.score("mine", rank=True, candidates=["a"])',
    'audit.findings("mine", workers=2)',
    'audit.findings("mine", verdicts=Path("verdicts"), captions_only=True)',
    'audit.score("mine", preset="coco")',
    'audit.score("mine", preset="coco", candidates=["a"], metrics=["cider"])',
    'audit.words("mine", against="others", importance=2, all_images=True)',
}


def checked(text: str) -> subprocess.CompletedProcess[str]:
    Path("script.py").write_text(text)
    asked = [
        sys.executable,
        "-m",
        "mypy",
        "--strict",
        "--follow-imports",
        "silent",
        "--cache-dir",
        "cache",
        "script.py",
    ]
    around = {**os.environ, "MYPYPATH": str(ROOT)}
    return subprocess.run(asked, env=around, capture_output=True, text=True, check=False)


@pytest.mark.full
def test_script_of_a_user_passes_mypy_strict_and_a_wrong_one_does_not() -> None:
    right = checked(SCRIPT)
    assert right.returncode == 0, right.stdout + right.stderr
    wrong = checked(WRONG)
    assert wrong.returncode == 1
    assert 'Argument 1 to "open" has incompatible type "int"' in wrong.stdout
    assert 'Unexpected keyword argument "metric"' in wrong.stdout
    assert 'has no attribute "nothing"' in wrong.stdout
    mixed = checked(
        "\n".join(
            ["from pathlib import Path", "import auditor", 'audit = auditor.open("audit.duckdb")', *sorted(MIXED)]
        )
    )
    assert mixed.stdout.count('No overload variant of "__call__" of "Forms" matches') == len(MIXED), mixed.stdout


def test_types_are_marked() -> None:
    assert (ROOT / "auditor" / "py.typed").is_file()
