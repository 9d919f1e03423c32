"""Checks of a user in datasets.toml: each `[finding.NAME]` as a record, and the lines of a TOML file."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from auditor.errors import UsageError
from auditor.model import Check

FINDING = "finding"
_FORMS, _SEVERITIES = ("where", "pattern", "requires"), ("error", "warning", "notice")


def declared_checks(file: Path, table: Any) -> tuple[Check, ...]:
    """Read the table `finding` of a file. Raises `UsageError` for a check without one form, and for wrong values."""
    places = lines_of(file) if table else {}
    return tuple(_check(file, name, entry, places) for name, entry in dict(table).items())


def _check(file: Path, name: str, entry: Any, places: Mapping[str, int]) -> Check:
    forms = [form for form in _FORMS if isinstance(entry, dict) and form in entry]
    line = places.get(f"{FINDING}.{name}.{forms[0]}" if forms else f"{FINDING}.{name}", 0)
    where = f"{file}{f':{line}' * bool(line)}: [{FINDING}.{name}]"
    if len(forms) != 1 or not re.fullmatch("[a-z][a-z0-9-]*", name):
        raise UsageError(
            f"{where}: write exactly one of {', '.join(_FORMS)}, and its name in small letters and hyphens"
        )
    values = {"severity": "warning", "title": name.replace("-", " ").capitalize(), **entry}
    for key, value in values.items():
        is_text = isinstance(value, str) and bool(value.strip()) and key in (forms[0], "severity", "title")
        if not is_text or (key == "severity" and value not in _SEVERITIES):
            raise UsageError(f"{where}: {key} = {value!r}; expected texts: {forms[0]}, title, severity: error, …")
    return Check(name, values["title"], values["severity"], forms[0], values[forms[0]], where)


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
