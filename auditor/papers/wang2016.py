"""Recompute the figures of Wang & Gaizauskas 2016 on their datasets in the store."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace

from auditor.called import not_stored
from auditor.model import Progress
from auditor.papers.figures import Paper, Quantities
from auditor.papers.measured import Measured
from auditor.papers.runs import declared, not_installed, of_metrics
from auditor.scoring import frequencies
from auditor.scoring.candidate_sets import CORPUS
from auditor.scoring.single_captions import SINGLE_CAPTION
from auditor.store.captions import select_all
from auditor.store.connection import Store
from auditor.store.versions import log, resolve_all
from auditor.studies.bounds import bounds

__all__ = ["measure", "of_metrics", "pooled"]

_BLEU = ("bleu-1", "bleu-2", "bleu-3", "bleu-4")

_GIBBERISH = ("gibberish", "gibberish-brown")

_TEN = 10

_TEN_WORDS = "captions have ten words on average: gibberish of ten and of average length are the same"


def measure(store: Store, paper: Paper, seed: int, progress: Progress) -> Measured:
    """Measure bounds, correlations, sizes and identical captions of the paper's datasets in the store."""
    measured, results = declared(store, paper, seed, progress)
    here = [name for name in paper.datasets if name not in measured.lacking]
    if not here:
        return measured
    corpus = {} if log(store, CORPUS) else dict.fromkeys(here, not_stored(CORPUS))
    lengths = {name: measured.quantities[name, "", "", "", "asl"] for name in here}
    return replace(
        measured,
        quantities={**measured.quantities, **dict(pooled(store, here, progress))},
        lacking={**measured.lacking, **corpus},
        selections=resolve_all(store, here),
        absent={
            (dataset, metric, gibberish, "caption", "shorter-above-longer"): _TEN_WORDS
            for dataset, metric, gibberish in itertools.product(here, _BLEU, _GIBBERISH)
            if round(lengths[dataset]) == _TEN
        },
        notes=(
            *results["bounds"][0].found("metric-not-installed", SINGLE_CAPTION),
            *not_installed(paper.runs["bounds"]),
        ),
    )


def pooled(store: Store, datasets: Sequence[str], progress: Progress) -> Quantities:
    """Score CIDEr with the document frequencies of all datasets together (section 3, note 7)."""
    if len(datasets) < 2:
        return
    every = select_all(store, datasets, tokenizer="bare", progress=progress)
    with frequencies.together(every) as idf_mode:
        rows = bounds(
            store, *datasets, metrics=[f"cider:idf={idf_mode}"], candidates=("human",), tokenizer="bare",
            progress=progress,
        ).frame  # fmt: skip
    for name, mean in rows.filter(level="caption").select("dataset", "mean").iter_rows():
        yield (name, "cider", "human-pooled-idf", "caption", "mean"), mean
