"""Workflow commands of GitHub Actions: verdicts as annotations of the file that asks for them.

Errors for what failed, warnings for what cannot be answered, and a notice that counts.
"""

from __future__ import annotations

from collections import Counter

from auditor.reports import verdicts
from auditor.result import Result


def render(result: Result) -> str:
    """Give one command a line. The result's frame has a column `verdict`."""
    cases = verdicts.cases(result)
    counted = Counter(case.row["verdict"] for case in cases)
    lines = [_annotation(case) for case in cases if not case.passed]
    told = ", ".join(f"{number:,} {verdict}" for verdict, number in counted.items()) or "nothing to check"
    return "".join(f"{line}\n" for line in (*lines, f"::notice title={_property(f'auditor {result.command}')}::{told}"))


def _annotation(case: verdicts.Case) -> str:
    level = "error" if case.failed else "warning"
    facts = {"file": case.row["file"], "title": f"{case.whose}: {case.name}"}
    properties = ",".join(f"{key}={_property(str(fact))}" for key, fact in facts.items() if fact is not None)
    return f"::{level} {properties}::{_data(case.message)}"


def _data(value: str) -> str:
    """Escape as GitHub's own toolkit does (packages/core/src/command.ts)."""
    return value.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(value: str) -> str:
    return _data(value).replace(":", "%3A").replace(",", "%2C")
