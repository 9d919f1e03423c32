"""Recompute the figures of Elliott & Keller 2014 on their ratings in the store.

Table 1 has Spearman's rho of each measure with pooled ratings, as their programs computed it, and as it is sound. They
ran MultEval (Clark et al. 2011) and ROUGE-1.5.5 on raw text, and three of five columns differ from their names.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import polars as pl

from auditor import parameters as p
from auditor.called import not_stored
from auditor.model import Progress, Selection, silent
from auditor.papers.figures import Paper, Quantities, Quantity
from auditor.papers.measured import Measured
from auditor.result import Finding, Table
from auditor.scoring.registry import METRICS, not_installed
from auditor.scoring.registry import lacking as needed
from auditor.store.captions import Captions
from auditor.store.connection import Store
from auditor.store.versions import log, resolve
from auditor.studies.agree import ALL, Rated, Resampling, Row, correlated, densities, rated_captions

DATASET = "flickr8k-ek"

#: Their references as in their files: raw text, unlike the tokenized captions of Flickr8k.
REFERENCES = "flickr8k-ek-refs"

PUBLISHED, SOUND = "as-published", "sound"

RAW, TOKENIZED = "whitespace", "ptb"


class Definition(NamedTuple):
    """A metric with options, and the tokenizer; scores have `decimals` if a program printed those."""

    metric: str
    profile: str
    decimals: int | None = None


class Measure(NamedTuple):
    """A row of the exhibit: its name in the paper, the published and the sound definition, and why they differ.

    Sound definitions use the same tokens, so that measures can be compared.
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
        Definition("meteor", TOKENIZED),
        "they scored raw text, where “snow.” is not “snow” and “A” is not “a”; sound: tokenized, lower case",
    ),
    Measure(
        "ROUGE-SU4",
        "rouge-su4",
        Definition("rouge-su4:measure=recall,stem=true", RAW),
        Definition("rouge-su4:stem=true", TOKENIZED),
        "theirs is recall alone, which does not penalize extra words; sound: F, stemmed as theirs",
    ),
    Measure(
        "Smoothed BLEU",
        "bleu-4",
        Definition("bleu-4:smooth=mteval", RAW),
        Definition("bleu-4", TOKENIZED),
        "raw text, and n-grams longer than the caption count as matched; sound: tokenized, smoothed for these",
    ),
    Measure(
        "Unigram BLEU",
        "bleu-1",
        Definition("bleu-1:smooth=mteval,weights=quarter", RAW, decimals=2),
        Definition("bleu-1:smooth=none,bp=none", TOKENIZED),
        "theirs is MultEval's bleu1p, BP · p₁^¼ with two decimals; sound: p₁ without penalty, as in the paper",
    ),
    Measure(
        "TER",
        "ter",
        Definition("ter:length=truncated", RAW),
        Definition("ter", TOKENIZED),
        "MultEval divides by the integer part of the mean reference length; sound: by the mean, as tercom does",
    ),
    Measure(
        "CIDEr-D",
        "cider-d",
        None,
        Definition("cider-d", TOKENIZED),
        "not in the paper; the later table of its repository calls this CIDEr (.581)",
    ),
    Measure("CIDEr", "cider", None, Definition("cider", TOKENIZED), "not in the paper; the metric of that name"),
)

#: The later table of the authors' repository: tokens and punctuation as in COCO's evaluation, the same programs.
REPOSITORY: Mapping[str, Definition] = {
    "cider-d": Definition("cider-d", TOKENIZED),
    "meteor": Definition("meteor", TOKENIZED),
    "bleu-4": Definition("bleu-4:smooth=mteval", TOKENIZED),
    "rouge-su4": Definition("rouge-su4:measure=recall,aggregate=best,stem=true", TOKENIZED),
    "ter": Definition("ter:length=truncated", TOKENIZED),
}


#: The references for the captions of each set of ratings.
_DESCRIBED = {DATASET: REFERENCES, "ek2013": "vlt2k"}

_TO_OBTAIN = ("ek2013", "vlt2k")

_GRAMMAR = "p-of-grammaticality"

_ONE_RATING = "ratings of grammaticality need a separate dataset: a dataset has one rating per judge and caption"


