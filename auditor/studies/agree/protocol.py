"""Ratings as papers use them: scored as their programs do and soundly, correlated in the ways that papers differ in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import polars as pl

from auditor.metrics.candidates import output_of
from auditor.model import Progress, Selection, silent
from auditor.registry import METRICS, References, lacking, not_installed
from auditor.result import Said, Signature
from auditor.scoring.protocols import Definition, Protocol, RatedSetup
from auditor.statistics import cluster_bootstrap
from auditor.statistics.correlation import correlate
from auditor.store.connection import Store
from auditor.studies.agree import rows as agreement_rows
from auditor.studies.agree.ratings import Rated, rated_captions
from auditor.studies.agree.rows import ALL, PEOPLE, WITHOUT, ProtocolRows, Resampling, Row

PUBLISHED, SOUND = "as-published", "sound"

TAUS = ("kendall-b", "kendall-c")

POOLED, MEAN = "pooled", "mean"

_RUN = "idf=run"

_WITHOUT_INTERVAL = Resampling(resamples=0)


@dataclass(frozen=True)
class Reading:
    """Scores of all definitions in one reading, and their coefficients by way and by what was rated."""

    rated: Rated
    correlated: Mapping[tuple[str, str], ProtocolRows]


@dataclass(frozen=True)
class Followed:
    """A set of ratings by a protocol: metrics as published, whose scores no program rounds, and sound; people's own.

    `definitions` are those that this installation can compute.
    """

    setup: RatedSetup
    definitions: tuple[Definition, ...]
    readings: Mapping[str, Reading]
    people: Row | None
    notes: tuple[Said, ...]

    @property
    def rated(self) -> Rated:
        """What is rated, with the scores as published."""
        return self.readings[PUBLISHED].rated

    @property
    def candidates(self) -> str:
        """Say which captions the protocol has."""
        return ALL if self.setup.own_references else WITHOUT

    @property
    def ways(self) -> list[tuple[str, str]]:
        """Name the ways that were measured: pooled or mean ratings, and of which captions."""
        return list(self.readings[PUBLISHED].correlated)

    @property
    def drawn(self) -> ProtocolRows:
        """Return the rows of metrics as published, ratings pooled, with the coefficients in each resample."""
        return self.readings[PUBLISHED].correlated[POOLED, self.candidates]

    def value(
        self, one: Definition, reading: str, statistic: str, way: str = POOLED, candidates: str | None = None
    ) -> Row:
        """Give the row of a metric, as it is asked for, with its signature."""
        metric = one.published if reading == PUBLISHED else one.sound
        found = self.readings[reading]
        made = found.correlated[way, candidates or self.candidates]
        row = next(row for row in made.rows if (row["metric"], row["statistic"]) == (metric, statistic))
        return row | {"signature": found.rated.signatures[metric]}


def follow(
    store: Store, protocol: Protocol, annotated: Selection, resampling: Resampling, progress: Progress = silent
) -> Followed:
    """Score a set of ratings, and correlate it, as a protocol says.

    Raises `UsageError` for a set that the protocol says nothing of, or whose references are not in the store.
    """
    setup = protocol.of_ratings(annotated.version.dataset)
    reasons = {one.name: lacking(METRICS[one.metric]) for one in protocol.metrics}
    definitions = tuple(one for one in protocol.metrics if reasons[one.name] is None)
    missing = [not_installed(one.metric, why) for one in protocol.metrics if (why := reasons[one.name])]
    sound = [one.sound for one in definitions]
    rated = {
        PUBLISHED: _as_published(store, setup, annotated, definitions, protocol.profile, progress),
        SOUND: rated_captions(store, annotated, setup.against, sound, protocol.profile, None, progress),
    }
    readings = {name: Reading(one, _correlated(one, setup, resampling, progress)) for name, one in rated.items()}
    people = _ceiling(rated[SOUND], setup, resampling)
    return Followed(setup, definitions, readings, people, (*missing, *rated[SOUND].notes))


def _correlated(
    rated: Rated, setup: RatedSetup, resampling: Resampling, progress: Progress
) -> dict[tuple[str, str], ProtocolRows]:
    """Correlate in the ways that papers differ in; intervals are of the protocol's own."""
    ways = [(way, candidates) for way in (POOLED, MEAN) for candidates in (ALL, WITHOUT)]
    if len(rated.judges) == 1:
        ways = [one for one in ways if one[0] == POOLED]
    own = (POOLED, ALL if setup.own_references else WITHOUT)
    made = {}
    for done, way in enumerate(ways):
        progress(f"{rated.annotated.label}: correlating, {way[0]}", done, len(ways))
        drawn = resampling if way == own else _WITHOUT_INTERVAL
        made[way] = agreement_rows.correlated(rated, *way, TAUS, drawn)
    return made


