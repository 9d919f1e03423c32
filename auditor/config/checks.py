"""Checks of a user in datasets.toml: each `[finding.NAME]` as a record, and the lines of a TOML file."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from auditor.errors import UsageError
from auditor.model import Check
from auditor.result import SEVERITIES

#: The table of checks, and the three ways to write one.
FINDING = "finding"
_FORMS = ("where", "pattern", "requires")

_SEVERITIES = SEVERITIES[:3]

_NAME = re.compile(r"[a-z0-9][a-z0-9-]*")


def declared_checks(file: Path, table: Any) -> tuple[Check, ...]:
    """Read the table `finding` of a file. Raises `UsageError` for a check without one form, and wrong keys."""
    if not isinstance(table, dict):
        raise UsageError(f"{file}: [{FINDING}] must have a table for each check: [{FINDING}.stock-photos]")
    places = lines_of(file) if table else {}
    return tuple(_check(file, name, entry, places) for name, entry in table.items())


def _check(file: Path, name: str, entry: Any, places: Mapping[str, int]) -> Check:
    forms = [form for form in _FORMS if isinstance(entry, dict) and form in entry]
    line = places.get(f"{FINDING}.{name}.{forms[0]}") if forms else places.get(f"{FINDING}.{name}")
    where = f"{file}{'' if line is None else f':{line}'}: [{FINDING}.{name}]"
    if not _NAME.fullmatch(name):
        raise UsageError(f"{where}: expected a name of small letters, digits and hyphens")
    if len(forms) != 1:
        raise UsageError(f"{where}: write exactly one of {', '.join(_FORMS)}")
    entry = {"severity": "warning", "title": name.replace("-", " ").capitalize(), **entry}
    if unknown := entry.keys() - {forms[0], "severity", "title"}:
        raise UsageError(f"{where}: unknown key {min(unknown)}; the keys are {', '.join(_FORMS)}, severity, title")
    if wrong := [key for key, value in entry.items() if not isinstance(value, str) or not value.strip()]:
        raise UsageError(f"{where}: {wrong[0]} must be a text")
    if entry["severity"] not in _SEVERITIES:
        raise UsageError(f"{where}: severity must be one of {', '.join(_SEVERITIES)}, not {entry['severity']!r}")
    return Check(name, entry["title"], entry["severity"], forms[0], entry[forms[0]], where)


def lines_of(file: Path) -> dict[str, int]:
    """Return the line of each table and key of a TOML file by its dotted name; of `[[check.sql]]`, by its own name."""
    table, found = "", dict[str, int]()
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        if header := re.match(r"\s*\[{1,2}([^\]]+)\]", line):
            table = header[1].strip()
            found.setdefault(table.replace('"', ""), number)
        elif (pair := re.match(r"\s*([\w.\"'-]+)\s*=\s*(.*)", line)) is not None:
            is_statement = table.endswith("check.sql") and pair[1] == "name"
            name = pair[2].partition("#")[0].strip().strip("\"'") if is_statement else pair[1]
            found.setdefault(f"{table}.{name}".replace('"', ""), number)
    return found
