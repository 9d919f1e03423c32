"""Recompute the figures of Hodosh & Hockenmaier 2016 on items that `auditor distractors` makes from Flickr30k."""

from __future__ import annotations

from dataclasses import replace

from auditor.model import Progress
from auditor.papers.figures import Paper
from auditor.papers.measured import Measured
from auditor.papers.runs import declared, of_metrics
from auditor.scoring.image_vectors import most_seen
from auditor.store.connection import Store
from auditor.store.versions import log, resolve

__all__ = ["measure", "of_metrics"]

_CAPTIONS = "flickr30k"

#: The paper's learned bag-of-words ranking, on the images with vectors.
_SEEN = "vector-rank"

#: The fewest images for learning.
_LEAST_SEEN = 100

_UNSEEN = f"no images of {_CAPTIONS} have vectors in the store: `auditor ingest flickr30k-clip`"


def measure(store: Store, paper: Paper, seed: int, progress: Progress) -> Measured:
    """Measure the bigram rows of table 1, and scorers without word order on switched persons.

    For images with vectors, a bag of words learns to rank as in section 4. It is trained on the captions of such images
    and decides their items.
    """
    there = bool(log(store, _CAPTIONS))
    sees = there and most_seen(store, resolve(store, _CAPTIONS), least=_LEAST_SEEN) is not None
    measured, results = declared(store, paper, seed, progress, unable=() if sees else (_SEEN,))
    if not results["items"]:
        return measured
    unseen = paper.runs["items"].options["unseen"]
    return replace(
        measured,
        notes=(*measured.notes, f"the probability of an unseen pair of words, {unseen}, is fitted to these figures"),
        absent={} if sees else {check.of: _UNSEEN for check in paper.checks if check.of[1] == _SEEN},
    )
