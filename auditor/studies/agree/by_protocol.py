"""What a protocol's numbers are: as published beside sound, what moves them, which metric is ahead, what people reach.

The coefficient is that of the protocol, times 100 in what is shown, as papers print it.
"""

from __future__ import annotations

from itertools import pairwise

import polars as pl

from auditor import parameters as p
from auditor.errors import UsageError
from auditor.model import Progress, silent
from auditor.papers import known, paper
from auditor.result import Figure, Result, Said, Table, findings_in, notes_in
from auditor.scoring.protocols import Definition, Protocol
from auditor.statistics import cluster_bootstrap
from auditor.statistics.resampling import check_resampling
from auditor.statistics.significance import holm
from auditor.store.connection import Store
from auditor.store.versions import resolve_all
from auditor.studies.agree import rows as agreement_rows
from auditor.studies.agree.protocol import MEAN, POOLED, PUBLISHED, SOUND, TAUS, Followed, follow
from auditor.studies.agree.rows import ALL, WITHOUT, Resampling, Row

#: What papers print of one: times 100.
SCALE = 100


def by_protocol(
    store: Store,
    protocol: Protocol,
    *refs: p.Rated,
    split: p.Split = None,
    resampling: Resampling | None = None,
    progress: Progress = silent,
) -> Result:
    """Correlate each metric with ratings as a protocol has it, beside sound numbers, and say what moves them.

    Raises `UsageError` for ratings that the protocol says nothing of.
    """
    chosen = resampling or Resampling()
    check_resampling(chosen.resamples, chosen.confidence)
    selections = resolve_all(store, refs, split)
    for annotated in selections:
        protocol.of_ratings(annotated.version.dataset)
    parts = [follow(store, protocol, annotated, chosen, progress) for annotated in selections]
    said = [one for part in parts for one in (*part.notes, *_said(protocol, part))]
    return Result(
        "agree",
        pl.concat(_frame(protocol, part, chosen) for part in parts),
        selections=tuple(dict.fromkeys(one for part in parts for one in (part.rated.annotated, part.rated.references))),
        signatures={
            f"{part.rated.annotated.label}: {one.metric}, {reading}": part.value(one, reading, TAUS[0])["signature"]
            for part in parts
            for one, reading in _readings(part)
        },
        tables=tuple(table for part in parts for table in _tables(protocol, part, chosen)),
        figures=tuple(_figure(part, number) for number, part in enumerate(parts, 1)),
        notes=notes_in(dict.fromkeys(said)),
        findings=findings_in(dict.fromkeys(said)),
    )


def printed_figures(protocol: str, dataset: str) -> dict[tuple[str, str], float]:
    """Read what is printed of a set of ratings, times 100: by metric and coefficient, the figure with most digits."""
    if protocol not in known():
        raise UsageError(f"{protocol}: no such paper")
    found: dict[tuple[str, str], str] = {}
    for check in paper(protocol).checks:
        named, statistic = check.of[1], check.of[-1].removesuffix("-x100")
        if check.of[0] == dataset and statistic in TAUS and check.printed and not check.unanswerable:
            found[named, statistic] = max(found.get((named, statistic), ""), check.printed, key=len)
    return {key: float(printed) for key, printed in found.items()}


def _readings(part: Followed) -> list[tuple[Definition, str]]:
    return [(one, reading) for one in part.definitions for reading in (PUBLISHED, SOUND)]


def _frame(protocol: Protocol, part: Followed, resampling: Resampling) -> pl.DataFrame:
    """Give the rows of a dataset in the columns of `agree`, with the reading, what is printed, and why they differ."""
    printed = printed_figures(protocol.name, part.setup.dataset)
    rows, more = list[Row](), list[tuple[str | None, float | None, str | None]]()
    for one, reading in _readings(part):
        for way, candidates in part.ways:
            for statistic in TAUS:
                own = reading == PUBLISHED and (way, candidates) == (POOLED, part.candidates)
                figure = printed.get((one.metric, statistic)) if own else None
                rows.append(part.value(one, reading, statistic, way, candidates))
                more.append((reading, figure and round(figure / SCALE, 12), one.why))
    if part.people is not None:
        rows.append(part.people)
        more.append((None, None, None))
    described = agreement_rows.described(part.rated, agreement_rows.frame(rows), resampling)
    beside = {"reading": pl.String, "published": pl.Float64, "why": pl.String}
    described = described.with_columns(signature=pl.Series([row.get("signature") for row in rows], dtype=pl.String))
    return pl.concat([described, pl.DataFrame(more, schema=beside, orient="row")], how="horizontal")


