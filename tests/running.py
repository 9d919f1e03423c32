"""Runs the command line inside the test process, and returns what a process of its own would leave.

A start costs half a second of CPU. Tests start a process only where standard input, signals, limits, pipes or the start
itself are the claim.
"""

from __future__ import annotations

import io
import os
import sys
import warnings
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from auditor.cli.app import main
from auditor.cli.verbosity import VERBOSITY, Verbosity

Run = CompletedProcess[str]


def run_auditor(*arguments: str, folder: Path | None = None, stdin: bytes = b"", **environment: str) -> Run:
    """Run `auditor ARGUMENTS` in a folder, without the caller's settings; `environment` adds variables."""
    encoding = environment.get("PYTHONIOENCODING", "utf-8")
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding=encoding, write_through=True) for _ in range(2))
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.startswith("AUDITOR_")]:
            patch.delenv(name)
        for name, value in {"COLUMNS": "120", **environment}.items():
            patch.setenv(name, value)
        for name, value in vars(Verbosity()).items():
            patch.setattr(VERBOSITY, name, value)
        patch.setattr(warnings, "showwarning", warnings.showwarning)  # which the command line replaces
        patch.chdir(folder or Path.cwd())
        patch.setattr(sys, "argv", ["auditor", *arguments])
        patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        patch.setattr(sys, "stdout", out)
        patch.setattr(sys, "stderr", err)
        with pytest.raises(SystemExit) as ended:
            main([*arguments])
    code = ended.value.code
    assert code is None or isinstance(code, int)
    printed = (stream.buffer.getvalue().decode() for stream in (out, err))  # type: ignore[attr-defined]
    return Run(arguments, code or 0, *printed)
