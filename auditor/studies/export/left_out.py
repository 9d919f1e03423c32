"""The captions that `export --without` leaves out: those that `findings` lists."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from auditor.errors import UsageError
from auditor.findings import CAPTION_KINDS
from auditor.model import Progress, Selection
from auditor.result import SEVERITIES
from auditor.store.connection import Store
from auditor.store.versions import content
from auditor.studies.findings import findings

#: The word for errors and warnings.
FINDINGS = "findings"

#: Kinds of datasets with independent captions: a pair or triplet needs all of its captions.
_KINDS = ("captions", "candidates")


def named_by_findings(store: Store, selection: Selection, without: Sequence[str], progress: Progress) -> pl.DataFrame:
    """List the captions that findings list. Columns: image, slot, split, text, kind, severity, why; a row per finding.

    `without` has kinds, severities (this or worse), or `findings` for errors and warnings. A finding on a whole image
    only counts if its kind is named; then all captions of the image are listed. A finding on usable captions, such as
    those with a frequent opening, only counts if its kind is named, too. Raises `UsageError` for another word, and for
    a dataset whose captions are not independent.
    """
    if selection.version.kind not in _KINDS:
        raise UsageError(
            f"--without: {selection.label} holds {selection.version.kind}; its captions cannot be left out one by one"
        )
    kinds, worst = _kinds_and_severity(without)
    result = findings(
        store,
        selection.pinned_name,
        kinds=None if worst is not None else sorted(kinds),
        captions_only=True,
        progress=progress,
    )
    bad = SEVERITIES[: SEVERITIES.index(worst) + 1] if worst is not None else ()
    of_image = pl.col("slot").is_null()
    usable = pl.col("kind").is_in([kind for kind, entry in CAPTION_KINDS.items() if entry.usable])
    by_severity = pl.col("severity").is_in(bad) & ~of_image & ~usable
    named = result.frame.filter(pl.col("kind").is_in(kinds) | by_severity)
    texts = content(store, selection).select("image", "slot", "split", "text")
    whole = named.filter(of_image).drop("slot", "split", "text").join(texts, on="image")
    rows = [
        part.select("image", "slot", "split", "text", "kind", "severity", "why")
        for part in (named.filter(~of_image), whole)
    ]
    return pl.concat(rows).sort("image", "slot", "kind")


def _kinds_and_severity(without: Sequence[str]) -> tuple[list[str], str | None]:
    """Separate kinds from severities; the mildest severity counts."""
    kinds = []
    worst: list[str] = []
    for word in without:
        if word == FINDINGS:
            worst.append("warning")
        elif word in SEVERITIES:
            worst.append(word)
        elif word in CAPTION_KINDS:
            kinds.append(word)
        else:
            raise UsageError(
                f"--without {word}: expected {FINDINGS}, a severity ({', '.join(SEVERITIES)}), or a kind of finding "
                f"that lists captions: {', '.join(CAPTION_KINDS)}"
            )
    return kinds, max(worst, key=SEVERITIES.index, default=None)
