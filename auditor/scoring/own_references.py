"""Candidates that are one of their image's own references: a metric finds the caption itself, and scores it in full."""

from __future__ import annotations

import polars as pl

from auditor.model import Selection
from auditor.result import Finding, about, counted
from auditor.scoring.candidates import CandidateSet, bind_candidates
from auditor.store.captions import Captions

#: What a reader of such a note may do.
WAY_OUT = "--without-own-references leaves them out"


def own_references(captions: Captions, candidates: CandidateSet) -> pl.DataFrame:
    """List the candidates that are, word for word, a reference of their image. Columns: image, slot.

    Words are those of the tokenizer, since that is what a metric sees; all tokens must be there.
    """
    at_work = captions.workspace()
    bind_candidates(at_work, [candidates])
    return at_work.rows("rated_candidate").filter("is_reference").select("image", "slot")


def own_finding(own: int, scored: int, selection: Selection, system: Selection, *, left_out: bool) -> list[Finding]:
    """Say how many captions of a system are references of their image."""
    if not own:
        return []
    subject = counted(own, "caption is", "captions are")
    end = "left out" if left_out else f"scored against itself; {WAY_OUT}"
    said = (
        f"{system.label}: of {scored:,}, {subject} word for word a reference of the image in {selection.label}: {end}"
    )
    where = about(system, against=selection.label)
    return [Finding("own-references", said, where, {"captions": own}, scored, "warning")]
