"""Recompute the figures of Elliott & Keller 2014 on their ratings in the store.

Table 1 has Spearman's rho of each measure with pooled ratings, as their programs computed it, and as it is sound. They
ran MultEval (Clark et al. 2011) and ROUGE-1.5.5 on raw text, and three of five columns differ from their names.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import polars as pl

from auditor import parameters as p
from auditor.model import Progress, Selection
from auditor.papers.figures import Paper, Quantities, Quantity, Reading
from auditor.papers.measured import Measured
from auditor.papers.readings import PUBLISHED, SOUND, available, beside, coefficients, interval, pooled, printed
from auditor.papers.runs import not_here
from auditor.result import Table
from auditor.scoring.registry import METRICS, lacking
from auditor.statistics.paired_systems import Resampling
from auditor.store.captions import Captions
from auditor.store.connection import Store
from auditor.store.versions import resolve
from auditor.studies.agree import ALL, Rated, correlated, densities, rated_captions

DATASET = "flickr8k-ek"

RAW, TOKENIZED = "whitespace", "ptb"

_POOLED = ("pooled", ALL)

_GRAMMAR = "p-of-grammaticality"

_ONE_RATING = "ratings of grammaticality need a separate dataset: a dataset has one rating per judge and caption"


def measure(store: Store, paper: Paper, seed: int, progress: Progress) -> Measured:
    """Measure table 1 and the statements on it; `seed` is for the resamples of images behind its intervals.

    Raw text is that of the authors' files. A measure that is not installed is not answerable.
    """
    absent = not_here(store, paper)
    readings, missing = available(paper)
    published = [reading for reading in readings if reading.published]
    resampling = Resampling(seed=seed)
    quantities: dict[Quantity, float] = {}
    signatures: dict[str, str] = {}
    selections: list[Selection] = []
    tables: list[Table] = []
    for name in (dataset for dataset in paper.datasets if dataset not in absent):
        annotated = resolve(store, name)
        repository = {one.metric: one.repository for one in readings if one.repository and name == DATASET}
        raw, tokenized = (
            rated_captions(Captions(store, annotated, profile), paper.needs[name], metrics, None, progress)
            for profile, metrics in (
                (RAW, [reading.published for reading in published]),
                (TOKENIZED, [*(reading.sound for reading in readings), *repository.values()]),
            )
        )
        printed_scores = [pl.col(one.published).round(one.decimals) for one in published if one.decimals is not None]
        as_printed = replace(raw, scores=raw.scores.with_columns(printed_scores))
        rated = {PUBLISHED: as_printed, SOUND: tokenized}
        made = {
            (reading, *_POOLED): correlated(each, *_POOLED, ["spearman"], resampling) for reading, each in rated.items()
        }
        rows = coefficients(rated, made)
        by_definition = rows.rows_by_key(["reading", "metric"], named=True, unique=True)
        found = {(one.metric, PUBLISHED): by_definition[PUBLISHED, one.published] for one in published}
        found |= {(metric, "repository"): by_definition[SOUND, label] for metric, label in repository.items()}
        for (metric, reading), row in found.items():
            if row["value"] is not None:
                quantities[name, metric, "", "caption", reading] = row["value"]
            if reading == PUBLISHED and row["value"] is not None:
                quantities[name, metric, "", "caption", "size"] = abs(row["value"])
                quantities[name, metric, "", "caption", "p"] = row["p"]
        found |= {(one.metric, SOUND): by_definition[SOUND, one.sound] for one in readings}
        signatures |= {f"{name}: {metric}, {reading}": row["signature"] for (metric, reading), row in found.items()}
        quantities.update(_data(name, raw))
        quantities.update(_densities(name, raw, published))
        quantities.update(_findings(name, raw, published))
        figures = printed(paper, name, PUBLISHED)
        tables.append(_exhibit(f"{annotated.label}, n = {rows['n'][0]:,}", beside(readings, rows, figures), resampling))
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


def _exhibit(label: str, rows: pl.DataFrame, resampling: Resampling) -> Table:
    """Return a row per measure: as published, sound, the printed figure, and why they differ."""
    read = ["theirs: on raw text, split at whitespace", "sound: all on the same tokens", interval(resampling)]
    return Table(
        f"Spearman with pooled ratings, {label}: as Elliott & Keller 2014 computed it, and as sound",
        rows.select(
            "measure",
            "published",
            pl.col(f"value {PUBLISHED}").alias("as published"),
            pl.col(f"strength {PUBLISHED}").alias("strength as published"),
            pl.col(f"value {SOUND}").alias("sound"),
            pl.col(f"low {SOUND}").alias("low"),
            pl.col(f"high {SOUND}").alias("high"),
            pl.col(f"strength {SOUND}").alias("strength when sound"),
            pl.col("theirs").alias("theirs was"),
            pl.format("{}, tokenized", "ours").alias("sound is"),
            pl.col("why").alias("why they differ"),
        ),
        caption="; ".join(filter(None, read)),
        name="as-published",
    )
