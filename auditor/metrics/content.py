"""Content words that a caption shares with its references: precision, recall and F1 of sets of words.

A caption is a set of content words, as in local recall (van Miltenburg et al. 2018). Words can weigh by the number of
references that have them, as content units do in a pyramid (Nenkova & Passonneau 2004).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import polars as pl

from auditor.metrics.card import cards
from auditor.text import function_words


def _sizes(settings: Mapping[str, Any]) -> tuple[pl.Expr, pl.Expr, pl.Expr]:
    """Return the sizes of what both have, of the candidate and of the references, as doubles."""
    if settings["weights"] == "share":
        columns = pl.col("matched_uses"), pl.col("words").cast(pl.Float64) * pl.col("reference_count"), "reference_uses"
    else:
        columns = pl.col("matched"), pl.col("words"), "reference_words"
    return columns[0].cast(pl.Float64), columns[1].cast(pl.Float64), pl.col(columns[2]).cast(pl.Float64)


def _scorer(total: Callable[[pl.Expr, pl.Expr], pl.Expr]) -> Callable[[pl.DataFrame, Mapping[str, Any]], pl.Series]:
    """Return a scorer: what both have, relative to a total of the two sizes; 0 without words."""

    def score(counts: pl.DataFrame, settings: Mapping[str, Any]) -> pl.Series:
        matched, ours, theirs = _sizes(settings)
        whole = total(ours, theirs)
        return counts.select(pl.when(whole > 0).then(matched / whole).otherwise(0.0)).to_series()

    return score


def _signed(tokenizer: str, settings: Mapping[str, Any]) -> Mapping[str, str]:
    del tokenizer
    return {"stop": function_words.not_content().label, "stem": "porter"} if settings["words"] == "content" else {}


CARDS = cards(
    "content",
    {
        "content-f1": {"score": _scorer(lambda ours, theirs: (ours + theirs) / 2)},
        "content-precision": {"score": _scorer(lambda ours, _: ours)},
        "content-recall": {"score": _scorer(lambda _, theirs: theirs)},
    },
    normalization=lambda settings: "content" if settings["words"] == "content" else "lettered",
    writing=lambda settings: "english" if settings["words"] == "content" else None,
    signed=_signed,
)
