"""ROUGE-1 of one caption as ROUGE-1.5.5 computes it with `-n 1 -f A` (Lin 2004)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

from auditor.metrics.card import Metric, Parameter

_LIN = """@inproceedings{lin-2004-rouge,
  title = {{ROUGE}: A Package for Automatic Evaluation of Summaries},
  author = {Lin, Chin-Yew},
  booktitle = {Text Summarization Branches Out}, year = {2004}, pages = {74--81}
}"""


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


CARDS = (
    Metric(
        name="rouge-1",
        counts="rouge_1",
        score=score,
        summary="unigram overlap as ROUGE-1.5.5 `-n 1 -f A` has it: hits and totals pooled over the references",
        references="pooled over the references: does not grow with their number; long references weigh more",
        edge_cases="an empty caption scores 0; an empty reference adds to the candidate's total only",
        source="Lin 2004; ROUGE-1.5.5.pl; precision and recall weigh the same (alpha .5), no stemming",
        bibtex=_LIN,
        parameters={
            "measure": Parameter("f", "f = harmonic mean of precision and recall", ("f", "precision", "recall")),
            "ascii": Parameter(
                True,
                "split tokens into runs of a-z and 0-9 as the script does (café → caf); false keeps every token",
                (True, False),
                counts=True,
            ),
        },
    ),
)
