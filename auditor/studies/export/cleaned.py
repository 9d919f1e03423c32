"""Which captions does a cleaned set do without, and why? Those that findings name."""

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

#: What stands for errors and warnings.
FINDINGS = "findings"

#: Kinds of datasets whose captions stand for themselves: of pairs and triplets none may go alone.
_KINDS = ("captions", "candidates")


def named_by_findings(store: Store, selection: Selection, asked: Sequence[str], progress: Progress) -> pl.DataFrame:
    """List the captions that findings name. Columns: image, slot, split, text, kind, severity, why; a row a finding.

    What is of a whole image counts only where its kind is named: then all its captions go. `asked` are kinds,
    severities (that bad or worse), or `findings` for errors and warnings. Raises `UsageError` for another word, and for
    a dataset of which no caption may go alone.
    """
    if selection.version.kind not in _KINDS:
        raise UsageError(f"--without: {selection.label} holds {selection.version.kind}; no caption of it may go alone")
    kinds, worst = _understood(asked)
    found = findings(
        store,
        selection.pinned_name,
        kinds=None if worst is not None else sorted(kinds),
        captions_only=True,
        progress=progress,
    )
    bad = SEVERITIES[: SEVERITIES.index(worst) + 1] if worst is not None else ()
    of_image = pl.col("slot").is_null()
    named = found.frame.filter(pl.col("kind").is_in(kinds) | (pl.col("severity").is_in(bad) & ~of_image))
    texts = content(store, selection).select("image", "slot", "split", "text")
    whole = named.filter(of_image).drop("slot", "split", "text").join(texts, on="image")
    rows = [
        some.select("image", "slot", "split", "text", "kind", "severity", "why")
        for some in (named.filter(~of_image), whole)
    ]
    return pl.concat(rows).sort("image", "slot", "kind")


def _understood(asked: Sequence[str]) -> tuple[list[str], str | None]:
    """Tell kinds from severities; of these the mildest counts."""
    kinds = []
    worst: list[str] = []
    for word in asked:
        if word == FINDINGS:
            worst.append("warning")
        elif word in SEVERITIES:
            worst.append(word)
        elif word in CAPTION_KINDS:
            kinds.append(word)
        else:
            raise UsageError(
                f"--without {word}: expected {FINDINGS}, a severity ({', '.join(SEVERITIES)}), or a kind of finding "
                f"that names captions: {', '.join(CAPTION_KINDS)}"
            )
    return kinds, max(worst, key=SEVERITIES.index, default=None)
