"""Verdicts of a result, as JUnit XML."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any
from xml.etree import ElementTree as Xml

from auditor.reports.cells import text
from auditor.result import Result


@dataclass(frozen=True)
class Case:
    """One row of a result with column `verdict`: its dataset, its name, its values."""

    whose: str
    name: str
    row: dict[str, Any]

    @property
    def passed(self) -> bool:
        """Return whether it holds."""
        return bool(self.row["verdict"] == "passed")

    @property
    def failed(self) -> bool:
        """Return whether it does not hold. A case that neither passed nor failed is not answerable."""
        return bool(self.row["verdict"] == "failed")

    @property
    def message(self) -> str:
        """Return why, in one sentence."""
        return str(self.row["reason"] or self.row["verdict"])

    @property
    def details(self) -> str:
        """Return what the message does not say, one a line: the interval, the version and the signature."""
        named = ("low", "high", "version", "signature")
        return "\n".join(f"{name}: {text(self.row[name])}" for name in named if self.row[name] is not None)


def cases(result: Result) -> list[Case]:
    """Return every row of a result that has verdicts."""
    return [Case(_whose(row), _name(row), row) for row in result.frame.iter_rows(named=True)]


def _whose(row: dict[str, Any]) -> str:
    dataset = row["dataset"] or "store"
    return dataset if row["split"] is None else f"{dataset}:{row['split']}"


def _name(row: dict[str, Any]) -> str:
    metric = row["metric"]
    return row["gate"] if metric is None or metric in row["gate"] else f"{row['gate']} ({metric})"


#: Characters that XML 1.0 excludes, escaped or not, and those that a terminal would obey (C1).
_FORBIDDEN = re.compile(r"[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit(result: Result) -> str:
    """Return JUnit XML, a suite per dataset. The frame has column `verdict`; what is not answerable is skipped."""
    every = cases(result)
    root = Xml.Element("testsuites", {"name": f"auditor {result.command}", **_counts(every)})
    for whose in dict.fromkeys(case.whose for case in every):
        own = [case for case in every if case.whose == whose]
        suite = Xml.SubElement(root, "testsuite", {"name": _text(whose), **_counts(own)})
        version = own[0].row["version"]
        if version is not None:
            held = Xml.SubElement(suite, "properties")
            Xml.SubElement(held, "property", {"name": "version", "value": version})
        for case in own:
            suite.append(_test_case(case))
    Xml.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + Xml.tostring(root, encoding="unicode") + "\n"


def _test_case(case: Case) -> Xml.Element:
    facts = {"classname": case.whose, "name": case.name, "file": case.row["file"]}
    made = Xml.Element("testcase", {key: _text(str(fact)) for key, fact in facts.items() if fact is not None})
    if case.failed:
        failure = Xml.SubElement(made, "failure", {"message": _text(case.message), "type": "gate"})
        failure.text = _text(case.details)
    elif not case.passed:
        Xml.SubElement(made, "skipped", {"message": _text(case.message)})
    return made


def _counts(every: list[Case]) -> dict[str, str]:
    failed = sum(case.failed for case in every)
    passed = sum(case.passed for case in every)
    counts = {"tests": len(every), "failures": failed, "errors": 0, "skipped": len(every) - failed - passed}
    return {name: str(count) for name, count in counts.items()}


def _text(value: str) -> str:
    return _FORBIDDEN.sub("\N{REPLACEMENT CHARACTER}", value)
