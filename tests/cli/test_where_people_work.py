"""The Action and the hooks for pre-commit, run here as GitHub and pre-commit run them."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT, searching_for
from running import run_auditor
from test_lines import FILE, REFUSED

yaml = pytest.importorskip("yaml", reason="no PyYAML, which reads action.yml")

pytestmark = pytest.mark.slow

#: `auditor`, which searches for two kinds where none is named.
PROGRAM = """from auditor.cli.app import main
from auditor.studies.findings import study
study.searched_by_default = lambda: ("refusals", "first-person-captions")
main()"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with captions, and a program `auditor` that runs this checkout."""
    (tmp_path / "captions.csv").write_text(FILE)
    program = tmp_path / "bin" / "auditor"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\nPYTHONPATH={shlex.quote(str(ROOT))} exec {sys.executable} -c '{PROGRAM}' \"$@\"\n")
    program.chmod(0o755)
    return tmp_path


def run(folder: Path, command: list[str], **environment: str) -> subprocess.CompletedProcess[str]:
    path = f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"
    settings = {**os.environ, "PATH": path, **environment}
    return subprocess.run(command, cwd=folder, env=settings, capture_output=True, text=True, check=False)


def test_script_of_the_action_annotates_the_right_lines(folder: Path) -> None:
    if shutil.which("bash") is None:
        pytest.skip("no bash, which GitHub runs the script with")
    action = yaml.safe_load((ROOT / "action.yml").read_text())
    step = next(one for one in action["runs"]["steps"] if one.get("id") == "findings")
    named = {key: value.strip("${} ").removeprefix("inputs.") for key, value in step["env"].items()}
    given = {"files": "capt*.csv", "fail-on": "warning", "sarif": "captions.sarif"}
    settings = {key: given.get(name, action["inputs"][name].get("default", "")) for key, name in named.items()}
    ran = run(folder, ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]], **settings)
    assert ran.returncode == 1, ran.stderr
    assert f"::warning file=captions.csv,line={REFUSED},title=" in ran.stdout
    assert json.loads((folder / "captions.sarif").read_text())["version"] == "2.1.0"


@searching_for("refusals", "first-person-captions")
def test_hooks_fail_on_bad_captions_and_pass_on_known_ones(folder: Path) -> None:
    hooks = {hook["id"]: hook for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())}
    entry = shlex.split(hooks["auditor-findings"]["entry"])
    arguments = ["--fail-on", "warning", "--baseline", "known.json"]
    assert run(folder, [*entry, *arguments, "--write-baseline", "captions.csv"]).returncode == 2, "a name is no option"
    writing = ["auditor", "findings", "--baseline", "known.json", "--write-baseline", "captions.csv"]
    assert run_auditor(*writing[1:], folder=folder).returncode == 0
    assert run(folder, [*entry, *arguments, "captions.csv"]).returncode == 0
    with (folder / "captions.csv").open("a") as file:
        file.write('7.jpg,"As an AI language model, I cannot see the image."\n')
    assert run(folder, [*entry, *arguments, "captions.csv"]).returncode == 1
    (folder / "datasets.toml").write_text(
        '[mine]\nkind = "captions"\nformat = "table"\npath = "captions.csv"\n[check]\nimages.min = 99\n'
    )
    assert run_auditor("ingest", "mine", folder=folder).returncode == 0
    assert run(folder, shlex.split(hooks["auditor-check"]["entry"])).returncode == 1
