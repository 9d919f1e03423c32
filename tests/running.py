"""Runs the command line inside the test process, and returns what a process of its own would leave.

A start costs half a second of CPU. Tests start a process only where standard input, signals, limits, pipes or the start
itself are the claim.
"""

from __future__ import annotations

import io
import json
import os
import sys
import tempfile
import warnings
from pathlib import Path
from subprocess import CompletedProcess, run

import pytest

from auditor.cli.app import main
from auditor.cli.verbosity import VERBOSITY, Verbosity

Run = CompletedProcess[str]

SCHEMAS = Path(__file__).parents[1] / "docs" / "schemas"

#: A process of its own between the tests and the command: a child is charged with the memory of its parent.
_MEASURE = """
import pathlib, resource, subprocess, sys
code = subprocess.run(sys.argv[2:], timeout=60).returncode
pathlib.Path(sys.argv[1]).write_text(str(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss))
sys.exit(code)
"""


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
    printed = [stream.buffer.getvalue().decode() for stream in (out, err)]  # type: ignore[attr-defined]
    _validate(printed[0])
    return Run(arguments, code or 0, *printed)


def _validate(printed: str) -> None:
    """Check any JSON of a result against its schema in docs/schemas; of many rows, the first."""
    if not printed.startswith(('{\n  "auditor.', '{"auditor.')):
        return
    from jsonschema import Draft202012Validator

    document = json.loads(printed)
    (key,) = document
    schema = SCHEMAS / f"{key.removeprefix('auditor.').partition('/')[0]}.json"
    if "rows" in document[key]:
        document[key]["rows"] = document[key]["rows"][:20]
    Draft202012Validator(json.loads(schema.read_text())).validate(document)


def run_apart(*arguments: str, **environment: str) -> tuple[Run, int]:
    """Run `auditor ARGUMENTS` in a process of its own; return what it left and the most bytes of memory it had."""
    with tempfile.TemporaryDirectory() as folder:
        peak = Path(folder) / "peak"
        command = [sys.executable, "-c", _MEASURE, str(peak), sys.executable, "-m", "auditor", *arguments]
        done = run(command, capture_output=True, text=True, env={**os.environ, **environment}, check=False)
        return done, int(peak.read_text()) * (1 if sys.platform == "darwin" else 1024)
