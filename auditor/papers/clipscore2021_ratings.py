"""Ratings as Hessel et al. 2021 use them: scored as by their program and as sound, correlated in several ways."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import polars as pl

from auditor.model import Progress, Selection, silent
from auditor.papers.figures import Paper, Reading
from auditor.papers.readings import PUBLISHED, SOUND, available
from auditor.result import Said
from auditor.scoring.candidates import output_of
from auditor.scoring.registry import References
from auditor.statistics import cluster_bootstrap
from auditor.statistics.correlation import correlate
from auditor.store.captions import Captions
from auditor.store.connection import Store
from auditor.studies.agree import (
    ALL,
    PEOPLE,
    WITHOUT,
    ProtocolRows,
    Rated,
    Resampling,
    Row,
    beside_others,
    correlated,
    rated_captions,
)

TAUS = ("kendall-b", "kendall-c")

POOLED, MEAN = "pooled", "mean"

_RUN = "idf=run"

_WITHOUT_INTERVAL = Resampling(resamples=0)

#: The tokens of the paper's program.
PROFILE = "ptb"


@dataclass(frozen=True)
class Setup:
    """The use of a set of ratings: `statistic` of all pooled ratings with the scores of their captions.

    With `own_references`, captions that equal a reference of their image stay. `leaves_out` describes what is left out.
    """

    statistic: str
    own_references: bool
    leaves_out: str


SETUPS = {
    "flickr8k-expert": Setup(
        "kendall-c",
        own_references=False,
        leaves_out="158 captions that are a reference of their image, and their 474 ratings: 16,992 of 17,466 "
        "stay; ratings are not averaged over judges",
    ),
    "flickr8k-crowd": Setup(
        "kendall-b",
        own_references=True,
        leaves_out="no rating: captions that are rated at their own image are removed from its references",
    ),
}


@dataclass(frozen=True)
class Scored:
    """Scores of all definitions in one reading, and their coefficients by way and by rated captions."""

    rated: Rated
    rows: Mapping[tuple[str, str], ProtocolRows]


@dataclass(frozen=True)
class Followed:
    """A set of ratings as the paper uses it: metrics as published, without rounding, and as sound; and the raters'.

    `definitions` are those that can be computed here.
    """

    setup: Setup
    definitions: tuple[Reading, ...]
    readings: Mapping[str, Scored]
    people: Row | None
    notes: tuple[Said, ...]

    @property
    def rated(self) -> Rated:
        """The rated captions, with the scores as published."""
        return self.readings[PUBLISHED].rated

    @property
    def candidates(self) -> str:
        """Return which captions the paper uses."""
        return ALL if self.setup.own_references else WITHOUT

    @property
    def ways(self) -> list[tuple[str, str]]:
        """List the measured ways: pooled or mean ratings, and the set of captions."""
        return list(self.readings[PUBLISHED].rows)

    @property
    def drawn(self) -> ProtocolRows:
        """Return the rows of metrics as published with pooled ratings, and the coefficients of each resample."""
        return self.readings[PUBLISHED].rows[POOLED, self.candidates]

    def value(
        self, definition: Reading, reading: str, statistic: str, way: str = POOLED, candidates: str | None = None
    ) -> Row:
        """Return the row of a metric in a reading, with its signature."""
        metric = definition.published if reading == PUBLISHED else definition.sound
        scored = self.readings[reading]
        made = scored.rows[way, candidates or self.candidates]
        row = next(row for row in made.rows if (row["metric"], row["statistic"]) == (metric, statistic))
        return row | {"signature": scored.rated.signatures[metric]}


def follow(
    store: Store, paper: Paper, annotated: Selection, resampling: Resampling, progress: Progress = silent
) -> Followed:
    """Score and correlate a set of ratings, as published and as sound."""
    captions, name = Captions(store, annotated, PROFILE), annotated.version.dataset
    setup, against = SETUPS[name], paper.needs[name]
    definitions, missing = available(paper)
    sound = [definition.sound for definition in definitions]
    rated = {
        PUBLISHED: _as_published(captions, setup, against, definitions, progress),
        SOUND: rated_captions(captions, against, sound, None, progress),
    }
    readings = {
        name: Scored(scored, _correlated(scored, setup, resampling, progress)) for name, scored in rated.items()
    }
    people = _ceiling(rated[SOUND], setup, resampling)
    return Followed(setup, definitions, readings, people, (*missing, *rated[SOUND].notes))


def _correlated(
    rated: Rated, setup: Setup, resampling: Resampling, progress: Progress
) -> dict[tuple[str, str], ProtocolRows]:
    """Correlate in the ways in which papers differ, with intervals for the paper's own way."""
    ways = [(way, candidates) for way in (POOLED, MEAN) for candidates in (ALL, WITHOUT)]
    if len(rated.judges) == 1:
        ways = [way for way in ways if way[0] == POOLED]
    own = (POOLED, ALL if setup.own_references else WITHOUT)
    made = {}
    for done, way in enumerate(ways):
        progress(f"{rated.annotated.label}: correlating, {way[0]}", done, len(ways))
        drawn = resampling if way == own else _WITHOUT_INTERVAL
        made[way] = correlated(rated, *way, TAUS, drawn)
    return made


def _as_published(
    captions: Captions, setup: Setup, against: str, definitions: Sequence[Reading], progress: Progress
) -> Rated:
    """Score all definitions as published; with the items of a run as documents, every rating is an item."""
    named = [definition.published for definition in definitions]
    of_run = [metric for metric in named if _RUN in metric]
    plain = [metric for metric in named if metric not in of_run]
    rated = rated_captions(captions, against, plain, None, progress, rounded=False)
    if not of_run:
        return rated
    ratings = rated.beside_scores(POOLED, without_references=not setup.own_references)
    items = ratings.group_by("image").agg(items=pl.len().cast(pl.UInt32)).sort("image")
    run = replace(output_of(captions.selection), binds={"run_item": "rated_item"}, given={"rating_count": items})
    beside = rated_captions(captions, against, of_run, None, progress, rated=run, rounded=False)
    keys = ["image", "slot"]
    signed = {metric.label: metric.signature(PROFILE, References("all")) for metric in beside.metrics}
    of_ratings = {  # ratings, not captions, are the items of the run
        label: str(replace(signature, parameters={**signature.parameters, "items": "ratings"}))
        for label, signature in signed.items()
    }
    return replace(
        rated,
        scores=rated.scores.join(beside.scores.select(*keys, *beside.labels), on=keys, maintain_order="left"),
        metrics=(*rated.metrics, *beside.metrics),
        signatures={**rated.signatures, **of_ratings},
    )


def _ceiling(rated: Rated, setup: Setup, resampling: Resampling) -> Row | None:
    """Correlate each rating with the mean of the others of its caption; null if captions have one rating each."""
    kept = rated.scores if setup.own_references else rated.scores.filter(~pl.col("is_reference"))
    caption = ["image", "slot"]
    beside = beside_others(rated.ratings.join(kept.select(caption), on=caption, how="semi", maintain_order="left"))
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
