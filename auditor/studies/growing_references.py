"""Scores of candidates against one reference, against two, … against as many as are asked for."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from auditor.metrics.candidates import CandidateSet
from auditor.model import Progress, Selection, silent
from auditor.registry import MetricRequest, References
from auditor.store.connection import Store
from auditor.store.versions import images
from auditor.studies.scores import score_candidates


def scores_by_references(
    store: Store,
    selection: Selection,
    text_profile: str,
    candidates: Sequence[CandidateSet],
    metrics: Sequence[MetricRequest],
    most: int,
    seed: int = 1,
    progress: Progress = silent,
) -> pl.DataFrame:
    """Score candidates, none of which stands for a caption of the image, against the first 1 … `most` references.

    The references of an image are in an order that the seed draws, as `--references` draws them; images that have fewer
    than `most` are left out. Columns: candidate, image, slot, references, and one for each metric, by its label.
    """
    enough = images(store, selection).filter(pl.col("captions") >= most)["image"]
    return pl.concat(
        score_candidates(store, References("all", k, seed).of(selection), text_profile, candidates, metrics, progress)
        .filter(pl.col("image").is_in(enough.implode()))
        .select("candidate", "image", "slot", pl.lit(k, pl.UInt32).alias("references"), *(m.label for m in metrics))
        for k in range(1, most + 1)
    )
