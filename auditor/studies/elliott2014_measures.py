"""What the measures of Elliott & Keller 2014 were, and what is sound; Spearman's rho of each with pooled ratings.

MultEval (Clark et al. 2011) and ROUGE-1.5.5 were run on raw text, and three of five columns are not what they are
called.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import polars as pl

from auditor.model import Progress, Selection, silent
from auditor.registry import METRICS, lacking
from auditor.store.connection import Store
from auditor.studies import agreement_rows
from auditor.studies.agreement_rows import ALL, Resampling, Row
from auditor.studies.ratings import Rated, rated

PUBLISHED, SOUND = "as-published", "sound"

RAW, TOKENISED = "whitespace", "ptb"


class Definition(NamedTuple):
    """A metric as it is asked for, and the text profile; scores to so many decimals where a program printed those."""

    metric: str
    profile: str
    decimals: int | None = None


class Measure(NamedTuple):
    """A row of the exhibit: what the paper calls it, what it was, what is sound, and why the two differ.

    What is sound is measured on the same tokens for all, so that measures can be compared.
    """

    name: str
    metric: str
    published: Definition | None
    sound: Definition
    why: str


MEASURES = (
    Measure(
        "METEOR",
        "meteor",
        Definition("meteor:norm=none", RAW),
        Definition("meteor", TOKENISED),
        "they scored raw text, where “snow.” is not “snow” and “A” is not “a”; sound: tokenised, lower case",
    ),
    Measure(
        "ROUGE-SU4",
        "rouge-su4",
        Definition("rouge-su4:measure=recall,stem=true", RAW),
        Definition("rouge-su4:stem=true", TOKENISED),
        "theirs is the script's recall alone, by which words too many cost nothing; sound: F, stemmed as theirs",
    ),
    Measure(
        "Smoothed BLEU",
        "bleu-4",
        Definition("bleu-4:smooth=mteval", RAW),
        Definition("bleu-4", TOKENISED),
        "raw text, and an order that a caption is too short for counts as matched; sound: tokenised, smoothed there",
    ),
    Measure(
        "Unigram BLEU",
        "bleu-1",
        Definition("bleu-1:smooth=mteval,weights=quarter", RAW, decimals=2),
        Definition("bleu-1:smooth=none,bp=none", TOKENISED),
        "theirs is MultEval's bleu1p, BP · p₁^¼ with two decimals; sound: p₁ without penalty, as the paper has it",
    ),
    Measure(
        "TER",
        "ter",
        Definition("ter:length=truncated", RAW),
        Definition("ter", TOKENISED),
        "MultEval divides by the integer part of the mean reference length; sound: by that mean, as tercom does",
    ),
    Measure(
        "CIDEr-D",
        "cider-d",
        None,
        Definition("cider-d", TOKENISED),
        "not in the paper; the later table of its repository calls this CIDEr (.581)",
    ),
    Measure("CIDEr", "cider", None, Definition("cider", TOKENISED), "not in the paper; the metric of that name"),
)


#: The later table of the authors' repository: tokens and punctuation as in COCO's evaluation, the same programs.
REPOSITORY: Mapping[str, Definition] = {
    "cider-d": Definition("cider-d", TOKENISED),
    "meteor": Definition("meteor", TOKENISED),
    "bleu-4": Definition("bleu-4:smooth=mteval", TOKENISED),
    "rouge-su4": Definition("rouge-su4:measure=recall,aggregate=best,stem=true", TOKENISED),
    "ter": Definition("ter:length=truncated", TOKENISED),
}


def available() -> tuple[list[Measure], list[str]]:
    """Give the measures that this installation can compute, and notes on those that it cannot."""
    reasons = {measure.name: lacking(METRICS[measure.metric]) for measure in MEASURES}
    return (
        [measure for measure in MEASURES if reasons[measure.name] is None],
        [f"left out: {reason}" for reason in reasons.values() if reason],
    )


def scored(
    store: Store,
    annotated: Selection,
    against: str | None,
    definitions: Iterable[Definition],
    progress: Progress = silent,
) -> dict[str, Rated]:
    """Score every definition, by text profile."""
    wanted: dict[str, list[str]] = {}
    for one in definitions:
        wanted.setdefault(one.profile, []).append(one.metric)
    return {
        profile: rated(store, annotated, against, metrics, profile, None, progress)
        for profile, metrics in wanted.items()
    }


def of(measures: Sequence[Measure]) -> list[Definition]:
    """List the definitions of measures, as published and sound."""
    return [one for measure in measures for one in (measure.published, measure.sound) if one is not None]


def measured(
    by_profile: Mapping[str, Rated], measures: Sequence[Measure], resampling: Resampling
) -> dict[tuple[str, str], Row]:
    """Give the row of each measure as published and sound, by metric and reading."""
    return {
        (measure.metric, reading): spearman(by_profile, one, resampling)
        for measure in measures
        for reading, one in ((PUBLISHED, measure.published), (SOUND, measure.sound))
        if one is not None
    }


def spearman(by_profile: Mapping[str, Rated], one: Definition, resampling: Resampling) -> Row:
    """Correlate one definition with pooled ratings. The row has the signature too."""
    found = by_profile[one.profile]
    metric = next(metric for metric in found.metrics if metric.label == one.metric)
    if one.decimals is not None:
        found = dataclasses.replace(found, scores=found.scores.with_columns(pl.col(one.metric).round(one.decimals)))
    alone = dataclasses.replace(found, metrics=(metric,))
    made = agreement_rows.correlated(alone, "pooled", ALL, ["spearman"], resampling)
    return made.rows[0] | {"signature": found.signatures[one.metric]}
