"""Law: a printed command runs where the reader stands. A command for the reader to fill in has options that belong together."""

from __future__ import annotations

import html
import json
import re
import shlex
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from asked import told
from conftest import ROOT
from looked_at import Asked
from running import run_auditor
from worlds import Shape, put, world

from auditor.asked import arguments
from auditor.asking import held_of
from auditor.cli import derived
from auditor.cli.app import LISTED
from auditor.findings import KINDS
from auditor.store.connection import Store

pytestmark = pytest.mark.slow

_CODE = re.compile(r"`(auditor [^`]+)`")

#: What stands for a word in capitals, which only the reader knows: a dataset of the world, or a file of it.
_FILLED = {
    "DATASET": "refs", "NAME": "refs", "A": "refs", "B": "others", "OTHER": "others", "SYSTEM": "first",
    "RATINGS": "stars", "FILE": "refs.json", "FILE.csv": "out.csv", "METRIC": "cider", "K": "2", "FOLDER": "folder",
    "SHARDS": "refs.parquet",
}  # fmt: skip

SAMPLE = ROOT / "auditor" / "sample"


def printed(text: str) -> set[str]:
    """Return the commands in a text: code in sentences, and lines of code."""
    lines = (line.strip() for line in html.unescape(re.sub("<[^>]+>", "\n", text)).split("\n"))
    whole = {line for line in lines if line.startswith("auditor ") and line.split()[1] in LISTED}
    listed = {json.loads(f'"{one}"') for one in re.findall(r'"(auditor (?:[^"\\]|\\.)+)"', text)}
    return {*_CODE.findall(text), *whole, *(one for one in listed if one.split()[1] in LISTED)}


def ran(command: str, folder: Path, **environment: str) -> None:
    """Run a command; one to fill in, one that needs the network, and the name of a command are only read."""
    for part in command.split(" && "):
        words = shlex.split(part)[1:]
        filled = [_FILLED.get(word, word) for word in words]
        to_fill = filled != words or words[0] == "fetch"
        ...
