"""Metrics of a paper as its program computed them, and as is sound: which can be computed here, and what is printed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import polars as pl

from auditor import parameters as p
from auditor.model import Progress
from auditor.papers.figures import Paper, Reading
from auditor.result import Finding
from auditor.scoring.registry import METRICS, lacking, not_installed
from auditor.statistics.paired_systems import Resampling
from auditor.store.captions import Captions
from auditor.store.connection import Store
from auditor.store.versions import resolve
from auditor.studies.agree import ProtocolRows, Rated, Row, correlated, rated_captions

#: The names of the two readings.
PUBLISHED, SOUND = "as-published", "sound"

_NUMBERS = ("value", "low", "high")


def available(paper: Paper) -> tuple[tuple[Reading, ...], tuple[Finding, ...]]:
    """Return the readings that can be computed here, and findings on those that cannot."""
    reasons = {reading.name: lacking(METRICS[reading.metric]) for reading in paper.readings}
    missing = tuple(not_installed(each.metric, why) for each in paper.readings if (why := reasons[each.name]))
    return tuple(each for each in paper.readings if reasons[each.name] is None), missing


def printed(paper: Paper, dataset: str, statistic: str) -> dict[str, float]:
    """Return the printed figures of a statistic by metric, with the most digits."""
    longest: dict[str, str] = {}
    for check in paper.checks:
        named = check.of[1]
        if (check.of[0], check.of[-1]) == (dataset, statistic) and check.printed and not check.unanswerable:
            longest[named] = max(longest.get(named, ""), check.printed, key=len)
    return {metric: float(figure) for metric, figure in longest.items()}


def coefficients(rated: Mapping[str, Rated], made: Mapping[tuple[str, str, str], ProtocolRows]) -> pl.DataFrame:
    """Return the rows of coefficients by reading, protocol and candidates, with columns reading and signature."""
    rows = [
        {**row, "reading": reading, "signature": rated[reading].signatures[row["metric"]]}
        for (reading, *_), each in made.items()
        for row in each.rows
    ]
    return pl.DataFrame(rows, infer_schema_length=None, schema_overrides=dict.fromkeys(_NUMBERS, pl.Float64))


def beside(readings: Sequence[Reading], rows: pl.DataFrame, figures: Mapping[str, float]) -> pl.DataFrame:
    """Return a row per metric: its name, the printed figure, the two definitions, why they differ.

    The columns of `rows` follow, with the name of their reading.
    """
    named = pl.DataFrame(
        [(one.name, figures.get(one.metric), one.published or None, one.sound, one.why) for one in readings],
        schema=dict.fromkeys(("measure", "published", "theirs", "ours", "why"), pl.String) | {"published": pl.Float64},
        orient="row",
    )
    for definition, reading in (("theirs", PUBLISHED), ("ours", SOUND)):
        own = rows.filter(reading=reading).select(pl.col(*_NUMBERS, "strength").name.suffix(f" {reading}"), "metric")
        named = named.join(own, left_on=definition, right_on="metric", how="left", maintain_order="left")
    return named


def interval(resampling: Resampling) -> str:
    """Return what the ends of an interval in a table are; empty without resamples."""
    share, number = f"{resampling.confidence:.0%}", f"{resampling.times:,}"
    return f"low, high: {share} confidence interval ({number} resamples of images)" if resampling.times else ""


def pooled(
    store: Store, paper: Paper, name: str, metrics: p.Metrics, tokenizer: str, candidates: str,
    statistics: Sequence[str], progress: Progress, *, rounded: bool = True,
) -> Iterator[Row]:  # fmt: skip
    """Yield the correlations of a user's metrics with pooled ratings of a set, without intervals."""
    captions = Captions(store, resolve(store, name), tokenizer)
    rated = rated_captions(captions, paper.needs[name], metrics, None, progress, rounded=rounded)
    rows = correlated(rated, "pooled", candidates, statistics, Resampling(0)).rows
    yield from (row for row in rows if row["value"] is not None)
