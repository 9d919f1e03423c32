"""Recompute the figures of Elliott & Keller 2014 on their ratings in the store.

Table 1 has Spearman's rho of each measure with pooled ratings, as their programs computed it, and as it is sound. They
ran MultEval (Clark et al. 2011) and ROUGE-1.5.5 on raw text, and three of five columns differ from their names.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

import polars as pl

from auditor import parameters as p
from auditor.model import Progress, Selection
from auditor.papers.figures import Paper, Quantities, Quantity, Reading
from auditor.papers.measured import Measured
from auditor.papers.readings import PUBLISHED, SOUND, available, interval, pooled, printed
from auditor.papers.runs import not_here
from auditor.result import Table
from auditor.scoring.registry import METRICS, lacking
from auditor.store.captions import Captions
from auditor.store.connection import Store
from auditor.store.versions import resolve
from auditor.studies.agree import ALL, Rated, Resampling, Row, correlated, densities, rated_captions

DATASET = "flickr8k-ek"

RAW, TOKENIZED = "whitespace", "ptb"

#: The later table of the authors' repository: tokens and punctuation as in COCO's evaluation, the same programs.
REPOSITORY = {
    "cider-d": "cider-d",
    "meteor": "meteor",
    "bleu-4": "bleu-4:smooth=mteval",
    "rouge-su4": "rouge-su4:measure=recall,aggregate=best,stem=true",
    "ter": "ter:length=truncated",
}

_GRAMMAR = "p-of-grammaticality"

_ONE_RATING = "ratings of grammaticality need a separate dataset: a dataset has one rating per judge and caption"


def measure(store: Store, paper: Paper, seed: int, progress: Progress) -> Measured:
    """Measure table 1 and the statements on it; `seed` is for the resamples of images behind its intervals.

    Raw text is that of the authors' files. A measure that is not installed is not answerable.
    """
    absent = not_here(store, paper)
    readings, missing = available(paper)
    resampling = Resampling(seed=seed)
    quantities: dict[Quantity, float] = {}
    signatures: dict[str, str] = {}
    selections: list[Selection] = []
    tables: list[Table] = []
    for name in (dataset for dataset in paper.datasets if dataset not in absent):
        annotated = resolve(store, name)
        repository = REPOSITORY if name == DATASET else {}
        repository = {metric: label for metric, label in repository.items() if not lacking(METRICS[metric])}
        published = [reading for reading in readings if reading.published]
        raw, tokenized = (
            rated_captions(Captions(store, annotated, profile), paper.needs[name], metrics, None, progress)
            for profile, metrics in (
                (RAW, [reading.published for reading in published]),
                (TOKENIZED, [*(reading.sound for reading in readings), *repository.values()]),
            )
        )
        rows = _rows(raw, tokenized, readings, resampling)
        for (metric, reading), row in rows.items():
            signatures[f"{name}: {metric}, {reading}"] = row["signature"]
            if reading == PUBLISHED and row["value"] is not None:
                quantities[name, metric, "", "caption", PUBLISHED] = row["value"]
                quantities[name, metric, "", "caption", "size"] = abs(row["value"])
                quantities[name, metric, "", "caption", "p"] = row["p"]
        for metric, label in repository.items():
            row = _spearman(tokenized, label, Resampling(resamples=0))
            signatures[f"{name}: {metric}, repository"] = row["signature"]
            quantities[name, metric, "", "caption", "repository"] = row["value"]
        quantities.update(_data(name, raw))
        quantities.update(_densities(name, raw, published))
        quantities.update(_findings(name, raw, published))
        tables.append(_exhibit(annotated.label, readings, rows, printed(paper, name, PUBLISHED), resampling))
        selections += [annotated, raw.references]
    return Measured(
        quantities,
        absent,
        tuple(selections),
        signatures,
        notes=missing,
        absent=_absent(paper, absent),
        tables=tuple(tables),
    )


def of_metrics(store: Store, paper: Paper, metrics: p.Metrics, _seed: int, progress: Progress) -> Quantities:
    """Correlate further metrics with pooled ratings, on the tokens of sound definitions."""
    for name in (dataset for dataset in paper.datasets if dataset not in not_here(store, paper)):
        for row in pooled(store, paper, name, metrics, TOKENIZED, ALL, ["spearman"], progress):
            yield (name, row["metric"], "", "caption", PUBLISHED), row["value"]


def _absent(paper: Paper, not_stored: Mapping[str, str]) -> dict[Quantity, str]:
    """Return why quantities of available ratings cannot be measured."""
    here = [check.of for check in paper.checks if check.of[0] not in not_stored]
    reasons = {quantity: lacking(METRICS[quantity[1]]) for quantity in here if quantity[1] in METRICS}
    grammar = {quantity: _ONE_RATING for quantity in here if quantity[-1] == _GRAMMAR}
    return {name: reason for name, reason in reasons.items() if reason is not None} | grammar


def _data(name: str, rated: Rated) -> Quantities:
    ratings, references = rated.ratings["score"], rated.references.version
    # in the authors' file every candidate has separate references, otherwise every image
    described = rated.scores.height if name == DATASET else references.images
    counted = {
        "images": rated.scores["image"].n_unique(),
        "references": references.captions / described,
        "judges": len(rated.judges),
        "rating-least": ratings.min(),
        "rating-most": ratings.max(),
        "ratings": len(ratings),
    }
    for statistic, value in counted.items():
        if isinstance(value, int | float):
            yield (name, "", "", "", statistic), float(value)


def _findings(name: str, rated: Rated, published: Sequence[Reading]) -> Quantities:
    """Yield the highest score of each measure, and figures on lengths and on captions that raters praise."""
    for reading in published:
        highest = rated.scores[reading.published].max()
        if isinstance(highest, float):
            yield (name, reading.metric, "", "caption", "score-most"), highest
    apart = (pl.col("length").cast(pl.Float64) - pl.col("reference_lengths") / pl.col("reference_count")).abs()
    yield (name, "", "", "caption", "share-of-other-length"), float(rated.scores.select((apart >= 1).mean()).item())
    for meteor in (reading for reading in published if reading.metric == "meteor"):
        rows = rated.beside_scores("mean").select("human", score=meteor.published)
        rejected = rows.filter(pl.col("human") == rows["human"].min())["score"].sort().mean()
        praised = rows.filter(pl.col("human") == rows["human"].max())
        low = praised.filter(pl.col("score") < rejected).height
        yield (name, "meteor", "", "caption", "praised-and-scored-low"), float(low)


def _densities(name: str, rated: Rated, published: Sequence[Reading]) -> Quantities:
    """Yield the shares of a rating's captions by score, as published: figure 2."""
    scores = rated.beside_scores("pooled")
    for reading in published:
        for rating, score, share in densities(scores.select("human", score=reading.published)).iter_rows():
            yield (name, reading.metric, rating, score, "density"), share


