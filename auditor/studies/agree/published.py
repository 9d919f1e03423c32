"""Table 1 of Elliott & Keller 2014 as their programs computed it, beside the definitions that the paper gives.

What the measures of Elliott & Keller 2014 were, and what is sound; Spearman's rho of each with pooled ratings.

MultEval (Clark et al. 2011) and ROUGE-1.5.5 were run on raw text, and three of five columns are not what they are
called.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import polars as pl

from auditor import parameters as p
from auditor.model import Progress, Selection, silent
from auditor.papers import paper
from auditor.registry import METRICS, lacking, not_installed
from auditor.result import Figure, Finding, Result, Said, Table, findings_in, notes_in
from auditor.statistics.resampling import check_resampling
from auditor.store.connection import Store
from auditor.store.versions import resolve_all
from auditor.studies.agree import rows
from auditor.studies.agree import rows as agreement_rows
from auditor.studies.agree.ratings import Rated, rated_captions
from auditor.studies.agree.rows import ALL, Resampling, Row

PUBLISHED, SOUND = "as-published", "sound"

RAW, TOKENISED = "whitespace", "ptb"


class Definition(NamedTuple):
    """A metric as it is asked for, and the tokenizer; scores to so many decimals where a program printed those."""

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


def available() -> tuple[list[Measure], list[Finding]]:
    """Give the measures that this installation can compute, and what is found of those that it cannot."""
    reasons = {measure.name: lacking(METRICS[measure.metric]) for measure in MEASURES}
    return (
        [measure for measure in MEASURES if reasons[measure.name] is None],
        [not_installed(one.metric, why) for one in MEASURES if (why := reasons[one.name])],
    )


def scored(
    store: Store,
    annotated: Selection,
    against: str | None,
    definitions: Iterable[Definition],
    progress: Progress = silent,
) -> dict[str, Rated]:
    """Score every definition, by tokenizer."""
    wanted: dict[str, list[str]] = {}
    for one in definitions:
        wanted.setdefault(one.profile, []).append(one.metric)
    return {
        profile: rated_captions(store, annotated, against, metrics, profile, None, progress)
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
    rated = by_profile[one.profile]
    metric = next(metric for metric in rated.metrics if metric.label == one.metric)
    if one.decimals is not None:
        rated = dataclasses.replace(rated, scores=rated.scores.with_columns(pl.col(one.metric).round(one.decimals)))
    alone = dataclasses.replace(rated, metrics=(metric,))
    made = rows.correlated(alone, "pooled", ALL, ["spearman"], resampling)
    return made.rows[0] | {"signature": rated.signatures[one.metric]}


PAPER, DATASET = "elliott2014", "flickr8k-ek"

#: Their references as their files have them: raw text, which the tokenised captions of Flickr8k are not.
REFERENCES = "flickr8k-ek-refs"

Rows = Mapping[tuple[str, str], Row]


def as_published(
    store: Store,
    *refs: p.Rated,
    against: p.Against = None,
    split: p.Split = None,
    resampling: Resampling | None = None,
    progress: Progress = silent,
) -> Result:
    """Correlate each measure with pooled ratings, as Elliott & Keller computed it and sound; say why they differ.

    Their own data are `flickr8k-ek`, scored against `flickr8k-ek-refs`. Raises `UsageError` where these are missing.
    """
    chosen = resampling or Resampling()
    check_resampling(chosen.resamples, chosen.confidence)
    printed = printed_figures()
    measures, missing = available()
    frames, tables, drawn, selections = [], [], list[Figure](), list[Selection]()
    signatures, notes = dict[str, str](), list[Said](missing)
    for annotated in resolve_all(store, refs, split):
        own = annotated.version.dataset == DATASET
        by_profile = scored(store, annotated, against or (REFERENCES if own else None), of(measures), progress)
        rows = measured(by_profile, measures, chosen)
        figures = printed if own else {}
        frames.append(_frame(by_profile[RAW], rows, figures, chosen))
        tables.append(exhibit(annotated.label, measures, rows, figures, chosen))
        drawn.append(_figure(annotated.label, measures, rows, len(drawn)))
        selections += [annotated, by_profile[RAW].references]
        for profile, rated in by_profile.items():
            signatures |= {f"{label} tok:{profile}": text for label, text in rated.signatures.items()}
            notes += rated.notes
        if not own:
            notes.append(f"{annotated.label}: the definitions are those of the paper, whose ratings are in {DATASET}")
    return Result(
        "agree",
        pl.concat(frames),
        selections=tuple(dict.fromkeys(selections)),
        signatures=signatures,
        tables=tuple(tables),
        figures=tuple(drawn),
        notes=notes_in(dict.fromkeys(notes)),
        findings=findings_in(dict.fromkeys(notes)),
    )


def printed_figures() -> dict[str, float]:
    """Read what Table 1 prints for Flickr8k, by metric."""
    return {
        check.of[1]: float(check.printed)
        for check in paper(PAPER).checks
        if (check.of[0], check.of[-1]) == (DATASET, PUBLISHED) and check.printed is not None
    }


def _frame(rated: Rated, rows: Rows, figures: Mapping[str, float], resampling: Resampling) -> pl.DataFrame:
    """Give the rows of a dataset in the columns of `agree`, with the reading, what is printed, and why they differ."""
    why = {measure.metric: measure.why for measure in MEASURES}
    named = list(rows)
    described = agreement_rows.described(rated, agreement_rows.frame(list(rows.values())), resampling)
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


def exhibit(
    label: str, measures: Sequence[Measure], rows: Rows, figures: Mapping[str, float], resampling: Resampling
) -> Table:
    """Put each measure as published beside the sound one, with the figure that is printed and why they differ."""
    shown = []
    for measure in measures:
        theirs, sound = rows.get((measure.metric, PUBLISHED)), rows[measure.metric, SOUND]
        shown.append(
            {
                "measure": measure.name,
                "published": figures.get(measure.metric),
                "as published": theirs and theirs["value"],
                "strength as published": theirs and theirs["strength"],
                "sound": sound["value"],
                "low": sound["low"],
                "high": sound["high"],
                "strength when sound": sound["strength"],
                "theirs was": measure.published and measure.published.metric,
                "sound is": f"{measure.sound.metric}, tokenised",
                "why they differ": measure.why,
            }
        )
    n = rows[measures[0].metric, SOUND]["n"]
    share = f"; low, high: {resampling.confidence:.0%} interval by {resampling.resamples:,} resamples of images"
    return Table(
        f"Spearman with pooled ratings, {label}, n = {n:,}: as Elliott & Keller 2014 computed it, and sound",
        pl.DataFrame(shown, schema_overrides=dict.fromkeys(("published", "as published", "low", "high"), pl.Float64)),
        caption="theirs: on raw text, split at blanks; sound: all on the same tokens"
        + (share if resampling.resamples else ""),
        name="as-published",
    )


def _figure(label: str, measures: Sequence[Measure], rows: Rows, before: int) -> Figure:
    """Draw both readings of each measure; errors correlate below 0."""
    names = {measure.metric: measure.name for measure in measures}
    shown = [(names[metric], reading, row["value"]) for (metric, reading), row in rows.items()]
    return Figure(
        f"as-published{f'-{before + 1}' if before else ''}",
        f"Spearman with pooled ratings, {label}",
        "bars",
        pl.DataFrame(shown, schema=["measure", "reading", "spearman"], orient="row"),
        x="measure",
        y="spearman",
        series="reading",
        y_label="Spearman's rho",
    )
