"""A whole report: its sections, with their results, and the SELECTs behind its numbers; never how to show it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

import polars as pl

from auditor.model import Pictures, Selection
from auditor.result import JSON_VERSION, Figure, Finding, Result, Table, document_json
from auditor.result.display import Shown
from auditor.result.portraits import Portrait
from auditor.result.sentences import record

#: The name of the table with BibTeX entries.
BIBTEX = "bibtex"


@dataclass(frozen=True)
class Section:
    """One part of a report.

    `words` are sentences. `tables` are shown, `further` tables on request, and `results` carry all rows. `commands`
    recompute the numbers, `sql` has the paths below `sql/` of the SELECTs that ran. `absent` explains why a section is
    empty, and what to do; `unchecked` what it lacks besides, which the summary lists. `findings` are shown with their
    examples.
    """

    name: str
    title: str
    words: tuple[str, ...] = ()
    results: tuple[Result, ...] = ()
    tables: tuple[Table, ...] = ()
    further: tuple[Table, ...] = ()
    figures: tuple[Figure, ...] = ()
    notes: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    sql: tuple[str, ...] = ()
    absent: str | None = None
    findings: tuple[Finding, ...] = ()
    unchecked: tuple[str, ...] = ()

    def record(self) -> dict[str, Any]:
        """Return the section as a JSON object; its results are those of their commands."""
        return {
            "name": self.name,
            "title": self.title,
            "words": [record(text, "answer") for text in self.words],
            "absent": self.absent,
            "commands": list(self.commands),
            "sql": list(self.sql),
            "notes": [record(text, "note") for text in self.notes],
            "findings": [finding.record() for finding in self.findings],
            "results": [json.loads(result.to_json(volatile=False)) for result in self.results],
        }


@dataclass(frozen=True)
class Browsed:
    """Captions of one dataset for a page: some at random, and some of each kind of finding.

    `captions` has a row per caption and kind: image, slot, split, text, at_random, kind, why, and a column for each of
    `metrics` that has scores. `listed` has, by kind, the number of captions or images in the dataset, and the command
    that lists exactly these. Its key `""` is for all captions. `words` are those whose frequency differs most from the
    first dataset of the page: word, occurrences, occurrences_b (in the first), log_ratio.
    """

    label: str
    dataset: str
    captions: pl.DataFrame
    metrics: tuple[str, ...]
    listed: Mapping[str, tuple[int, str]]
    words: pl.DataFrame = field(default_factory=pl.DataFrame)


@dataclass(frozen=True, repr=False)
class Document(Shown):
    """A whole report. `program` is the software that made it, `made_at` the time; null leaves the time out.

    `level` is the level of its heading, for a report within another text. `cards` are the most important findings,
    `portraits` its datasets: a page begins with them instead of the first section, which has the same facts in
    sentences. `answer` are the sentences that answer the question of the report: they come before all others.
    `statements` are the SELECTs of all sections with their headers, by path.
    `browsed` are the captions that only pages show; the field before it has the thumbnails of the examples.
    """

    title: str
    selections: tuple[Selection, ...]
    sections: tuple[Section, ...]
    program: str
    made_at: str | None = None
    signatures: Mapping[str, str] = field(default_factory=dict)
    statements: Mapping[str, str] = field(default_factory=dict)
    level: int = 1
    cards: tuple[Finding, ...] = ()
    portraits: tuple[Portrait, ...] = ()
    answer: tuple[str, ...] = ()
    pictures: Pictures = field(default_factory=Pictures)
    browsed: tuple[Browsed, ...] = ()

    def to_json(self) -> str:
        """Return the report as the documented JSON object, `{"auditor.report/v3": {...}}`."""
        body = {
            "title": self.title,
            "program": self.program,
            "answer": [record(text, "answer") for text in self.answer],
            "versions": [selection.record() for selection in self.selections],
            "signatures": dict(self.signatures),
            "datasets": [asdict(portrait) for portrait in self.portraits],
            "sections": [section.record() for section in self.sections],
            "sql": dict(self.statements),
            "volatile": {
                "made_at": self.made_at,
                "versions": [selection.volatile() for selection in self.selections],
                "results": [
                    result.apart() for section in self.sections for result in section.results if result.volatile
                ],
            },
        }
        return document_json({f"auditor.report/v{JSON_VERSION}": body})
