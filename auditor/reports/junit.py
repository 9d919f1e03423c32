"""JUnit XML: verdicts as test cases, one suite for each dataset. What cannot be answered is a skipped test."""

from __future__ import annotations

import re
from xml.etree import ElementTree as Xml

from auditor.reports import verdicts
from auditor.result import Result

#: What XML 1.0 has no place for, escaped or not, and what a terminal would obey (C1).
_FORBIDDEN = re.compile(r"[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def render(result: Result) -> str:
    """Give the document. The result's frame has a column `verdict`."""
    cases = verdicts.cases(result)
    root = Xml.Element("testsuites", {"name": f"auditor {result.command}", **_counts(cases)})
    for whose in dict.fromkeys(case.whose for case in cases):
        own = [case for case in cases if case.whose == whose]
        suite = Xml.SubElement(root, "testsuite", {"name": _text(whose), **_counts(own)})
        version = own[0].row["version"]
        if version is not None:
            held = Xml.SubElement(suite, "properties")
            Xml.SubElement(held, "property", {"name": "version", "value": version})
        for case in own:
            suite.append(_case(case))
    Xml.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + Xml.tostring(root, encoding="unicode") + "\n"


def _case(case: verdicts.Case) -> Xml.Element:
    facts = {"classname": case.whose, "name": case.name, "file": case.row["file"]}
    made = Xml.Element("testcase", {key: _text(str(fact)) for key, fact in facts.items() if fact is not None})
    if case.failed:
        failure = Xml.SubElement(made, "failure", {"message": _text(case.message), "type": "gate"})
        failure.text = _text(case.details)
    elif not case.passed:
        Xml.SubElement(made, "skipped", {"message": _text(case.message)})
    return made


def _counts(cases: list[verdicts.Case]) -> dict[str, str]:
    failed = sum(case.failed for case in cases)
    passed = sum(case.passed for case in cases)
    counts = {"tests": len(cases), "failures": failed, "errors": 0, "skipped": len(cases) - failed - passed}
    return {name: str(count) for name, count in counts.items()}


def _text(value: str) -> str:
    return _FORBIDDEN.sub("\N{REPLACEMENT CHARACTER}", value)