def _as_published(
    store: Store,
    setup: RatedSetup,
    annotated: Selection,
    definitions: Sequence[Definition],
    profile: str,
    progress: Progress,
) -> Rated:
    """Score all definitions as published; those whose documents are items of a run are given every rating as one."""
    named = [one.published for one in definitions]
    of_run = [one for one in named if _RUN in one]
    plain = [one for one in named if one not in of_run]
    rated = rated_captions(store, annotated, setup.against, plain, profile, None, progress, rounded=False)
    if not of_run:
        return rated
    ratings = rated.beside_scores(POOLED, without_references=not setup.own_references)
    items = ratings.group_by("image").agg(items=pl.len().cast(pl.UInt32)).sort("image")
    run = replace(output_of(annotated), binds={"run_item": "rated_item"}, given={"rating_count": items})
    beside = rated_captions(store, annotated, setup.against, of_run, profile, None, progress, rated=run, rounded=False)
    keys = ["image", "slot"]
    signed = {one.label: one.signature(profile, References("all")) for one in beside.metrics}
    return replace(
        rated,
        scores=rated.scores.join(beside.scores.select(*keys, *beside.labels), on=keys, maintain_order="left"),
        metrics=(*rated.metrics, *beside.metrics),
        signatures={**rated.signatures, **{label: str(_of_ratings(one)) for label, one in signed.items()}},
    )


def _of_ratings(signature: Signature) -> Signature:
    """Say in a signature that the items of the run are ratings, not captions."""
    return replace(signature, parameters={**signature.parameters, "items": "ratings"})


def _ceiling(rated: Rated, setup: RatedSetup, resampling: Resampling) -> Row | None:
    """Correlate each rating with the mean of the others of its caption; null where captions have one rating each."""
    kept = rated.scores if setup.own_references else rated.scores.filter(~pl.col("is_reference"))
    caption = ["image", "slot"]
    others = (pl.col("score").sort().sum().over(caption) - pl.col("score")) / (pl.len().over(caption) - 1)
    beside = (
        rated.ratings.join(kept.select(caption), on=caption, how="semi", maintain_order="left")
        .with_columns(others=others.round(agreement_rows.MEAN_DECIMALS))
        .filter(pl.len().over(caption) > 1)
    )
    if beside.is_empty():
        return None
    value, chance = correlate(beside.select("score", "others"), [setup.statistic]).select("value", "p").row(0)
    drawn = cluster_bootstrap.resampled(
        beside, "score", ["others"], [setup.statistic], resampling.resamples, resampling.key(rated, PEOPLE)
    )
    interval = cluster_bootstrap.interval(
        value, drawn.get(("others", setup.statistic)), beside["image"].n_unique(), resampling.confidence
    )
    return {
        "metric": PEOPLE,
        "statistic": "ceiling",
        "protocol": POOLED,
        "value": value,
        "low": interval and interval.low,
        "high": interval and interval.high,
        "p": chance,
        "n": beside.height,
        "candidates": ALL if setup.own_references else WITHOUT,
    }
