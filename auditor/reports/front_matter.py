"""The head of a dataset's README, between lines of `---`, as Hugging Face reads it: YAML, written without a library.

Every text is a JSON string, which YAML reads as the same text: no `no`, `1.0` or `a: b` means anything else.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from auditor.dataset_card import DatasetCard, primary_language, size_category, spdx
from auditor.reports.harmless import visible


def render(card: DatasetCard) -> str:
    """Write what is known, and nothing else."""
    return "".join(f"{line}\n" for line in ("---", *_lines(card), "---"))


def _lines(card: DatasetCard) -> Iterator[str]:
    (selection,) = card.selections
    yield f"pretty_name: {_text(selection.label)}"
    if primary := primary_language(card.language):
        yield from _listed("language", primary)
    if card.license:
        known = spdx(card.license)
        yield f"license: {_text(known.lower() if known else 'other')}"
        if known is None or known.lower() != card.license.lower():
            yield f"license_details: {_text(card.license)}"
    yield from _listed("size_categories", size_category(card.value("profile/captions")))
    if selection.version.kind == "captions":
        yield from _listed("task_categories", "image-to-text")
        yield from _listed("tags", "image-captioning")


def _listed(key: str, value: str) -> tuple[str, str]:
    return f"{key}:", f"- {_text(value)}"


def _text(value: str) -> str:
    return json.dumps(visible(" ".join(value.split())), ensure_ascii=False)
