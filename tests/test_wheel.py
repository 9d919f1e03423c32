"""The wheel, installed into an empty environment, runs the demo: everything it needs is inside."""

from __future__ import annotations

import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest
from conftest import ROOT


@pytest.mark.full
def test_wheel_runs_the_demo_in_an_empty_environment(tmp_path: Path) -> None:
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    wheel = next(tmp_path.glob("*.whl"))
    names = zipfile.ZipFile(wheel).namelist()
    for wanted in (
        "auditor/sql/metrics/bleu/bleu.sql",
        "auditor/sql/relations.toml",
        "auditor/sql/facts/signs.toml",
        "auditor/sql/distractors/words.toml",
        "auditor/sql/macros.sql",
        "auditor/datasets.toml",
        "auditor/findings/kinds.toml",
        "auditor/sample/narrow.token",
        "auditor/py.typed",
    ):
        assert wanted in names
    assert not [name for name in names if name.startswith("tests/")]

    venv.create(tmp_path / "empty")
    python = tmp_path / "empty" / "bin" / "python"
    pip = [sys.executable, "-m", "pip", "--python", python]
    install = [*pip, "install", "--quiet", "--no-compile", "-c", ROOT / "constraints.txt", wheel]
    installed = subprocess.run(install, capture_output=True, text=True, check=False)
    if installed.returncode and ("No matching distribution" in installed.stderr or "onnection" in installed.stderr):
        pytest.skip("no package registry can be reached")
    assert installed.returncode == 0, installed.stderr
    auditor = tmp_path / "empty" / "bin" / "auditor"
    done = subprocess.run([auditor, "demo"], capture_output=True, text=True, cwd=tmp_path, check=False)
    assert done.returncode == 0, done.stderr
    assert "homogeneity" in done.stdout
    listed = subprocess.run([auditor, "ingest", "nope"], capture_output=True, text=True, cwd=tmp_path, check=False)
    assert "datasets.toml, which has abstract-scenes" in listed.stderr
