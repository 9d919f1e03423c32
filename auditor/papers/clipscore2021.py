"""Recompute the coefficients of Hessel et al. 2021 and later papers on Flickr8k's ratings.

Coefficients are shown times 100, as printed: as published and sound, with the choices that change them, the
differences between metrics, and the agreement between raters.
"""

from __future__ import annotations

from itertools import pairwise

import polars as pl

from auditor import parameters as p
from auditor.called import call
from auditor.model import Progress, Selection
from auditor.papers.clipscore2021_ratings import (
    MEAN,
    POOLED,
    PROFILE,
    SETUPS,
    TAUS,
    Followed,
    follow,
)
from auditor.papers.figures import Paper, Quantities, Quantity
from auditor.papers.measured import Measured
from auditor.papers.readings import PUBLISHED, SOUND, available, interval, pooled, printed
from auditor.result import Said, Table
from auditor.scoring.registry import METRICS, lacking
from auditor.statistics import cluster_bootstrap
from auditor.statistics.significance import holm
from auditor.store.connection import Store
from auditor.store.versions import log, resolve
from auditor.studies.agree import ALL, WITHOUT, Resampling
from auditor.studies.consensus import ConsensusSettings, consensus

SOURCE = (
    "Hessel et al. 2021, EMNLP, appendix A, and flickr8k_example of its repository; Sarto et al. 2023 (PAC-S) and "
    "later papers"
)

#: Papers print coefficients times 100.
SCALE = 100

#: Pairs of captions: accuracy with five references per image, sampled five times; ties count half.
PAIRS, _DESCRIBED, _FIVE = "pascal50s-triplets", "pascal50s", 5


def measure(store: Store, paper: Paper, seed: int, progress: Progress) -> Measured:
    """Measure each coefficient as published and as sound; `seed` is for the samples of images and references.

    A metric that is not installed is not answerable.
    """
    reasons = {name: reason for name in paper.datasets if (reason := _lacking(store, paper, name))}
    quantities: dict[Quantity, float] = {}
    signatures: dict[str, str] = {}
    selections: list[Selection] = []
    tables: list[Table] = []
    notes: list[Said] = []
    resampling = Resampling(seed=seed)
    for name in (dataset for dataset in paper.datasets if dataset not in reasons):
        part = follow(store, paper, resolve(store, name), resampling, progress)
        quantities.update(_measured(name, part))
        signatures |= {
            f"{name}: {definition.metric}": part.rated.signatures[definition.published]
            for definition in part.definitions
        }
        selections += [part.rated.annotated, part.rated.references]
        tables += tables_of(paper, part, resampling)
        notes += [*part.notes, *_notes(part)]
    tables += _pairs(store, paper, seed, progress)
    absent = {
        check.of: reason
        for check in paper.checks
        if check.of[1] in METRICS and (reason := lacking(METRICS[check.of[1]])) is not None
    }
    return Measured(
        quantities,
        reasons,
        tuple(selections),
        signatures,
        notes=tuple(dict.fromkeys(notes)),
        absent=absent,
        tables=tuple(tables),
    )


def of_metrics(store: Store, paper: Paper, metrics: p.Metrics, _seed: int, progress: Progress) -> Quantities:
    """Correlate further metrics with the ratings that the paper uses."""
    for name in (dataset for dataset in paper.datasets if not _lacking(store, paper, dataset)):
        kept = ALL if SETUPS[name].own_references else WITHOUT
        for row in pooled(store, paper, name, metrics, PROFILE, kept, TAUS, progress, rounded=False):
            yield (name, row["metric"], "", "", f"{row['statistic']}-x100"), SCALE * row["value"]


def _lacking(store: Store, paper: Paper, name: str) -> str | None:
    """Return a message if a set of ratings or its references must be ingested."""
    missing = [dataset for dataset in (name, paper.needs[name]) if not log(store, dataset)]
    return f"not in the store: `{call('ingest', *missing)}`" if missing else None


def _measured(name: str, part: Followed) -> Quantities:
    for definition in part.definitions:
        for statistic in TAUS:
            value = part.value(definition, PUBLISHED, statistic)["value"]
            if value is not None:
                yield (name, definition.metric, "", "", f"{statistic}-x100"), SCALE * value
    ratings = part.rated.beside_scores(POOLED, without_references=not part.setup.own_references)
    yield (name, "", "", "", "ratings"), float(ratings.height)
    yield (name, "", "", "", "images"), float(ratings["image"].n_unique())


def tables_of(paper: Paper, part: Followed, resampling: Resampling) -> list[Table]:
    """Return the tables of a set of ratings: as published and sound, sensitivity, differences, raters."""
    label, statistic = part.rated.annotated.label, part.setup.statistic
    n = part.value(part.definitions[0], PUBLISHED, statistic)["n"]
    read = [
        interval(resampling),
        f"left out: {part.setup.leaves_out}",
        f"against {part.rated.references.label}, tokens: {PROFILE}",
        f"source: {SOURCE}",
        "to compare with papers, use “as published”, by the name in “theirs is”",
    ]
    made = [
        Table(
            f"{paper.name}, {label}: {statistic} × 100 of {n:,} ratings, as published and sound",
            _beside(paper, part),
            caption="; ".join(filter(None, read)),
            digits=tuple((name, 3) for name in ("published", "as published", "low", "high", "sound")),
            name="by-protocol",
        ),
        Table(
            f"effect of each choice on the numbers of {label}: × 100, metrics as published",
            _moved(part),
            caption="The first column follows the paper. Papers with other numbers may follow another column.",
            name="what-moves-it",
        ),
    ]
    neighbors = _neighbors(part, resampling)
    if neighbors.height:
        made.append(
            Table(
                f"difference of each metric of {label} from the next: {statistic} × 100, metrics as published",
                neighbors,
                caption="Intervals and p are by images; p is corrected for all rows (Holm).",
                name="differences",
            )
        )
    if part.people is not None:
        people = part.people
        ends = [people[end] and people[end] * SCALE for end in ("low", "high")]
        shown = {"ceiling": [people["value"] * SCALE], "low": [ends[0]], "high": [ends[1]], "n": [people["n"]]}
        made.append(
            Table(
                f"agreement between raters, {label}: {statistic} × 100 of a rating with the mean of the others",
                pl.DataFrame(shown, schema_overrides=dict.fromkeys(("low", "high"), pl.Float64)),
                name="people",
            )
        )
    return made


