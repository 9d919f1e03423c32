"""A report for tests: one sample set, and one whose captions do their worst to whoever shows them."""

from __future__ import annotations

import dataclasses
import datetime
import functools
from pathlib import Path

from conftest import Rows, ingest_rows

import auditor
from auditor.config import sources
from auditor.model import Selection
from auditor.result import Result
from auditor.result.document import Document
from auditor.store.connection import MEMORY, Store
from auditor.studies.ingest.sources import ingest_sources
from auditor.studies.report.request import ReportSettings
from auditor.studies.report.study import report

SAMPLE = Path(auditor.__file__).parent / "sample" / "datasets.toml"
SCRIPT = "<script>document.title='broken'</script></td></table>"
QUOTES = "\"double\" 'single' `back` \\end{document} %{ $1_2^3 & | ~ # <!-- [link](http://example.org)"
HEBREW = "‮ילד רץ עם כלב‬ على الشاطئ"
EMOJI = "a 👩‍👩‍👧 with 🐶 and Ħ ﬁ ę"
ENDLESS = "x" * 10_000
HOSTILE = (SCRIPT, QUOTES, HEBREW, EMOJI, ENDLESS)

_STATEMENT = "facts/repeat_count.sql"

#: How much a golden file shows of each result and of the tables that a section has further down.
_ROWS, _TABLES = 10, 4

#: Twice each, so that they are listed as identical, and once by nothing alike, so that they are outliers.
ROWS: Rows = [(f"im{n}.jpg", slot, text) for n, text in enumerate(HOSTILE) for slot in (0, 1)] + [
    (f"alone{n}.jpg", slot, text) for n, text in enumerate(HOSTILE) for slot, text in ((0, text), (1, f"dog {n} runs"))
]


@functools.cache
def hostile_report() -> Document:
    """Make the report. Clocks of the ingest are set, since a golden file has no other way to know them."""
    declared = sources(SAMPLE, data=SAMPLE.parent)
    with Store.open(MEMORY) as store:
        ingest_sources(store, [declared["sample-narrow"]])
        ingest_rows(store, ROWS, "hostile")
        settings = ReportSettings(("bleu-1", "cider-d"))
        return report(store, "sample-narrow", "hostile", settings=settings, resamples=100, timed=False)


def extract(document: Document) -> Document:
    """Leave what a golden file can show in few lines and on any day."""
    names = ("summary", "comparison", "duplicates", "consensus", "method")
    sections = (
        dataclasses.replace(
            one,
            results=tuple(dataclasses.replace(_undated(result), sql=()) for result in one.results),
            further=one.further[:_TABLES],
            figures=one.figures[:1],
            sql=tuple(path for path in one.sql if path == _STATEMENT),
        )
        for one in document.sections
        if one.name in names
    )
    return dataclasses.replace(
        document,
        sections=tuple(sections),
        selections=tuple(map(_without_clock, document.selections)),
        statements={_STATEMENT: document.statements[_STATEMENT]},
        program="auditor",
        made_at="2026-05-01 08:30:00 UTC",
        browsed=(),
    )


def smaller(document: Document) -> Document:
    """Leave of an extract one of each thing that a format writes, for a format that writes all of a kind alike."""
    sections = (
        dataclasses.replace(
            one,
            tables=tuple(table for table in one.tables if table.name in ("upper", "bibtex")),
            further=one.further[-1:],
            commands=one.commands[:1],
        )
        for one in document.sections
        if one.name != "summary"
    )
    signatures = dict(list(document.signatures.items())[:1])
    return dataclasses.replace(document, sections=tuple(sections), signatures=signatures)


def _undated(result: Result) -> Result:
    selections = tuple(map(_without_clock, result.selections))
    return dataclasses.replace(result, frame=result.frame.head(_ROWS), selections=selections)


def _without_clock(selection: Selection) -> Selection:
    at = datetime.datetime(2026, 5, 1, tzinfo=datetime.UTC)
    return dataclasses.replace(selection, version=dataclasses.replace(selection.version, created_at=at))