def _tables(protocol: Protocol, part: Followed, resampling: Resampling) -> list[Table]:
    label, statistic = part.rated.annotated.label, part.setup.statistic
    n = part.value(part.definitions[0], PUBLISHED, statistic)["n"]
    share = f"low, high: {resampling.confidence:.0%} interval by {resampling.resamples:,} resamples of images; "
    made = [
        Table(
            f"{protocol.name}, {label}: {statistic} × 100 of {n:,} ratings, as published and sound",
            _beside(protocol, part),
            caption=(share if resampling.resamples else "")
            + f"left out: {part.setup.leaves_out}; against {part.rated.references.label}, tokens: {protocol.profile}; "
            f"source: {protocol.source}; beside numbers of papers print “as published”, under the name in “theirs is”",
            digits=tuple((name, 3) for name in ("published", "as published", "low", "high", "sound")),
            name="by-protocol",
        ),
        Table(
            f"what moves the numbers of {label}: × 100, metrics as published",
            _moved(part),
            caption="the first column is the protocol's; numbers of papers differ where they follow another column",
            name="what-moves-it",
        ),
    ]
    neighbours = _neighbours(part, resampling)
    if neighbours.height:
        made.append(
            Table(
                f"is a metric of {label} ahead of the next? {statistic} × 100, metrics as published",
                neighbours,
                caption="difference with interval and p by images, p corrected for all neighbours (Holm)",
                name="differences",
            )
        )
    if part.people is not None:
        people = part.people
        ends = [people[end] and people[end] * SCALE for end in ("low", "high")]
        shown = {"ceiling": [people["value"] * SCALE], "low": [ends[0]], "high": [ends[1]], "n": [people["n"]]}
        made.append(
            Table(
                f"people among themselves, {label}: {statistic} × 100 of a rating with the mean of the others",
                pl.DataFrame(shown, schema_overrides=dict.fromkeys(("low", "high"), pl.Float64)),
                name="people",
            )
        )
    return made


def _beside(protocol: Protocol, part: Followed) -> pl.DataFrame:
    statistic = part.setup.statistic
    printed = printed_figures(protocol.name, part.setup.dataset)
    rows = []
    for one in part.definitions:
        theirs, sound = (part.value(one, reading, statistic) for reading in (PUBLISHED, SOUND))
        rows.append(
            {
                "metric": one.name,
                "published": printed.get((one.metric, statistic)),
                "as published": _times(theirs["value"]),
                "low": _times(theirs["low"]),
                "high": _times(theirs["high"]),
                "sound": _times(sound["value"]),
                "theirs is": one.published,
                "sound is": one.sound,
                "why they differ": one.why,
            }
        )
    numbers = dict.fromkeys(("published", "as published", "low", "high", "sound"), pl.Float64)
    return pl.DataFrame(rows, schema_overrides=numbers)


def _moved(part: Followed) -> pl.DataFrame:
    """Put the number of each metric beside those with one thing changed."""
    other = next(tau for tau in TAUS if tau != part.setup.statistic)
    turned = ALL if part.candidates == WITHOUT else WITHOUT
    with_or_without = "with own references" if turned == ALL else "without own references"
    rows = []
    for one in part.definitions:
        row = {
            "metric": one.name,
            part.setup.statistic: _times(part.value(one, PUBLISHED, part.setup.statistic)["value"]),
            other: _times(part.value(one, PUBLISHED, other)["value"]),
            with_or_without: _times(part.value(one, PUBLISHED, part.setup.statistic, candidates=turned)["value"]),
        }
        if (MEAN, part.candidates) in part.ways:
            row["mean of judges"] = _times(part.value(one, PUBLISHED, part.setup.statistic, MEAN)["value"])
        rows.append(row)
    return pl.DataFrame(rows)


def _neighbours(part: Followed, resampling: Resampling) -> pl.DataFrame:
    """Test each metric against the next by the images that were drawn for both."""
    statistic = part.setup.statistic
    values = {one.name: part.value(one, PUBLISHED, statistic)["value"] for one in part.definitions}
    label = {one.name: one.published for one in part.definitions}
    order = sorted((name for name, value in values.items() if value is not None), key=lambda name: -values[name])
    rows = []
    for a, b in pairwise(order):
        drawn = [part.drawn.resamples.get((label[name], statistic)) for name in (a, b)]
        apart = None if drawn[0] is None or drawn[1] is None else drawn[0] - drawn[1]
        found = cluster_bootstrap.difference(values[a] - values[b], apart, part.drawn.images, resampling.confidence)
        if found is not None:
            ends = {"low": _times(found.low), "high": _times(found.high), "p": found.p}
            rows.append({"metric": a, "next": b, "difference": _times(values[a] - values[b]), **ends})
    made = pl.DataFrame(rows)
    return made.with_columns(p=pl.Series(holm(made["p"].to_list()))) if rows else made


def _figure(part: Followed, number: int) -> Figure:
    shown = [
        {"metric": one.name, "reading": reading} | {key: _times(row[key]) for key in ("value", "low", "high")}
        for one, reading in _readings(part)
        for row in [part.value(one, reading, part.setup.statistic)]
    ]
    return Figure(
        f"protocol-{number}",
        f"{part.setup.statistic} × 100 with people, {part.rated.annotated.label}",
        "points",
        pl.DataFrame(shown, schema_overrides=dict.fromkeys(("low", "high"), pl.Float64)),
        x="metric",
        y="value",
        series="reading",
        low="low",
        high="high",
        x_label="metric",
        y_label=f"{part.setup.statistic} × 100",
    )


def _said(protocol: Protocol, part: Followed) -> list[Said]:
    label = part.rated.annotated.label
    told: list[Said] = [f"{label} by {protocol.name}: left out: {part.setup.leaves_out}"]
    if part.people is None:
        told.append(f"{label}: one rating of each caption only: how far people agree is unknown")
    return told


def _times(value: float | None) -> float | None:
    return None if value is None else round(value * SCALE, 10)
