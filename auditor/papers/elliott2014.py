"""Measures what Elliott & Keller 2014 publish, on those of their ratings that are in the store."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import polars as pl

from auditor.model import Progress, Selection
from auditor.papers.figures import Paper, Quantity
from auditor.papers.measured import Measured
from auditor.registry import METRICS
from auditor.registry import lacking as needed
from auditor.result import Table
from auditor.store.connection import Store
from auditor.store.versions import log, resolve
from auditor.studies.agree import Rated, Resampling
from auditor.studies.agree.published import (
    DATASET,
    PUBLISHED,
    RAW,
    REFERENCES,
    REPOSITORY,
    Measure,
    available,
    exhibit,
    measured,
    of,
    printed_figures,
    scored,
)
from auditor.studies.agree.published import spearman as correlated

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
    for name in (one for one in paper.datasets if one not in lacking):
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
            row = correlated(by_profile, one, Resampling(resamples=0))
            signatures[f"{name}: {metric}, repository"] = row["signature"]
            quantities[name, metric, "", "caption", "repository"] = row["value"]
        quantities.update(_data(name, rated))
        quantities.update(_findings(name, rated, measures))
        figures = printed_figures() if name == DATASET else {}
        tables.append(exhibit(annotated.label, measures, rows, figures, resampling))
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


def _lacking(store: Store, name: str) -> str | None:
    """Say what of a set of ratings must be ingested, if anything must."""
    missing = next((each for each in (name, _DESCRIBED[name]) if not log(store, each)), None)
    if missing is None:
        return None
    if missing in _TO_OBTAIN:
        return f"{missing} is not in the store: `auditor fetch {missing}` says how to obtain it"
    return f"{missing} is not in the store: `auditor ingest {missing}`"


def _absent(paper: Paper, lacking: Mapping[str, str]) -> dict[Quantity, str]:
    """Say why quantities of ratings that are here cannot be measured."""
    here = [check.of for check in paper.checks if check.of[0] not in lacking]
    reasons = {one: needed(METRICS[one[1]]) for one in here if one[1] in METRICS}
    grammar = {one: _ONE_RATING for one in here if one[-1] == _GRAMMAR}
    return {one: reason for one, reason in reasons.items() if reason is not None} | grammar


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
    """Give the highest score of each measure, and what is said of lengths and of captions that people praise."""
    for one in measures:
        if one.published is not None:
            highest = rated.scores[one.published.metric].max()
            if isinstance(highest, float):
                yield (name, one.metric, "", "caption", "score-most"), highest
    apart = (pl.col("length").cast(pl.Float64) - pl.col("reference_lengths") / pl.col("reference_count")).abs()
    yield (name, "", "", "caption", "share-of-other-length"), float(rated.scores.select((apart >= 1).mean()).item())
    meteor = next((one.published for one in measures if one.metric == "meteor"), None)
    if meteor is not None:
        rows = rated.beside_scores("mean").select("human", score=meteor.metric)
        rejected = rows.filter(pl.col("human") == rows["human"].min())["score"].sort().mean()
        praised = rows.filter(pl.col("human") == rows["human"].max())
        low = praised.filter(pl.col("score") < rejected).height
        yield (name, "meteor", "", "caption", "praised-and-scored-low"), float(low)
