"""Law: a command that an answer or a refusal names runs where the reader stands."""

from __future__ import annotations

import json
import re
import shlex

import pytest
from asked import told
from looked_at import Asked
from running import run_auditor

pytestmark = pytest.mark.slow

_COMMAND = re.compile(r"`(auditor [^`]+)`")

#: What needs the network, or a file that only the reader has.
_OUTSIDE = re.compile(r"auditor (ingest|fetch)\b|\b[A-Z]{3,}\b|\.\.\.|…")


def test_commands_run(asked: Asked) -> None:
    for command, answer in asked.answers.items():
        for named in sorted({*_COMMAND.findall(json.dumps(told(answer), ensure_ascii=False))}):
            if not _OUTSIDE.search(named):
                typed = shlex.split(named)[1:]
                done = run_auditor(*typed, folder=asked.folder, AUDITOR_STORE=str(asked.store))
                assert done.returncode in (0, 1), (command, named, done.stderr)
