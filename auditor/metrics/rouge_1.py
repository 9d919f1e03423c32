"""ROUGE-1 of one caption as ROUGE-1.5.5 computes it with `-n 1 -f A` (Lin 2004)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl


def score(counts: pl.DataFrame, parameters: Mapping[str, Any]) -> pl.Series:
    """Turn the counts of `sql/metrics/rouge_1.sql` into precision, recall or F (their harmonic mean), per candidate.

    Hits and totals are pooled over the references before they are divided, so that long references weigh more. A
    denominator of 0 gives 0.
    """
    hits = pl.col("hits").cast(pl.Float64)
    measures = {
        "recall": (hits, pl.col("reference_total").cast(pl.Float64)),
        "precision": (hits, pl.col("candidate_total").cast(pl.Float64) * pl.col("reference_count")),
    }
    measures["f"] = (2 * hits, measures["recall"][1] + measures["precision"][1])
    numerator, denominator = measures[parameters["measure"]]
    return counts.select(pl.when(denominator > 0).then(numerator / denominator).otherwise(0.0)).to_series()
