"""BLEU-N of one caption (Papineni et al. 2002), smoothed as Wang & Gaizauskas 2016, footnote 4, do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

from auditor.metrics.card import Metric, Parameter

_SMOOTH = Parameter(
    "paper",
    "what a n-gram order without a match counts: paper = 1/(2^k total), also where the caption is too short for the "
    "order (total 1); mteval = the same, but an order it is too short for counts as matched; none = the score is 0",
    ("paper", "mteval", "none"),
)
_BP = Parameter(
    "closest",
    "brevity penalty: against the closest reference length (ties: the shorter), or none",
    ("closest", "none"),
    {"true": "closest", "false": "none"},
)
_PAPINENI = """@inproceedings{papineni-etal-2002-bleu,
  title = {{BLEU}: a Method for Automatic Evaluation of Machine Translation},
  author = {Papineni, Kishore and Roukos, Salim and Ward, Todd and Zhu, Wei-Jing},
  booktitle = {Proc. ACL}, year = {2002}, pages = {311--318}
}"""


def score(counts: pl.DataFrame, parameters: Mapping[str, Any]) -> pl.Series:
    """Turn the counts of `sql/metrics/bleu.sql` into BLEU-N, one score per candidate, in the order of the counts.

    Scanning n = 1 … N, every order without a match halves the probability given to the orders without one: the k-th
    gets 1 / (2^k total). An order that the candidate is too short for counts as one n-gram without a match
    (`smooth = "paper"`) or is left out (`smooth = "mteval"`, as the script mteval-v13a does). Without smoothing such an
    order makes the score 0. The brevity penalty is exp(min(0, 1 - r/c)), r the closest reference length.
    """
    order = int(parameters["n"])
    length = pl.col("length").cast(pl.Float64)
    log_precisions = []
    missed: pl.Expr = pl.lit(0.0)
    for n in range(1, order + 1):
        matches = pl.col(f"matches_{n}").cast(pl.Float64)
        total = pl.max_horizontal(length - (n - 1), pl.lit(0.0))
        missed = missed + (matches == 0).cast(pl.Float64)
        smoothed = -(pl.lit(2.0).log() * missed) - pl.max_horizontal(total, pl.lit(1.0)).log()
        if parameters["smooth"] == "mteval":
            smoothed = pl.when(total == 0).then(0.0).otherwise(smoothed)
        if parameters["smooth"] == "none":
            smoothed = pl.lit(float("-inf"))
        log_precisions.append(pl.when(matches > 0).then((matches / total).log()).otherwise(smoothed))
    penalty = pl.lit(0.0)
    if parameters["bp"] == "closest":
        penalty = pl.min_horizontal(pl.lit(0.0), 1 - pl.col("reference_length") / length)
    total_log = pl.sum_horizontal(log_precisions) / order + penalty
    return counts.select(pl.when(length > 0).then(total_log.exp()).otherwise(0.0)).to_series()


def _bleu(order: int) -> Metric:
    return Metric(
        name=f"bleu-{order}",
        counts="bleu",
        score=score,
        summary=f"sentence-level BLEU: geometric mean of clipped precisions, n = 1 to {order}, with brevity penalty",
        references="clips against the union of the references: grows with their number; compare only equal numbers",
        edge_cases=(
            "no token in common is smoothed too (BLEU-1 of 'cat' against 'dog' is .5); an empty caption scores 0; "
            "an identical pair shorter than N words scores below 1"
        ),
        source="Papineni et al. 2002; smoothing: Wang & Gaizauskas 2016, footnote 4, after mteval-v13a",
        bibtex=_PAPINENI,
        parameters={"smooth": _SMOOTH, "bp": _BP},
        fixed={"n": order},
    )


CARDS = tuple(_bleu(order) for order in range(1, 5))
