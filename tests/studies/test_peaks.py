"""What whole commands hold in memory at their peak, on real data."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT

_STATUS = Path("/proc/self/status")
_MOST = 2 << 20  # KiB
_CHILD = """
import sys
from pathlib import Path
from auditor.cli import app
code = 0
try:
    app.main(sys.argv[1:])
except SystemExit as end:
    code = end.code or 0
peak = next(line for line in Path('/proc/self/status').read_text().splitlines() if line.startswith('VmHWM'))
print(code, peak.split()[1], file=sys.stderr)
"""

pytestmark = [
    pytest.mark.full,
    pytest.mark.skipif(not _STATUS.exists(), reason="ru_maxrss counts what the parent held, /proc does not"),
]


def _peak(*command: str) -> tuple[int, int]:
    """Run a command in a process of its own, and give its exit code and its peak in KiB."""
    done = subprocess.run(
        [sys.executable, "-c", _CHILD, *command, "--store", "audit.duckdb"],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    code, peak = done.stderr.splitlines()[-1].split()
    return int(code), int(peak)


@pytest.mark.usefixtures("data")
@pytest.mark.parametrize(
    ("datasets", "command"),
    [
        (["flickr8k"], ["bounds", "flickr8k:test", "-o", "bounds.json", "--json"]),
        (["flickr8k"], ["report", "flickr8k", "--format", "md", "-o", "report.md"]),
        (["flickr8k-ek", "flickr8k-ek-refs"], ["reproduce", "elliott2014", "-o", "elliott.json", "--json"]),
    ],
    ids=["bounds", "report", "reproduce"],
)
def test_a_command_stays_below_two_gib(datasets: list[str], command: list[str]) -> None:
    """Measured: bounds 0.73 GiB, report 0.96 GiB, reproduce 0.68 GiB; some 30 CPU seconds each."""
    assert _peak("ingest", *datasets)[0] == 0
    code, peak = _peak(*command)
    assert code in (0, 1)
    assert Path(command[command.index("-o") + 1]).stat().st_size
    assert peak < _MOST
