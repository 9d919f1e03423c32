"""Which tests are of a file that differs from main: `make quick` runs these, whatever they need of a store.

TER and METEOR, whose kernels take longest, are tested there only if something of theirs differs.
"""

from __future__ import annotations

import functools
import subprocess
from pathlib import Path

import pytest

from auditor.store.sqlfiles import SqlFile, catalogue, reads_of

_ROOT = Path(__file__).parents[1]

#: The kernels whose tests take longest, and what they share.
_KERNELS = ("meteor", "ter")
_SHARED = (
    "auditor/compiled",
    "auditor/arrays",
    "auditor/metrics/kernels/edit_distance",
    "auditor/metrics/kernels/shifts",
)


def tests_what_changed(item: pytest.Item) -> bool:
    """Return whether a test is the case of a SQL file, or of a reader of one, that differs from main."""
    if item.name.startswith("test_case_holds["):
        file: SqlFile = item.callspec.params["file"]  # type: ignore[attr-defined]
        read = {one for name in file.reads if name in catalogue() for one in (name, *reads_of(name))}
        paths = [file.path, *(catalogue()[name].path for name in read if name in catalogue())]
        differs = any({str(path.relative_to(_ROOT)), _case_of(path)} & _changed() for path in paths)
        return differs or "tests/cases/captions.toml" in _changed()
    return False


def tests_an_unchanged_kernel(item: pytest.Item) -> bool:
    """Return whether a test is of TER or METEOR, and neither it nor its kernel nor its metric differs from main."""
    name = item.path.stem.removeprefix("test_")
    kernel = next((kernel for kernel in _KERNELS if name.startswith(kernel)), None)
    if kernel is None or item.path.parent.name != "metrics":
        return False
    places = (f"auditor/metrics/kernels/{kernel}", f"auditor/metrics/{kernel}", f"tests/metrics/test_{name}")
    return not any(file.startswith((*places, *_SHARED)) for file in _changed())


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
