"""The head of a dataset's README, between lines of `---`, as Hugging Face reads it: YAML, written without a library.

Every text is a JSON string, which YAML reads as the same text: no `no`, `1.0` or `a: b` means anything else.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from auditor.cards import DatasetCard
from auditor.reports.harmless import visible

#: Licences that have a page in SPDX's list; in lower case they are those that Hugging Face knows.
_SPDX = (
    "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "CC-BY-2.0", "CC-BY-3.0", "CC-BY-4.0", "CC-BY-NC-2.0",
    "CC-BY-NC-3.0", "CC-BY-NC-4.0", "CC-BY-NC-ND-4.0", "CC-BY-NC-SA-4.0", "CC-BY-ND-4.0", "CC-BY-SA-3.0",
    "CC-BY-SA-4.0", "CC0-1.0", "MIT",
)  # fmt: skip

#: From how many captions on a dataset is of a size, the largest first.
_SIZES = (
    (10**9, "1B<n<10B"), (10**8, "100M<n<1B"), (10**7, "10M<n<100M"), (10**6, "1M<n<10M"), (10**5, "100K<n<1M"),
    (10**4, "10K<n<100K"), (10**3, "1K<n<10K"), (0, "n<1K"),
)  # fmt: skip


def spdx(licence: str) -> str | None:
    """Give SPDX's name for a licence as people write it; what stands behind it in brackets is of no account."""
    plain = re.sub(r"\s*\(.*\)$", "", licence.strip()).replace(" ", "-").lower()
    return next((name for name in _SPDX if name.lower() == plain), None)


def render(card: DatasetCard) -> str:
    """Write what is known, and nothing else."""
    return "".join(f"{line}\n" for line in ("---", *_lines(card), "---"))


def _lines(card: DatasetCard) -> Iterator[str]:
    (selection,) = card.selections
    yield f"pretty_name: {_text(selection.label)}"
    primary = card.language.split("-")[0].lower()
    if re.fullmatch("[a-z]{2,3}", primary) and primary != "und":
        yield from _listed("language", primary)
    if card.licence:
        known = spdx(card.licence)
        yield f"license: {_text(known.lower() if known else 'other')}"
        if known is None or known.lower() != card.licence.lower():
            yield f"license_details: {_text(card.licence)}"
    yield from _listed(
        "size_categories", next(size for least, size in _SIZES if card.value("profile/captions") >= least)
    )
    if selection.version.kind == "captions":
        yield from _listed("task_categories", "image-to-text")
        yield from _listed("tags", "image-captioning")


def _listed(key: str, value: str) -> tuple[str, str]:
    return f"{key}:", f"- {_text(value)}"


def _text(value: str) -> str:
    return json.dumps(visible(" ".join(value.split())), ensure_ascii=False)
