"""What is published: a wheel and an sdist that hold everything, and one line that audits a file in a bare environment."""

from __future__ import annotations

import re
import subprocess
import sys
import tarfile
import tomllib
import venv
import zipfile
from email import message_from_bytes
from pathlib import Path

import pytest
from conftest import ROOT

from auditor import __version__

#: The largest wheel, and the most direct dependencies. The wheel had 1,983,000 bytes when this was set: the limit is for
#: what slips in by mistake, as a file of data would, and code may grow by a tenth before somebody looks again.
BYTES, DEPENDENCIES = 2_200_000, 13

ROWS = ["image,caption", *(f"{n}.jpg,a dog number {n % 7} runs over grass {n}" for n in range(40))]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-d", folder], cwd=ROOT, check=True, capture_output=True
    )
    return folder


@pytest.mark.slow
def test_wheel_and_sdist_hold_everything_and_little_more(built: Path) -> None:
    (wheel,) = built.glob(f"auditor-{__version__}-py3-none-any.whl")
    archive = zipfile.ZipFile(wheel)
    names = archive.namelist()
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
    assert {name.partition("/")[0] for name in names} == {"auditor", f"auditor-{__version__}.dist-info"}
    assert wheel.stat().st_size <= BYTES
    metadata = message_from_bytes(archive.read(f"auditor-{__version__}.dist-info/METADATA"))
    direct = [need for need in metadata.get_all("Requires-Dist", []) if "extra ==" not in need]
    assert len(direct) <= DEPENDENCIES, direct
    (sdist,) = built.glob(f"auditor-{__version__}.tar.gz")
    with tarfile.open(sdist) as opened:
        inside = {name.partition("/")[2] for name in opened.getnames()}
    assert {"pyproject.toml", "sql/macros.sql", "auditor/version.py", "tests/conftest.py", "CITATION.cff"} <= inside


def test_version_is_stated_in_one_place() -> None:
    assert "version" in tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dynamic"]
    assert "version:" not in (ROOT / "CITATION.cff").read_text().replace("cff-version:", "")
    latest = re.search(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert latest is not None
    assert latest[1] == __version__


@pytest.mark.full
def test_wheel_audits_a_file_in_a_bare_environment(built: Path, tmp_path: Path) -> None:
    (wheel,) = built.glob("*.whl")
    venv.create(tmp_path / "bare")
    programs = tmp_path / "bare" / ("Scripts" if sys.platform == "win32" else "bin")
    pip = [sys.executable, "-m", "pip", "--python", next(programs.glob("python*"))]
    install = [*pip, "install", "--quiet", "--no-compile", "-c", ROOT / "constraints.txt", wheel]
    installed = subprocess.run(install, capture_output=True, text=True, check=False)
    if installed.returncode and ("No matching distribution" in installed.stderr or "onnection" in installed.stderr):
        pytest.skip("no package registry can be reached")
    assert installed.returncode == 0, installed.stderr
    auditor = next(programs.glob("auditor*"))

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([auditor, *arguments], capture_output=True, text=True, cwd=tmp_path, check=False)

    (tmp_path / "captions.csv").write_text("\n".join([*ROWS, "9.jpg,I cannot describe this image."]) + "\n")
    done = run("captions.csv")
    assert done.returncode == 0, done.stderr
    assert "refusals" in done.stdout
    assert "<title>Audit of captions" in (tmp_path / "captions.csv.audit.html").read_text()
    assert "datasets.toml, which has abstract-scenes" in run("ingest", "nope").stderr
