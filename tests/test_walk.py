"""`benchmarks/walk.py` counts the functions to which the store is handed."""

from __future__ import annotations

import subprocess
import sys

import pytest
from conftest import ROOT

WALK = ROOT / "benchmarks" / "walk.py"

#: The most that `score -m cider` may have: hand `Captions` on, which hold the store, or ask once.
MOST = 75


@pytest.mark.slow
def test_walk_prints_to_how_many_functions_the_store_is_handed() -> None:
    if not WALK.exists():
        pytest.skip("benchmarks/ is not here")
    ended = subprocess.run([sys.executable, WALK], capture_output=True, text=True, check=True)
    named = [line for line in ended.stderr.splitlines() if line.startswith("store/")]
    assert len(named) < int(ended.stdout) <= MOST, ended.stderr
