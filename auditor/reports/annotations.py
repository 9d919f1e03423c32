"""Findings and failed gates at the lines of files: workflow commands of GitHub Actions, and SARIF 2.1.0."""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any
from urllib.parse import quote

from auditor.findings import KINDS, title
from auditor.findings.wording import advice
from auditor.reports.verdicts import cases
from auditor.result import SEVERITIES, Result, program

#: How many annotations of a level GitHub shows of a step, and how many results of a run it accepts.
_ANNOTATIONS, _RESULTS = 10, 25_000

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"


@dataclass(frozen=True)
class _Mark:
    """One annotation: its severity, the rule that it breaks, its words, and its place if it has one."""

    severity: str
    rule: str
    title: str
    message: str
    within: object
    line: int | None

    @property
    def file(self) -> str | None:
        """Return the path of its file, from the working folder if it is inside: GitHub takes no other."""
        path = Path(str(self.within))
        near = path.relative_to(Path.cwd()) if path.is_absolute() and path.is_relative_to(Path.cwd()) else path
        return None if self.within is None else near.as_posix()


def _marks(result: Result) -> Iterator[_Mark]:
    """Yield the annotations of a result: of gates that did not pass, or of findings, the worst first."""
    if "verdict" in result.frame.columns:
        for case in cases(result):
            if not case.passed:
                place = case.row["file"], case.row.get("line")
                named = f"{case.whose}: {case.name}"
                yield _Mark("error" if case.failed else "warning", case.row["gate"], named, case.message, *place)
        return
    listed = {(row["dataset"], row["kind"]) for row in result.frame.select("dataset", "kind").iter_rows(named=True)}
    rows = result.frame.to_dicts()
    for severity in SEVERITIES[:3]:
        for found in result.findings:
            if found.severity == severity and (found.about.get("dataset"), found.kind) not in listed:
                yield _Mark(severity, found.kind, title(found.kind), found.sentence, found.about.get("file"), None)
        for row in rows:
            if row["severity"] == severity:
                where = row["image"] if row["slot"] is None else f"{row['image']}#{row['slot']}"
                place = row.get("file"), row.get("line")
                yield _Mark(severity, row["kind"], title(row["kind"]), f"{where}: {row['why']}", *place)


def github(result: Result) -> str:
    """Return workflow commands of GitHub Actions, one per line, and a notice with counts.

    A failed gate is an error, one that is not answerable is a warning. Findings are as severe as they are. GitHub shows
    the first ten of each level.
    """
    shown, lines = Counter[str](), list[str]()
    for mark in _marks(result):
        shown[mark.severity] += 1
        if shown[mark.severity] <= _ANNOTATIONS:
            facts = {"file": mark.file, "line": mark.line, "title": mark.title}
            named = ",".join(f"{key}={_property(str(fact))}" for key, fact in facts.items() if fact is not None)
            lines.append(f"::{mark.severity} {named}::{_data(mark.message)}")
    verdicts = result.frame["verdict"] if "verdict" in result.frame.columns else ()
    counts = ", ".join(f"{number:,} {name}" for name, number in Counter(verdicts).items()) or " ".join(result.lead)
    notice = f"::notice title={_property(f'auditor {result.command}')}::{_data(counts) or 'nothing to check'}"
    return "".join(f"{line}\n" for line in (*lines, notice))


def _data(value: str) -> str:
    """Escape as GitHub's own toolkit does (packages/core/src/command.ts)."""
    return value.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(value: str) -> str:
    return _data(value).replace(":", "%3A").replace(",", "%2C")


def sarif(result: Result) -> str:
    """Return SARIF 2.1.0: a rule per kind of finding or gate, a result per line."""
    every = [*islice(_marks(result), _RESULTS)]
    rules = list(dict.fromkeys(mark.rule for mark in every))
    fixes = {finding.kind: advice(finding) for finding in reversed(result.findings)}
    name, _, version = program().partition(" ")
    driver = {"name": name, "version": version, "rules": [_rule(rule, fixes) for rule in rules]}
    results = [
        {
            "ruleId": mark.rule,
            "ruleIndex": rules.index(mark.rule),
            "level": mark.severity if mark.severity in ("error", "warning") else "note",
            "message": {"text": _plain(f"{mark.title}: {mark.message}")},
            "locations": [_place(mark)] if mark.file is not None else [],
        }
        for mark in every
    ]
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, ensure_ascii=False, indent=1) + "\n"


def _plain(text: str) -> str:
    """Escape what SARIF reads as a link, `[x](url)`, or as a placeholder, `{0}`."""
    text = text.replace("\\", r"\\").replace("[", r"\[").replace("]", r"\]") if "](" in text else text
    return re.sub(r"\{(\d+)\}", r"{{\1}}", text)


def _rule(name: str, fixes: Mapping[str, str]) -> dict[str, Any]:
    if name not in KINDS:
        return {"id": name, "shortDescription": {"text": f"gate {name}"}}
    kind = KINDS[name]
    words = {"shortDescription": kind.title, "fullDescription": kind.meaning, "help": fixes.get(name, kind.fix)}
    return {"id": name, **{key: {"text": text} for key, text in words.items()}}


def _place(mark: _Mark) -> dict[str, Any]:
    path = Path(str(mark.file))
    uri = path.as_uri() if path.is_absolute() else quote(os.fsencode(str(mark.file)))
    region = {"region": {"startLine": mark.line}} if mark.line else {}
    return {"physicalLocation": {"artifactLocation": {"uri": uri}, **region}}
