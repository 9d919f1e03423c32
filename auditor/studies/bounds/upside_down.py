"""Find datasets whose captions of an image are not more similar than captions of different images."""

from __future__ import annotations

import polars as pl

from auditor.model import Selection
from auditor.result import Finding, about

#: The metrics that check whether the captions of an image are paraphrases. Unlike BLEU-4, they give short captions a
#: score above 0.
METRICS = ("rouge-l", "cider-d")

#: Captions of the same image are not more similar if they score higher by at most so many standard errors and by at
#: most this share. Fewest captions for this.
_ERRORS, _HARDLY, _LEAST = 3.0, 0.1, 40


def upside_down(selection: Selection, rows: pl.DataFrame) -> list[Finding]:
    """Return a finding if, by some metrics, captions score no higher against their image than against another."""
    means = (
        selection.rows_of(rows)
        .filter(pl.col("level") == "caption", pl.col("candidate").is_in(["human", "intra"]))
        .pivot("candidate", index="metric", values=["mean", "sd", "n"], aggregate_function="first")
    )
    if not {"mean_human", "mean_intra"} <= set(means.columns):
        return []
    squares = (pl.col(f"sd_{who}") ** 2 / pl.col(f"n_{who}") for who in ("human", "intra"))
    error = sum(squares, start=pl.lit(0.0)).sqrt()
    ahead = pl.col("mean_human") - pl.col("mean_intra")
    hardly = (ahead <= _ERRORS * error) & (ahead <= _HARDLY * pl.col("mean_human"))
    below = means.filter(hardly, pl.col("metric").is_in(METRICS), pl.col("n_human") >= _LEAST)
    if below.is_empty():
        return []
    means = below.select("metric", "mean_human", "mean_intra")
    compared = ", ".join(f"{metric} {human:.3f} vs {intra:.3f}" for metric, human, intra in means.rows())
    metric, human, intra = means.row(0)
    sentence = (
        f"{selection.label}: captions of the same image are not more similar than captions of different images"
        f" ({compared})"
    )
    values, headline, n = {"human": human, "intra": intra}, f"{human:.3f} vs {intra:.3f}", below["n_human"][0]
    where = about(selection, metric=metric)
    return [Finding("bound-upside-down", sentence, where, values, n, "error", headline=headline)]