def measure(store: Store, paper: Paper, seed: int, progress: Progress) -> Measured:
    """Measure table 1 and the statements on it; `seed` is for the resamples of images behind its intervals.

    Raw text is that of the authors' files. A measure that is not installed is not answerable.
    """
    lacking = {name: reason for name in paper.datasets if (reason := _lacking(store, name))}
    measures, missing = available()
    quantities: dict[Quantity, float] = {}
    signatures: dict[str, str] = {}
    selections: list[Selection] = []
    tables: list[Table] = []
    for name in (dataset for dataset in paper.datasets if dataset not in lacking):
        annotated, resampling = resolve(store, name), Resampling(seed=seed)
        repository = {
            key: definition for key, definition in REPOSITORY.items() if name == DATASET and not needed(METRICS[key])
        }
        definitions = [*of(measures), *repository.values()]
        by_profile = scored(store, annotated, _DESCRIBED[name], definitions, progress)
        rated, rows = by_profile[RAW], measured(by_profile, measures, resampling)
        for (metric, reading), row in rows.items():
            signatures[f"{name}: {metric}, {reading}"] = row["signature"]
            if reading == PUBLISHED and row["value"] is not None:
                quantities[name, metric, "", "caption", PUBLISHED] = row["value"]
                quantities[name, metric, "", "caption", "size"] = abs(row["value"])
                quantities[name, metric, "", "caption", "p"] = row["p"]
        for metric, definition in repository.items():
            row = spearman(by_profile, definition, Resampling(resamples=0))
            signatures[f"{name}: {metric}, repository"] = row["signature"]
            quantities[name, metric, "", "caption", "repository"] = row["value"]
        quantities.update(_data(name, rated))
        quantities.update(_densities(name, rated, measures))
        quantities.update(_findings(name, rated, measures))
        tables.append(exhibit(annotated.label, measures, rows, printed(paper, name), resampling))
        selections += [annotated, rated.references]
    return Measured(
        quantities,
        lacking,
        tuple(selections),
        signatures,
        notes=tuple(missing),
        absent=_absent(paper, lacking),
        tables=tuple(tables),
    )


def of_metrics(store: Store, paper: Paper, metrics: p.Metrics, _seed: int, progress: Progress) -> Quantities:
    """Correlate further metrics with pooled ratings, on the tokens of sound definitions."""
    for name in (dataset for dataset in paper.datasets if not _lacking(store, dataset)):
        rated = rated_captions(
            Captions(store, resolve(store, name), TOKENIZED), _DESCRIBED[name], metrics, None, progress
        )
        for row in correlated(rated, "pooled", ALL, ["spearman"], Resampling(resamples=0)).rows:
            if row["value"] is not None:
                yield (name, row["metric"], "", "caption", PUBLISHED), row["value"]


def _lacking(store: Store, name: str) -> str | None:
    """Return a message if a set of ratings or its references must be ingested."""
    missing = next((each for each in (name, _DESCRIBED[name]) if not log(store, each)), None)
    if missing is None:
        return None
    return not_stored(missing, "fetch" if missing in _TO_OBTAIN else "ingest")


def _absent(paper: Paper, lacking: Mapping[str, str]) -> dict[Quantity, str]:
    """Return why quantities of available ratings cannot be measured."""
    here = [check.of for check in paper.checks if check.of[0] not in lacking]
    reasons = {quantity: needed(METRICS[quantity[1]]) for quantity in here if quantity[1] in METRICS}
    grammar = {quantity: _ONE_RATING for quantity in here if quantity[-1] == _GRAMMAR}
    return {name: reason for name, reason in reasons.items() if reason is not None} | grammar


def _data(name: str, rated: Rated) -> Quantities:
    ratings = rated.ratings["score"]
    counted = {
        "images": rated.scores["image"].n_unique(),
        "references": rated.references.version.captions / _described(rated),
        "judges": len(rated.judges),
        "rating-least": ratings.min(),
        "rating-most": ratings.max(),
        "ratings": len(ratings),
    }
    for statistic, value in counted.items():
        if isinstance(value, int | float):
            yield (name, "", "", "", statistic), float(value)


def _described(rated: Rated) -> int:
    """Count the items with separate references: in the authors' file every candidate, otherwise every image."""
    own = rated.references.version.dataset == REFERENCES
    return rated.scores.height if own else rated.references.version.images


