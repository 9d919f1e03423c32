"""To how many functions is the store handed, on the way of a command over a new store with a bundled sample?

python benchmarks/walk.py [COMMAND …]        by default: score sample-flawed -m cider

A function counts once, if an argument is the store, or an attribute of its `self`. Imports do not count.
"""

from __future__ import annotations

import sys
import tempfile
from contextlib import redirect_stdout
from pathlib import Path
from types import FrameType

import auditor
from auditor.cli.app import main
from auditor.store.connection import Store

HOME = Path(auditor.__file__).parent


def is_handed(frame: FrameType) -> bool:
    """Return whether a function that is called has the store as an argument, or in its `self`."""
    code = frame.f_code
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    own = getattr(frame.f_locals.get("self"), "__dict__", {}) if "self" in names else {}
    return any(isinstance(value, Store) for value in (*(frame.f_locals.get(name) for name in names), *own.values()))


def walk(command: list[str]) -> set[str]:
    """Run a command in this process, and name the functions that were handed the store, by file."""
    handed, importing = set[str](), list[str]()

    def note(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event not in ("call", "return") or not code.co_filename.startswith(str(HOME)):
            return
        if code.co_name == "<module>":
            importing.append(code.co_filename) if event == "call" else importing.pop()
        elif event == "call" and not importing and not code.co_name.startswith("<") and is_handed(frame):
            handed.add(f"{Path(code.co_filename).relative_to(HOME)}: {code.co_qualname}")

    sys.setprofile(note)
    try:
        main(command)
    except SystemExit as end:  # which each command ends with
        sys.setprofile(None)
        if end.code:
            raise
    return handed


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder, redirect_stdout(sys.stderr):
        store = ["--store", f"{folder}/audit.duckdb"]
        walk(["ingest", "sample-flawed", "--from", str(HOME / "sample" / "flawed.json"), *store])
        handed = walk([*(sys.argv[1:] or ["score", "sample-flawed", "-m", "cider"]), *store])
    print(*sorted(handed), sep="\n", file=sys.stderr)
    print(len(handed))
