"""Measures what Elliott & Keller 2014 publish, on those of their ratings that are in the store.

Table 1 is as their programs computed it, beside what is sound: Spearman's rho of each measure with pooled ratings.
MultEval (Clark et al. 2011) and ROUGE-1.5.5 were run on raw text, and three of five columns are not what they are
called.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import polars as pl

from auditor import parameters as p
from auditor.model import Progress, Selection, silent
from auditor.papers.figures import Paper, Quantity
from auditor.papers.measured import Measured
from auditor.result import Finding, Table
from auditor.scoring.registry import METRICS, not_installed
from auditor.scoring.registry import lacking as needed
from auditor.store.connection import Store
from auditor.store.versions import log, resolve
from auditor.studies.agree import ALL, Rated, Resampling, Row, correlated, rated_captions

DATASET = "flickr8k-ek"

#: Their references as their files have them: raw text, which the tokenized captions of Flickr8k are not.
REFERENCES = "flickr8k-ek-refs"

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
        "they scored raw text, where “snow.” is not “snow” and “A” is not “a”; sound: tokenized, lower case",
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
        "raw text, and an order that a caption is too short for counts as matched; sound: tokenized, smoothed there",
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


#: The references that the captions of each set of ratings were scored against.
_DESCRIBED = {DATASET: REFERENCES, "ek2013": "vlt2k"}

_TO_OBTAIN = ("ek2013", "vlt2k")

_GRAMMAR = "p-of-grammaticality"

_ONE_RATING = "a dataset of ratings has one of a judge and a caption; those of grammaticality are a set of their own"

Quantities = Iterator[tuple[Quantity, float]]


def measure(store: Store, paper: Paper, seed: int, progress: Progress) -> Measured:
    """Measure table 1 and what is said of it; `seed` draws the images behind the intervals of the table that is shown.

    Raw text is that of the authors' own files. A measure that this installation cannot compute is not answerable.
    """
    lacking = {name: reason for name in paper.datasets if (reason := _lacking(store, name))}
    measures, missing = available()
    quantities: dict[Quantity, float] = {}
    signatures: dict[str, str] = {}
    selections: list[Selection] = []
    tables: list[Table] = []
    for name in (dataset for dataset in paper.datasets if dataset not in lacking):
        annotated, resampling = resolve(store, name), Resampling(seed=seed)
        repository = {key: one for key, one in REPOSITORY.items() if name == DATASET and not needed(METRICS[key])}
        definitions = [*of(measures), *repository.values()]
        by_profile = scored(store, annotated, _DESCRIBED[name], definitions, progress)
        rated, rows = by_profile[RAW], measured(by_profile, measures, resampling)
        for (metric, reading), row in rows.items():
            signatures[f"{name}: {metric}, {reading}"] = row["signature"]
            if reading == PUBLISHED and row["value"] is not None:
                quantities[name, metric, "", "caption", PUBLISHED] = row["value"]
                quantities[name, metric, "", "caption", "size"] = abs(row["value"])
                quantities[name, metric, "", "caption", "p"] = row["p"]
        for metric, one in repository.items():
            row = spearman(by_profile, one, Resampling(resamples=0))
            signatures[f"{name}: {metric}, repository"] = row["signature"]
            quantities[name, metric, "", "caption", "repository"] = row["value"]
        quantities.update(_data(name, rated))
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
    """Correlate further metrics with pooled ratings, on the tokens of what is sound."""
    for name in (dataset for dataset in paper.datasets if not _lacking(store, dataset)):
        rated = rated_captions(store, resolve(store, name), _DESCRIBED[name], metrics, TOKENISED, None, progress)
        for row in correlated(rated, "pooled", ALL, ["spearman"], Resampling(resamples=0)).rows:
            if row["value"] is not None:
                yield (name, row["metric"], "", "caption", PUBLISHED), row["value"]


def _lacking(store: Store, name: str) -> str | None:
    """Return what of a set of ratings must be ingested, if anything must."""
    missing = next((each for each in (name, _DESCRIBED[name]) if not log(store, each)), None)
    if missing is None:
        return None
    if missing in _TO_OBTAIN:
        return f"{missing} is not in the store: `auditor fetch {missing}` says how to obtain it"
    return f"{missing} is not in the store: `auditor ingest {missing}`"


def _absent(paper: Paper, lacking: Mapping[str, str]) -> dict[Quantity, str]:
    """Return why quantities of ratings that are here cannot be measured."""
    here = [check.of for check in paper.checks if check.of[0] not in lacking]
    reasons = {one: needed(METRICS[one[1]]) for one in here if one[1] in METRICS}
    grammar = {one: _ONE_RATING for one in here if one[-1] == _GRAMMAR}
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
    """Count what has references of its own: in the authors' file every candidate, else every image."""
    own = rated.references.version.dataset == REFERENCES
    return rated.scores.height if own else rated.references.version.images


def _findings(name: str, rated: Rated, measures: Sequence[Measure]) -> Quantities:
    """Yield the highest score of each measure, and what is said of lengths and of captions that people praise."""
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


def available() -> tuple[list[Measure], list[Finding]]:
    """Return the measures that this installation can compute, and what is found of those that it cannot."""
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
        profile: rated_captions(store, annotated, against, metrics, profile, None, progress)
        for profile, metrics in wanted.items()
    }


def of(measures: Sequence[Measure]) -> list[Definition]:
    """List the definitions of measures, as published and sound."""
    return [one for measure in measures for one in (measure.published, measure.sound) if one is not None]


def measured(
    by_profile: Mapping[str, Rated], measures: Sequence[Measure], resampling: Resampling
) -> dict[tuple[str, str], Row]:
    """Return the row of each measure as published and sound, by metric and reading."""
    return {
        (measure.metric, reading): spearman(by_profile, one, resampling)
        for measure in measures
        for reading, one in ((PUBLISHED, measure.published), (SOUND, measure.sound))
        if one is not None
    }


def spearman(by_profile: Mapping[str, Rated], definition: Definition, resampling: Resampling) -> Row:
    """Correlate one definition with pooled ratings. The row has the signature too."""
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
    """Read what Table 1 prints of a set of ratings, by metric."""
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
                "sound is": f"{measure.sound.metric}, tokenized",
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
