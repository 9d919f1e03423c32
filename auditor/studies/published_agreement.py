"""Table 1 of Elliott & Keller 2014 as their programs computed it, beside the definitions that the paper gives.

MultEval (Clark et al. 2011) and ROUGE-1.5.5 were run on raw text, and three of five columns are not what they are
called. Each measure stands here twice: as it came out, and sound.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import NamedTuple

import polars as pl

from auditor.model import Progress, Result, Selection, Table, silent
from auditor.published import paper
from auditor.store.connection import Store
from auditor.store.versions import resolve_all
from auditor.studies import agreement_rows
from auditor.studies.agreement_rows import ALL, Resampling, Row
from auditor.studies.comparison import check_resampling
from auditor.studies.ratings import Rated, rated

PAPER, DATASET = "elliott2014", "flickr8k-ek"
PUBLISHED, SOUND = "as-published", "sound"

#: Their references as their files have them: raw text, which the tokenised captions of Flickr8k are not.
REFERENCES = "flickr8k-ek-refs"

RAW, TOKENISED = "whitespace", "ptb"


class Definition(NamedTuple):
    """A metric as it is asked for, and the text profile; scores to so many decimals where a program printed those."""

    metric: str
    profile: str
    decimals: int | None = None


class Measure(NamedTuple):
    """A row of the exhibit: what the paper calls it, what it was, what is sound, and why the two differ."""

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
        Definition("bleu-1:smooth=none,bp=none", RAW),
        "theirs is MultEval's bleu1p, BP · p₁^¼ with two decimals; sound: p₁ without penalty, as the paper has it",
    ),
    Measure(
        "TER",
        "ter",
        Definition("ter:length=truncated", RAW),
        Definition("ter", RAW),
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


def as_published(
    store: Store,
    refs: Sequence[str],
    against: str | None = None,
    resampling: Resampling | None = None,
    progress: Progress = silent,
) -> Result:
    """Correlate each measure with pooled ratings, as Elliott & Keller computed it and sound; say why they differ.

    Their own data are `flickr8k-ek`, scored against `flickr8k-ek-refs`. Raises `UsageError` where these are missing.
    """
    chosen = resampling or Resampling()
    check_resampling(chosen.resamples, chosen.confidence)
    printed = printed_figures()
    frames, tables, selections = [], [], list[Selection]()
    signatures, notes = dict[str, str](), list[str]()
    for annotated in resolve_all(store, refs):
        own = annotated.version.dataset == DATASET
        by_profile = scored(store, annotated, against or (REFERENCES if own else None), progress)
        rows = measured(by_profile, chosen)
        figures = printed if own else {}
        frames.append(_frame(by_profile[RAW], rows, figures, chosen))
        tables.append(_table(annotated.label, rows, figures, chosen))
        selections += [annotated, by_profile[RAW].references]
        for found in by_profile.values():
            signatures |= {f"{label} {profile_of(text)}": text for label, text in found.signatures.items()}
            notes += found.notes
        if not own:
            notes.append(f"{annotated.label}: the definitions are those of the paper, whose ratings are in {DATASET}")
    return Result(
        "agree",
        pl.concat(frames),
        selections=tuple(dict.fromkeys(selections)),
        signatures=signatures,
        tables=tuple(tables),
        notes=tuple(dict.fromkeys(notes)),
    )


def profile_of(signature: str) -> str:
    """Read the text profile in a signature."""
    return next(part for part in signature.split("|") if part.startswith("tok:"))


def printed_figures() -> dict[str, float]:
    """Read what Table 1 prints for Flickr8k, by metric: the middle of the band that the figure is checked by."""
    return {
        check.of[1]: round((check.low + check.high) / 2, 3)
        for check in paper(PAPER).checks
        if (check.of[0], check.of[-1]) == (DATASET, PUBLISHED) and check.low is not None and check.high is not None
    }


def scored(store: Store, annotated: Selection, against: str | None, progress: Progress = silent) -> dict[str, Rated]:
    """Score every definition, by text profile."""
    definitions = [one for measure in MEASURES for one in (measure.published, measure.sound) if one is not None]
    made = {}
    for profile in (RAW, TOKENISED):
        wanted = [one.metric for one in definitions if one.profile == profile]
        made[profile] = rated(store, annotated, against, wanted, profile, None, progress)
    return made


def measured(by_profile: dict[str, Rated], resampling: Resampling) -> dict[tuple[str, str], Row]:
    """Give the row of each measure as published and sound, by metric and reading: Spearman over pooled ratings."""
    return {
        (measure.metric, reading): _spearman(by_profile[one.profile], one, resampling)
        for measure in MEASURES
        for reading, one in ((PUBLISHED, measure.published), (SOUND, measure.sound))
        if one is not None
    }


def _spearman(found: Rated, one: Definition, resampling: Resampling) -> Row:
    metric = next(metric for metric in found.metrics if metric.label == one.metric)
    if one.decimals is not None:
        found = dataclasses.replace(found, scores=found.scores.with_columns(pl.col(one.metric).round(one.decimals)))
    alone = dataclasses.replace(found, metrics=(metric,))
    made = agreement_rows.correlated(alone, "pooled", ALL, ["spearman"], resampling)
    return made.rows[0] | {"signature": found.signatures[one.metric]}


def _frame(
    found: Rated, rows: dict[tuple[str, str], Row], figures: dict[str, float], resampling: Resampling
) -> pl.DataFrame:
    """Give the rows of a dataset in the columns of `agree`, with the reading, what is printed, and why they differ."""
    why = {measure.metric: measure.why for measure in MEASURES}
    named = list(rows)
    described = agreement_rows.described(found, agreement_rows.frame(list(rows.values())), resampling)
    return described.with_columns(
        pl.Series("signature", [row["signature"] for row in rows.values()], dtype=pl.String),
        pl.Series("reading", [reading for _, reading in named], dtype=pl.String),
        pl.Series(
            "published",
            [figures.get(metric) if reading == PUBLISHED else None for metric, reading in named],
            pl.Float64,
        ),
        pl.Series("why", [why[metric] for metric, _ in named], dtype=pl.String),
    )


def _table(label: str, rows: dict[tuple[str, str], Row], figures: dict[str, float], resampling: Resampling) -> Table:
    shown = []
    for measure in MEASURES:
        theirs, sound = rows.get((measure.metric, PUBLISHED)), rows[measure.metric, SOUND]
        shown.append(
            {
                "measure": measure.name,
                "published": figures.get(measure.metric),
                "as published": theirs and theirs["value"],
                "sound": sound["value"],
                "low": sound["low"],
                "high": sound["high"],
                "strength": sound["strength"],
                "theirs was": measure.published and measure.published.metric,
                "sound is": f"{measure.sound.metric}, {'raw' if measure.sound.profile == RAW else 'tokenised'}",
                "why they differ": measure.why,
            }
        )
    n = rows[MEASURES[0].metric, SOUND]["n"]
    share = f"; low, high: {resampling.confidence:.0%} of {resampling.resamples:,} resamples of the images"
    return Table(
        f"Spearman with pooled ratings, {label}, n = {n:,}: as Elliott & Keller 2014 computed it, and sound",
        pl.DataFrame(shown, schema_overrides=dict.fromkeys(("published", "as published", "low", "high"), pl.Float64)),
        caption="theirs: on raw text, split at blanks" + (share if resampling.resamples else ""),
    )
