"""What is found of forced-choice items, whose captions are not those that people wrote of an image."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from auditor.errors import AuditorError
from auditor.model import Progress, Selection
from auditor.result import Finding
from auditor.store.connection import Store
from auditor.studies.choices import choices

#: What is told of images that several people described.
_OF_DESCRIPTIONS = ("padded-images", "uneven-captions", "copied-images")

KIND = "choices"


def of_single(wanted: Sequence[str]) -> list[str]:
    """Name the kinds that can be looked for in the captions of items."""
    return [kind for kind in wanted if kind not in _OF_DESCRIPTIONS]


def of_items(
    store: Store,
    selection: Selection,
    tokenizer: str,
    seed: int,
    wanted: Collection[str],
    progress: Progress,
    notes: list[str],
) -> list[Finding]:
    """Give what decides the items without their images; `notes` say what was not asked, and why."""
    notes.append(
        f"{selection.label}: forced-choice items: repeated, uneven, misplaced captions and templates are not looked for"
    )
    try:
        result = choices(store, selection.pinned_name, metrics=(), tokenizer=tokenizer, seed=seed, progress=progress)
    except AuditorError as error:
        notes.append(f"{choices.__name__}: {error}")
        return []
    notes += result.notes
    return [one for one in result.findings if one.kind in wanted]
