"""A report of findings over shards, by their summary: no machine needs to hold the captions."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from auditor.errors import UsageError
from auditor.result import SEVERITIES, program
from auditor.result.document import Document, Section
from auditor.studies.findings import SUMMARY, read_summary
from auditor.studies.report.summary import summary


def folder_of(refs: Sequence[str]) -> Path | None:
    """Return the folder of verdicts that a report is of; null if datasets are named.

    Raises `UsageError` if something else is named next to it.
    """
    folders = [Path(ref) for ref in refs if (Path(ref) / SUMMARY).is_file()]
    if folders and len(refs) > 1:
        raise UsageError(f"{folders[0]}: a report has either a folder of verdicts or datasets; name it alone")
    return folders[0] if folders else None


def report_of_verdicts(folder: Path, made_at: str | None) -> Document:
    """Return the report of a folder of verdicts. Raises `SourceError` if its summary cannot be read."""
    result = read_summary(folder)
    cards = tuple(finding for finding in result.findings if finding.severity in SEVERITIES[:2])
    section = Section(
        "findings", "Findings", result.lead, (result,), result.tables, notes=result.notes, findings=result.findings
    )
    first = summary((), cards, (), None, (), looked=True)
    (selection,) = result.selections
    return Document(f"Audit of {selection.label}", result.selections, (first, section), program(), made_at, cards=cards)
