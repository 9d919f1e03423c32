"""The rows of pairs and triplets, with the public columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from auditor.model import Selection
from auditor.result import Said
from auditor.scoring.registry import MetricRequest, References
from auditor.statistics.correlation import correlate
from auditor.studies.consensus.accuracy import ALL, PEOPLE, ConsensusSettings, League
from auditor.studies.consensus.votes import PairVotes

ROWS = {
    "dataset": pl.String, "metric": pl.String, "kind": pl.String, "references": pl.UInt32, "n": pl.Int64,
    "value": pl.Float64, "low": pl.Float64, "high": pl.Float64, "statistic": pl.String, "ties": pl.Int64,
    "draw": pl.Int64, "sd": pl.Float64, "system": pl.String, "against": pl.String, "truth": pl.String,
    "version": pl.String, "split": pl.String, "seed": pl.Int64, "signature": pl.String,
}  # fmt: skip

_DECIMALS = 12

#: The metrics whose rank correlation the paper reports (section 8).
_CORRELATED = ("cider", "cider-d")


def frame(parts: Sequence[ConsensusResult], settings: ConsensusSettings) -> pl.DataFrame:
    """Return the rows of all datasets in one table."""
    return pl.concat(_rows(part, settings) for part in parts)


def over_draws(accuracy: pl.DataFrame) -> pl.DataFrame:
    """Average accuracies over draws, with their standard deviation; one draw has none."""
    return accuracy.group_by("references", "kind", "metric", maintain_order=True).agg(
        pl.col("n").first(),
        pl.col("value").mean(),
        low=pl.when(pl.len() == 1).then(pl.col("low").first()),
        high=pl.when(pl.len() == 1).then(pl.col("high").first()),
        sd=pl.col("value").std(),
        ties=pl.col("ties").mean().round().cast(pl.Int64),
    )


def compared(scores: pl.DataFrame, metrics: Sequence[MetricRequest]) -> pl.DataFrame:
    """Correlate the scores of CIDEr and CIDEr-D over the compared captions. Columns as in `ROWS`."""
    labels = [metric.label for metric in metrics if metric.metric.name in _CORRELATED]
    if len(labels) < 2:
        return pl.DataFrame()
    correlations = correlate(scores.select(labels), ["spearman"])
    return correlations.select("value", "n", "statistic", metric="metric_a", against="metric_b", kind=pl.lit(ALL))


def _rows(part: ConsensusResult, settings: ConsensusSettings) -> pl.DataFrame:
    votes, most = part.votes, pl.lit(part.most, pl.UInt32)
    truth, first = pl.lit(votes.truth), pl.lit(1, pl.Int64)
    accuracy = part.accuracy.with_columns(statistic=pl.lit("accuracy"), truth=truth)
    parts = [accuracy]
    if settings.draws > 1:
        parts.append(over_draws(part.accuracy).with_columns(statistic=pl.lit("accuracy"), truth=truth))
    parts.append(part.compared.with_columns(references=most, draw=first) if part.compared.height else part.compared)
    parts.append(part.ceiling.with_columns(statistic=pl.lit("ceiling"), metric=pl.lit(PEOPLE), truth=truth))
    if part.ceiling_by_votes.height:
        by_votes = {"statistic": pl.lit("ceiling-by-votes"), "metric": pl.lit(PEOPLE), "truth": truth}
        parts.append(part.ceiling_by_votes.with_columns(**by_votes))
    if part.halves.height:
        parts.append(part.halves.with_columns(statistic=pl.lit("split-half"), truth=truth))
    if part.league:
        drawn = {"references": pl.when(pl.col("metric") != PEOPLE).then(most), "truth": truth, "draw": first}
        parts.append(part.league.wins.drop("rank").with_columns(statistic=pl.lit("wins"), **drawn))
        parts.append(part.league.duels.with_columns(statistic=pl.lit("duels"), **drawn))
        parts.append(part.league.correlations.with_columns(against=pl.lit(PEOPLE), **drawn))
    return _public(parts, part, settings)


def _public(parts: Sequence[pl.DataFrame], part: ConsensusResult, settings: ConsensusSettings) -> pl.DataFrame:
    """Add the columns that identify the source of each row, in the public order."""
    version = part.votes.selection.version
    schema = pl.Schema(ROWS)
    rows = pl.concat(
        [pl.DataFrame(schema=schema), *(rows for rows in parts if rows.height)], how="diagonal_relaxed"
    ).with_columns(
        dataset=pl.lit(version.dataset),
        version=pl.lit(version.version),
        split=pl.lit(part.votes.selection.split, pl.String),
        seed=pl.lit(settings.seed, pl.Int64) + pl.coalesce("draw", pl.lit(1)) - 1,
    )
    keys = rows.select("metric", "references", "seed").unique(maintain_order=True)
    named = {metric.label: metric for metric in part.metrics}
    signed = [
        str(named[label].signature(settings.tokenizer, References("all", number, seed)))
        if label in named and number is not None
        else None
        for label, number, seed in keys.iter_rows()
    ]
    return (
        rows.drop("signature")
        .join(keys.with_columns(signature=pl.Series(signed, dtype=pl.String)), on=["metric", "references", "seed"],
              how="left", nulls_equal=True, maintain_order="left")
        .with_columns(pl.col("value", "low", "high", "sd").round(_DECIMALS))
        .select(*ROWS)
        .cast(schema)
    )  # fmt: skip


@dataclass(frozen=True)
class ConsensusResult:
    """The results of one dataset of pairs or triplets; the module of each part documents its columns.

    `preferred` are the pairs with the preference of each metric, for the first draw of references.
    """

    votes: PairVotes
    references: Selection
    most: int
    metrics: Sequence[MetricRequest]
    accuracy: pl.DataFrame
    compared: pl.DataFrame
    ceiling: pl.DataFrame
    ceiling_by_votes: pl.DataFrame
    halves: pl.DataFrame
    preferred: pl.DataFrame
    league: League | None
    notes: Sequence[Said]
