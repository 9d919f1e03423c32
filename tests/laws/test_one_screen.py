"""Law: a command begins with a sentence and fits a screen; with `--full` it prints that and all else."""

from __future__ import annotations

import io
import re
from collections import Counter

import pytest
from looked_at import Asked

from auditor.errors import AuditorError
from auditor.reports import terminal
from auditor.reports.terminal.document import show
from auditor.result import Result
from auditor.result.document import Document

pytestmark = pytest.mark.slow

EXCUSED = {"report": "it begins with its title, and the answer is next"}

#: What only a cut screen has: the lines on what is left out, findings in a line, and cut signatures.
_CUT = re.compile(r"^(?:More with --full: |… \d[\d,]* more rows?$|(?:error|warning|notice) |\S+\|.*…$).*", re.MULTILINE)


def drawn(answer: Result | Document, *, full: bool) -> str:
    out = io.StringIO()
    screen = terminal.Screen(out, color=False, width=100)
    screen.cuts_signatures = not full
    if full:
        screen.most = None
    show(answer, screen) if isinstance(answer, Document) else terminal.show(answer, screen)
    return out.getvalue()


def test_a_command_fits_a_screen_and_full_has_all_of_it(asked: Asked) -> None:
    faults = []
    for command, answer in asked.answers.items():
        if isinstance(answer, AuditorError):
            continue
        screen, whole = drawn(answer, full=False), drawn(answer, full=True)
        first = str(answer.lead[0]) if isinstance(answer, Result) and answer.lead else ""
        faults += [
            (command, fault)
            for fault in (
                Counter(_CUT.sub("", screen).split()) - Counter(whole.split()),
                max(screen.count("\n") - 45, 0),
                command not in EXCUSED and not first.endswith(".") and "no sentence",
                not " ".join(screen.split()).startswith(" ".join(first.split())) and "another begin",
            )
            if fault
        ]
    assert not faults
