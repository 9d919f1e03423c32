"""Candidates that are one of their image's own references: a metric finds the caption itself, and scores it in full."""

from __future__ import annotations

import polars as pl

from auditor.metrics.candidates import CandidateSet, bind_candidates
from auditor.model import Selection
from auditor.store import ngrams
from auditor.store.connection import Store

#: What a reader of such a note may do.
WAY_OUT = "--without-own-references leaves them out"


def own_references(store: Store, references: Selection, tokenizer: str, candidates: CandidateSet) -> pl.DataFrame:
    """Find the candidates that are, word for word, a reference of their image. Columns: image, slot.

    Words are those of the tokenizer, since that is what a metric sees; all tokens must be there.
    """
    at_work = ngrams.workspace(store, references, tokenizer)
    bind_candidates(store, at_work, [candidates])
    return at_work.rows("rated_candidate").filter("is_reference").select("image", "slot")
