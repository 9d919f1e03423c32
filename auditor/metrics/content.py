"""Content words that a caption shares with its references: precision, recall and F1 of sets of words.

A caption is a set of content words, as in local recall (van Miltenburg et al. 2018). Words can weigh by the number of
references that have them, as content units do in a pyramid (Nenkova & Passonneau 2004).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal

import polars as pl

from auditor.metrics.card import Metric, Parameter
from auditor.text import function_words

_NENKOVA = """@inproceedings{nenkova-passonneau-2004-evaluating,
  title = {Evaluating Content Selection in Summarization: The Pyramid Method},
  author = {Nenkova, Ani and Passonneau, Rebecca},
  booktitle = {Proc. HLT-NAACL}, year = {2004}, pages = {145--152}
}"""

_WORDS = Parameter(
    "content",
    "content = English words that are not function words or numerals, as stems (Porter 1980); all = every token with a "
    "letter, in lower case, for other languages",
    ("content", "all"),
)

_WEIGHTS = Parameter(
    "none",
    "none = a word counts once if any reference has it; share = it counts by the share of references that have it, and "
    "the score does not increase with their number",
    ("none", "share"),
)


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


def _card(
    measure: str,
    total: Callable[[pl.Expr, pl.Expr], pl.Expr],
    summary: str,
    references: str,
    sensitivity: Literal["strong", "some"],
) -> Metric:
    return Metric(
        name=f"content-{measure}",
        counts="content_match",
        score=_scorer(total),
        summary=summary,
        kind=f"{measure.replace('f1', 'F1')} of sets of words",
        lowest=0.0,
        highest=1.0,
        references=f"{references} with their number; compare only equal numbers; not with weights=share",
        sensitivity=sensitivity,
        edge_cases=(
            "a caption without content words scores 0, and counts in means; word order, repeated words and who does "
            "what to whom do not matter; a synonym does not match"
        ),
        source=(
            "words as in local recall and precision, van Miltenburg et al. 2018, section 3.2 and 5.1, with stems; "
            "weights=share as in Nenkova & Passonneau 2004"
        ),
        bibtex=_NENKOVA,
        parameters={"words": _WORDS, "weights": _WEIGHTS},
        normalization=lambda settings: "content" if settings["words"] == "content" else "lettered",
        writing=lambda settings: "english" if settings["words"] == "content" else None,
        signed=_signed,
        default=False,
    )


CARDS = (
    _card(
        "f1",
        lambda ours, theirs: (ours + theirs) / 2,
        "F1 of the content words of a caption and of all its references",
        "its precision increases, and its recall decreases",
        "some",
    ),
    _card(
        "precision",
        lambda ours, _: ours,
        "share of the content words of a caption that any reference has: the rest may be invented",
        "increases",
        "strong",
    ),
    _card(
        "recall",
        lambda _, theirs: theirs,
        "share of the content words of all references that a caption has: the rest is missing",
        "decreases",
        "strong",
    ),
)
