"""What a command imports: libraries that take long to import are imported by the commands that use them."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

#: Prints what each command imports, in a copy of a process that has imported what all of them do.
_LOADED = """
import os, sys
from auditor.cli import app, derived, options
from auditor import reports
from auditor.studies import STUDIES
for command in sys.argv[1:]:
    if not os.fork():
        STUDIES[command].load()
        print(command, *sys.modules, flush=True)
        os._exit(0)
    os.wait()
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


@pytest.mark.skipif(not hasattr(os, "fork"), reason="copies a process")
def test_command_imports_what_it_uses() -> None:
    program = [sys.executable, "-c", _LOADED, *_COMMANDS]
    lines = subprocess.run(program, capture_output=True, text=True, check=True).stdout.splitlines()
    loaded = {command: {*modules} for command, *modules in map(str.split, lines)}
    needless = {
        (command, name)
        for command, allowed in _COMMANDS.items()
        for name in _SLOW
        if name in loaded[command] and name not in allowed
    }
    assert needless == set()
    assert max(map(len, loaded.values())) < 820