def _beside(paper: Paper, part: Followed) -> pl.DataFrame:
    statistic = part.setup.statistic
    figures = printed(paper, part.rated.annotated.version.dataset, f"{statistic}-x100")
    rows = []
    for definition in part.definitions:
        theirs, sound = (part.value(definition, reading, statistic) for reading in (PUBLISHED, SOUND))
        rows.append(
            {
                "metric": definition.name,
                "published": figures.get(definition.metric),
                "as published": _times(theirs["value"]),
                "low": _times(theirs["low"]),
                "high": _times(theirs["high"]),
                "sound": _times(sound["value"]),
                "theirs is": definition.published,
                "sound is": definition.sound,
                "why they differ": definition.why,
            }
        )
    numbers = dict.fromkeys(("published", "as published", "low", "high", "sound"), pl.Float64)
    return pl.DataFrame(rows, schema_overrides=numbers)


def _moved(part: Followed) -> pl.DataFrame:
    """Return the number of each metric, and those with one choice changed."""
    other = next(tau for tau in TAUS if tau != part.setup.statistic)
    turned = ALL if part.candidates == WITHOUT else WITHOUT
    with_or_without = "with own references" if turned == ALL else "without own references"
    rows = []
    for definition in part.definitions:
        row = {
            "metric": definition.name,
            part.setup.statistic: _times(part.value(definition, PUBLISHED, part.setup.statistic)["value"]),
            other: _times(part.value(definition, PUBLISHED, other)["value"]),
            with_or_without: _times(
                part.value(definition, PUBLISHED, part.setup.statistic, candidates=turned)["value"]
            ),
        }
        if (MEAN, part.candidates) in part.ways:
            row["mean of judges"] = _times(part.value(definition, PUBLISHED, part.setup.statistic, MEAN)["value"])
        rows.append(row)
    return pl.DataFrame(rows)


def _neighbors(part: Followed, resampling: Resampling) -> pl.DataFrame:
    """Test each metric against the next, on the same resampled images."""
    statistic = part.setup.statistic
    values = {definition.name: part.value(definition, PUBLISHED, statistic)["value"] for definition in part.definitions}
    label = {definition.name: definition.published for definition in part.definitions}
    order = sorted((name for name, value in values.items() if value is not None), key=lambda name: -values[name])
    rows = []
    for a, b in pairwise(order):
        drawn = [part.drawn.resamples.get((label[name], statistic)) for name in (a, b)]
        apart = None if drawn[0] is None or drawn[1] is None else drawn[0] - drawn[1]
        test = cluster_bootstrap.difference(values[a] - values[b], apart, part.drawn.images, resampling.confidence)
        if test is not None:
            ends = {"low": _times(test.low), "high": _times(test.high), "p": test.p}
            rows.append({"metric": a, "next": b, "difference": _times(values[a] - values[b]), **ends})
    made = pl.DataFrame(rows)
    return made.with_columns(p=pl.Series(holm(made["p"].to_list()))) if rows else made


def _pairs(store: Store, paper: Paper, seed: int, progress: Progress) -> list[Table]:
    """Return the accuracy of metrics on pairs, by human preference, if the pairs are in the store."""
    if not (log(store, PAIRS) and log(store, _DESCRIBED)):
        return []
    definitions, _ = available(paper)
    settings = ConsensusSettings(most=_FIVE, draws=_FIVE, seed=seed, ties="half", resamples=0, tokenizer=PROFILE)
    metrics = dict.fromkeys(metric for definition in definitions for metric in (definition.published, definition.sound))
    rows = consensus(store, PAIRS, metrics=[*metrics], against=_DESCRIBED, settings=settings, progress=progress).frame
    mean = rows.filter(pl.col("statistic") == "accuracy", pl.col("draw").is_null())
    called = {
        name: definition.name for definition in paper.readings for name in (definition.sound, definition.published)
    }
    return [
        Table(
            f"{PAIRS}: how often a metric agrees with human preference",
            mean.select(pl.col("metric").replace_strict(called).alias("name"), "metric", "kind", "n", "value", "sd"),
            sections="kind",
            caption=f"{_FIVE} references per image, sampled {_FIVE} times. A metric's tie counts half; pairs without a "
            "human preference are left out. The paper does not name its references.",
            name="pairs",
        )
    ]


def _notes(part: Followed) -> list[Said]:
    label = part.rated.annotated.label
    notes: list[Said] = [f"{label}: left out: {part.setup.leaves_out}"]
    if part.people is None:
        notes.append(f"{label}: each caption has a single rating, so that the agreement between raters is unknown")
    return notes


def _times(value: float | None) -> float | None:
    return None if value is None else round(value * SCALE, 10)
