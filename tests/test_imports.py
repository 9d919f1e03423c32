"""What a command imports: libraries that take long to import are imported by the commands that use them."""

from __future__ import annotations

import subprocess
import sys

import pytest

_LOADED = """
import sys
from auditor.cli import app, derived, options
from auditor import reports
from auditor.studies import STUDIES
STUDIES[sys.argv[1]].load()
print(*sys.modules)
"""

#: Packages that take a tenth of a second or more, and readers and writers of every format.
_SLOW = (
    "asyncio", "auditor.reports.html", "auditor.reports.latex", "auditor.sources", "fsspec", "matplotlib", "numba",
    "numpy", "PIL", "requests", "scipy.optimize", "scipy.sparse", "scipy.special", "scipy.stats", "spacy",
)  # fmt: skip

#: Commands with what they read, of the above.
_COMMANDS = {
    "score": (), "bounds": (), "compare": (), "profile": (), "datasets": (), "correlate": (), "choices": (),
    "findings": (), "duplicates": (), "outliers": (), "diversity": ("auditor.sources", "asyncio"),
    "ingest": ("auditor.sources", "asyncio"),
}  # fmt: skip


@pytest.mark.parametrize("command", _COMMANDS)
def test_command_imports_what_it_uses(command: str) -> None:
    done = subprocess.run([sys.executable, "-c", _LOADED, command], capture_output=True, text=True, check=True)
    imported = {*done.stdout.split()}
    assert [name for name in _SLOW if name in imported and name not in _COMMANDS[command]] == []
    assert len(imported) < 820
