"""Which tests are of a file that differs from main: `make quick` runs these, whatever they need of a store."""

from __future__ import annotations

import functools
import subprocess
from pathlib import Path

import pytest

from auditor.store.sqlfiles import SqlFile, catalogue, reads_of

_ROOT = Path(__file__).parents[1]


def tests_what_changed(item: pytest.Item) -> bool:
    """Return whether a test is the case of a SQL file, or of a reader of one, or of a kernel, that differs from main."""
    if item.name.startswith("test_case_holds["):
        file: SqlFile = item.callspec.params["file"]  # type: ignore[attr-defined]
        read = {one for name in file.reads if name in catalogue() for one in (name, *reads_of(name))}
        paths = [file.path, *(catalogue()[name].path for name in read if name in catalogue())]
        return any({str(path.relative_to(_ROOT)), _case_of(path)} & _changed() for path in paths)
    kernel = item.path.stem.removeprefix("test_")
    return any(file.startswith(f"auditor/metrics/kernels/{kernel}") for file in _changed())


def _case_of(file: Path) -> str:
    return str(("tests/cases" / file.relative_to(_ROOT / "sql")).with_suffix(".toml"))


@functools.cache
def _changed() -> frozenset[str]:
    """List the files that differ from where this branch left main; none where git does not know."""
    for main in ("origin/main", "main"):
        asked = ["git", "diff", "--name-only", "--merge-base", main]
        told = subprocess.run(asked, cwd=_ROOT, capture_output=True, text=True, check=False)
        if told.returncode == 0:
            return frozenset(told.stdout.splitlines())
    return frozenset()
