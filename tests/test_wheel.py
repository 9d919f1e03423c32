"""What is published: a wheel and an sdist that hold everything, and work in an environment that holds nothing else."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from email import message_from_bytes
from pathlib import Path

import pytest
import release
import try_installation
from conftest import ROOT

from auditor import __version__
from auditor.scoring import citations

#: The largest wheel, and the most direct dependencies. The wheel had 1,983,000 bytes when this was set: the limit is for
#: what slips in by mistake, as a file of data would, and code may grow by a tenth before somebody looks again.
BYTES, DEPENDENCIES = 2_200_000, 13

#: The most that an installation takes on disk, without pip and bytecode; it had 618 when this was set.
MEGABYTES = 640

#: Seconds that a test with a whole installation may take; on a machine with other work it needs ten minutes.
SLOWEST = 1800

#: Packages by the names that are imported.
OTHERWISE_NAMED = {"PIL": "pillow", "backports": "backports_zstd", "compression": "backports_zstd"}


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
    assert {
        "pyproject.toml",
        "sql/macros.sql",
        "auditor/version.py",
        "tests/conftest.py",
        "CITATION.cff",
        "hatch_build.py",
    } <= inside


@pytest.mark.slow
def test_release_has_its_address_in_its_metadata(tmp_path: Path) -> None:
    address = "https://example.org/owner/auditor"
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", tmp_path]
    subprocess.run(build, cwd=ROOT, env={**os.environ, "AUDITOR_REPOSITORY": address}, check=True, capture_output=True)
    (wheel,) = tmp_path.iterdir()
    metadata = zipfile.ZipFile(wheel).read(f"auditor-{__version__}.dist-info/METADATA").decode()
    assert f"Project-URL: Repository, {address}\n" in metadata
    assert f"Project-URL: Changelog, {address}/blob/v{__version__}/CHANGELOG.md\n" in metadata
    place = tmp_path / f"auditor-{__version__}.dist-info"
    place.mkdir()
    (place / "METADATA").write_text(metadata)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "path", [str(tmp_path), *sys.path])
        assert f"url = {{{address}}}" in next(iter(citations.entries(())))


def test_version_and_date_are_stated_once_and_cited() -> None:
    assert "version" in tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dynamic"]
    assert list(release.missing()) == []
    lacks = list(release.missing_for_release("v9", "https://example.org/owner/auditor"))
    assert f"tag v{__version__}: v9" in lacks
    assert 'CITATION.cff: repository-code: "https://example.org/owner/auditor"' in lacks


def test_what_is_imported_is_declared() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    needs = [*project["dependencies"], *(need for extra in project["optional-dependencies"].values() for need in extra)]
    declared = {re.split(r"[^\w-]", need)[0].replace("-", "_").lower() for need in needs}
    for file in (ROOT / "auditor").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            names = [one.name for one in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            for name in {name.partition(".")[0] for name in names} - {"auditor", "", "_typeshed"}:
                known = name in sys.stdlib_module_names | declared or OTHERWISE_NAMED.get(name) in declared
                assert known, f"{file.name} imports {name}, which pyproject.toml does not declare"


@pytest.mark.full
@pytest.mark.timeout(SLOWEST)
def test_wheel_works_in_an_environment_of_the_newest_python(built: Path, tmp_path: Path) -> None:
    (wheel,) = built.glob("*.whl")
    made = try_installation.Installation(next(try_installation.pythons()), tmp_path)
    with _a_registry():
        made.install(wheel)
    try_installation.try_commands(made)
    assert made.size() <= MEGABYTES


@pytest.mark.full
@pytest.mark.timeout(SLOWEST)
def test_action_and_hooks_work_from_a_checkout(tmp_path: Path) -> None:
    if shutil.which("bash") is None:
        pytest.skip("no bash, which GitHub runs the script with")
    made = try_installation.Installation(sys.executable, tmp_path)
    with _a_registry():
        try_installation.try_action(made)
    try_installation.try_hooks(made)


@contextmanager
def _a_registry() -> Iterator[None]:
    try:
        yield
    except try_installation.NoRegistryError:
        pytest.skip("no package registry can be reached")


def test_actions_of_others_are_named_by_hash() -> None:
    files = [ROOT / "action.yml", *(ROOT / ".github" / "workflows").glob("*.yml")]
    used = [line for file in files for line in file.read_text().splitlines() if "uses:" in line]
    assert used
    for line in used:
        assert re.search(r"uses: [\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", line), line