def _findings(name: str, rated: Rated, measures: Sequence[Measure]) -> Quantities:
    """Yield the highest score of each measure, and figures on lengths and on captions that raters praise."""
    for measure in measures:
        if measure.published is not None:
            highest = rated.scores[measure.published.metric].max()
            if isinstance(highest, float):
                yield (name, measure.metric, "", "caption", "score-most"), highest
    apart = (pl.col("length").cast(pl.Float64) - pl.col("reference_lengths") / pl.col("reference_count")).abs()
    yield (name, "", "", "caption", "share-of-other-length"), float(rated.scores.select((apart >= 1).mean()).item())
    meteor = next((measure.published for measure in measures if measure.metric == "meteor"), None)
    if meteor is not None:
        rows = rated.beside_scores("mean").select("human", score=meteor.metric)
        rejected = rows.filter(pl.col("human") == rows["human"].min())["score"].sort().mean()
        praised = rows.filter(pl.col("human") == rows["human"].max())
        low = praised.filter(pl.col("score") < rejected).height
        yield (name, "meteor", "", "caption", "praised-and-scored-low"), float(low)


def _densities(name: str, rated: Rated, measures: Sequence[Measure]) -> Quantities:
    """Yield the shares of a rating's captions by score, as published: figure 2."""
    scores = rated.beside_scores("pooled")
    for measure in measures:
        if measure.published is not None:
            rows = densities(scores.select("human", score=measure.published.metric))
            for rating, score, share in rows.iter_rows():
                yield (name, measure.metric, rating, score, "density"), share


def available() -> tuple[list[Measure], list[Finding]]:
    """Return the measures that can be computed here, and findings on those that cannot."""
    reasons = {measure.name: needed(METRICS[measure.metric]) for measure in MEASURES}
    return (
        [measure for measure in MEASURES if reasons[measure.name] is None],
        [not_installed(measure.metric, why) for measure in MEASURES if (why := reasons[measure.name])],
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
    for definition in definitions:
        wanted.setdefault(definition.profile, []).append(definition.metric)
    return {
        profile: rated_captions(Captions(store, annotated, profile), against, metrics, None, progress)
        for profile, metrics in wanted.items()
    }


def of(measures: Sequence[Measure]) -> list[Definition]:
    """List the definitions of measures, as published and sound."""
    definitions = (definition for measure in measures for definition in (measure.published, measure.sound))
    return [definition for definition in definitions if definition is not None]


def measured(
    by_profile: Mapping[str, Rated], measures: Sequence[Measure], resampling: Resampling
) -> dict[tuple[str, str], Row]:
    """Return the row of each measure as published and sound, by metric and reading."""
    return {
        (measure.metric, reading): spearman(by_profile, definition, resampling)
        for measure in measures
        for reading, definition in ((PUBLISHED, measure.published), (SOUND, measure.sound))
        if definition is not None
    }


def spearman(by_profile: Mapping[str, Rated], definition: Definition, resampling: Resampling) -> Row:
    """Correlate one definition with pooled ratings. The row includes the signature."""
    rated = by_profile[definition.profile]
    metric = next(metric for metric in rated.metrics if metric.label == definition.metric)
    if definition.decimals is not None:
        rated = dataclasses.replace(
            rated, scores=rated.scores.with_columns(pl.col(definition.metric).round(definition.decimals))
        )
    alone = dataclasses.replace(rated, metrics=(metric,))
    made = correlated(alone, "pooled", ALL, ["spearman"], resampling)
    return made.rows[0] | {"signature": rated.signatures[definition.metric]}


def printed(paper: Paper, dataset: str) -> dict[str, float]:
    """Return the printed figures of table 1 for a set of ratings, by metric."""
    return {
        check.of[1]: float(check.printed)
        for check in paper.checks
        if (check.of[0], check.of[-1]) == (dataset, PUBLISHED) and check.printed is not None
    }


def exhibit(
    label: str,
    measures: Sequence[Measure],
    rows: Mapping[tuple[str, str], Row],
    figures: Mapping[str, float],
    resampling: Resampling,
) -> Table:
    """Return a row per measure: as published, sound, the printed figure, and why they differ."""
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
                "sound is": f"{measure.sound.metric}, tokenized",
                "why they differ": measure.why,
            }
        )
    n = rows[measures[0].metric, SOUND]["n"]
    share = (
        f"; low, high: {resampling.confidence:.0%} confidence interval ({resampling.resamples:,} resamples of images)"
    )
    return Table(
        f"Spearman with pooled ratings, {label}, n = {n:,}: as Elliott & Keller 2014 computed it, and as sound",
        pl.DataFrame(shown, schema_overrides=dict.fromkeys(("published", "as published", "low", "high"), pl.Float64)),
        caption="theirs: on raw text, split at whitespace; sound: all on the same tokens"
        + (share if resampling.resamples else ""),
        name="as-published",
    )
