"""Run the statements of docs/cookbook.md again and write what they print: `python docs/make_cookbook.py`."""

from __future__ import annotations

import contextlib
import re
import shlex
import shutil
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import make_commands as commands

PAGE = Path(__file__).parent / "cookbook.md"

_PREPARED = re.compile(r"```sh\n(.*?)```", re.DOTALL)

_RUN = re.compile(r'```console\n\$ (auditor sql "[^"]+")\n.*?```', re.DOTALL)


def again(page: str) -> str:
    """Give the page with what its statements print now, on the store that its first lines make."""
    prepared = _PREPARED.search(page)
    lines = prepared[1].splitlines() if prepared else []
    with tempfile.TemporaryDirectory() as made, commands.alone(), contextlib.chdir(made):
        shutil.copytree(commands.SAMPLE, "sample", ignore=shutil.ignore_patterns("*.lock"))
        sample = ("--config", "sample/datasets.toml")  # what `auditor demo` ingests
        commands.run(shlex.join(["auditor", "ingest", "sample-narrow", "sample-varied", "sample-flawed", *sample]))
        for line in lines[1:]:
            commands.run(line)
        return _RUN.sub(lambda found: f"```console\n$ {found[1]}\n{commands.run(found[1])}```", page)


if __name__ == "__main__":
    PAGE.write_text(again(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
