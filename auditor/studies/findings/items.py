"""What is found of forced-choice items, whose captions are not those that people wrote of an image."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from auditor.model import Selection
from auditor.result import Finding
from auditor.studies.findings.questions import Questions

#: What is told of images that several people described.
_OF_DESCRIPTIONS = ("padded-images", "uneven-captions", "copied-images")

KIND = "choices"


def of_single(wanted: Sequence[str]) -> list[str]:
    """Name the kinds that can be looked for in the captions of items."""
    return [kind for kind in wanted if kind not in _OF_DESCRIPTIONS]


def of_items(questions: Questions, selection: Selection, wanted: Collection[str], notes: list[str]) -> list[Finding]:
    """Return what decides the items without their images; `notes` report what was not asked, and why."""
    notes.append(
        f"{selection.label}: forced-choice items: repeated, uneven, misplaced captions and templates are not looked for"
    )
    result = questions.choices(selection)
    if result is None:
        return []
    notes += result.notes
    return [one for one in result.findings if one.kind in wanted]
