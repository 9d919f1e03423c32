"""A report as records: sections of words, tables, figures and results. It knows no medium and no study."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from auditor.figure import Figure
from auditor.model import Result, Selection, Table


@dataclass(frozen=True)
class Statement:
    """One SELECT behind the numbers: its name, its place below `sql/`, and its text with the header."""

    name: str
    path: str
    text: str


@dataclass(frozen=True)
class Section:
    """One part of a report.

    `words` are sentences in plain words, `summary` those of them that stand for the section at the head of the report.
    `tables` are shown, `further` ones where a reader asks for them; `results` carry all rows. `commands` make the
    numbers again, `sql` names the SELECTs behind them. `absent` says why there is nothing, and what would help.
    """

    name: str
    title: str
    words: tuple[str, ...] = ()
    summary: tuple[str, ...] = ()
    results: tuple[Result, ...] = ()
    tables: tuple[Table, ...] = ()
    further: tuple[Table, ...] = ()
    figures: tuple[Figure, ...] = ()
    notes: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    sql: tuple[str, ...] = ()
    absent: str | None = None

    def record(self) -> dict[str, Any]:
        """Give the section as a JSON object; its results are those of their commands."""
        return {
            "name": self.name,
            "title": self.title,
            "words": list(self.words),
            "absent": self.absent,
            "commands": list(self.commands),
            "sql": list(self.sql),
            "notes": list(self.notes),
            "results": [json.loads(result.to_json()) for result in self.results],
        }


@dataclass(frozen=True)
class Document:
    """A whole report. `program` is the software that made it; `made_at` says when, unless nobody wants to know.

    `level` is that of its heading, where it is a part of another text.
    """

    title: str
    selections: tuple[Selection, ...]
    sections: tuple[Section, ...]
    program: str
    made_at: str | None = None
    signatures: Mapping[str, str] = field(default_factory=dict)
    statements: tuple[Statement, ...] = ()
    level: int = 1

    def to_json(self) -> str:
        """Give the report as the documented JSON object, `{"auditor.report/v1": {...}}`."""
        body = {
            "title": self.title,
            "made_at": self.made_at,
            "program": self.program,
            "versions": [selection.record() for selection in self.selections],
            "signatures": dict(self.signatures),
            "sections": [section.record() for section in self.sections],
            "sql": {statement.path: statement.text for statement in self.statements},
        }
        return json.dumps({"auditor.report/v1": body}, ensure_ascii=False, allow_nan=False, indent=2)