def _rows(
    raw: Rated, tokenized: Rated, readings: Sequence[Reading], resampling: Resampling
) -> dict[tuple[str, str], Row]:
    """Return the row of each measure as published and sound, by metric and reading."""
    rows: dict[tuple[str, str], Row] = {}
    for reading in readings:
        if reading.published:
            rows[reading.metric, PUBLISHED] = _spearman(raw, reading.published, resampling, reading.decimals)
        rows[reading.metric, SOUND] = _spearman(tokenized, reading.sound, resampling)
    return rows


def _spearman(rated: Rated, label: str, resampling: Resampling, decimals: int | None = None) -> Row:
    """Correlate one metric, with as many decimals, with pooled ratings. The row includes the signature."""
    metric = next(metric for metric in rated.metrics if metric.label == label)
    scores = rated.scores if decimals is None else rated.scores.with_columns(pl.col(label).round(decimals))
    alone = dataclasses.replace(rated, metrics=(metric,), scores=scores)
    made = correlated(alone, "pooled", ALL, ["spearman"], resampling)
    return made.rows[0] | {"signature": rated.signatures[label]}


def _exhibit(
    label: str,
    readings: Sequence[Reading],
    rows: Mapping[tuple[str, str], Row],
    figures: Mapping[str, float],
    resampling: Resampling,
) -> Table:
    """Return a row per measure: as published, sound, the printed figure, and why they differ."""
    shown = []
    for reading in readings:
        theirs, sound = rows.get((reading.metric, PUBLISHED)), rows[reading.metric, SOUND]
        shown.append(
            {
                "measure": reading.name,
                "published": figures.get(reading.metric),
                "as published": theirs and theirs["value"],
                "strength as published": theirs and theirs["strength"],
                "sound": sound["value"],
                "low": sound["low"],
                "high": sound["high"],
                "strength when sound": sound["strength"],
                "theirs was": reading.published or None,
                "sound is": f"{reading.sound}, tokenized",
                "why they differ": reading.why,
            }
        )
    n = rows[readings[0].metric, SOUND]["n"]
    read = ["theirs: on raw text, split at whitespace", "sound: all on the same tokens", interval(resampling)]
    return Table(
        f"Spearman with pooled ratings, {label}, n = {n:,}: as Elliott & Keller 2014 computed it, and as sound",
        pl.DataFrame(shown, schema_overrides=dict.fromkeys(("published", "as published", "low", "high"), pl.Float64)),
        caption="; ".join(filter(None, read)),
        name="as-published",
    )
