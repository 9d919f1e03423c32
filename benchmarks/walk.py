"""Which functions of ours does a command pass through, and in how many files?

python benchmarks/walk.py COMMAND …        such as: score mine -m cider --store audit.duckdb

A command passes a function where one of its arguments is the store, or holds it: a workspace, captions of the store.
What runs while a module is imported is left out; comprehensions and lambdas belong to the function around them.
"""

from __future__ import annotations

import sys
import threading
from collections import Counter
from inspect import CO_OPTIMIZED
from pathlib import Path
from types import FrameType
from typing import Any

import auditor
from auditor.cli.app import main
from auditor.store.connection import Store

_HOME = str(Path(auditor.__file__).parent)


def holds_store(value: Any) -> bool:
    """Return whether a value is the store, or one of its attributes is."""
    return isinstance(value, Store) or any(isinstance(held, Store) for held in getattr(value, "__dict__", {}).values())


class Walk:
    """Functions that ran, by file and name, with how often, and those that were handed the store."""

    def __init__(self) -> None:
        self.ran: Counter[tuple[str, str]] = Counter()
        self.passed: Counter[tuple[str, str]] = Counter()
        self._importing = 0

    def __call__(self, frame: FrameType, event: str, _: Any) -> None:
        """Take one event of the interpreter."""
        code = frame.f_code
        if not code.co_filename.startswith(_HOME) or event not in ("call", "return"):
            return
        if code.co_name == "<module>":
            self._importing += 1 if event == "call" else -1
        if event == "return" or self._importing or code.co_name.startswith("<") or not code.co_flags & CO_OPTIMIZED:
            return
        name = code.co_filename[len(_HOME) + 1 :], code.co_qualname
        self.ran[name] += 1
        arguments = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        if any(holds_store(frame.f_locals.get(argument)) for argument in arguments):
            self.passed[name] += 1


def walk(command: list[str]) -> Walk:
    """Run a command in this process, and return what it passed."""
    taken = Walk()
    threading.setprofile(taken)
    sys.setprofile(taken)
    try:
        main(command)  # without arguments it would end the process
    except SystemExit as end:
        if end.code:
            raise
    finally:
        sys.setprofile(None)
        threading.setprofile(None)  # type: ignore[arg-type]  # None ends it
    return taken


if __name__ == "__main__":
    taken = walk(sys.argv[1:])
    for file in sorted({file for file, _ in taken.ran}):
        names = ", ".join(name for at, name in taken.passed if at == file)
        print(f"{file}: {names or '-'}", file=sys.stderr)
    files, of_store = len({file for file, _ in taken.ran}), len({file for file, _ in taken.passed})
    print(
        f"{len(taken.ran)} functions of ours ran, in {files} files; "
        f"{len(taken.passed)} were handed the store, in {of_store} files",
        file=sys.stderr,
    )
