"""Which system do raters prefer, and which does a metric? Shares of wins: Vedantam et al. 2015, section 7.3."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from auditor.statistics.correlation import FEWEST, correlate
from auditor.studies.consensus.accuracy import ALL, kinds_of

#: The name of the raters' votes in column metric.
PEOPLE = "people"

_CORRELATIONS = ("pearson", "spearman")

_CORRELATED = {"kind": pl.String, "statistic": pl.String, "value": pl.Float64, "n": pl.Int64, "metric": pl.String}


@dataclass(frozen=True)
class League:
    """Wins of the authors of the compared captions.

    `wins`: kind, system, metric, n, value, rank, of each against all others; a tie is half a win. `duels` is the same
    for two systems (system, against). `correlations`: kind, metric, statistic, n (systems), value, between the shares
    by a metric and by raters; kinds with fewer than three systems are left out.
    """

    wins: pl.DataFrame
    duels: pl.DataFrame
    correlations: pl.DataFrame


def league(preferred: pl.DataFrame, labels: Sequence[str]) -> League | None:
    """Count wins over pairs whose captions have different authors; null if the source does not name authors."""
    judges = [PEOPLE, *labels]
    between = preferred.filter(
        pl.col("origin_b").is_not_null(), pl.col("origin_b") != pl.col("origin_c"), pl.col(PEOPLE).is_not_null()
    )
    if between.is_empty():
        return None
    kinds = kinds_of(between)
    parts = [between.filter(pl.col("kind") == kind) for kind in kinds]
    if len(parts) != 1:
        parts, kinds = [between, *parts], [ALL, *kinds]
    sides = [_sides(part, judges).with_columns(kind=pl.lit(kind)) for kind, part in zip(kinds, parts, strict=True)]
    both = pl.concat(sides)
    wins = _shares(both, ["system"], kinds, judges).with_columns(
        rank=pl.col("value").rank("min", descending=True).over("kind", "metric").cast(pl.Int64)
    )
    duels = _shares(both.filter(pl.col("system") < pl.col("against")), ["system", "against"], kinds, judges)
    return League(wins, duels, _correlations(wins, kinds, judges))


def _sides(pairs: pl.DataFrame, judges: Sequence[str]) -> pl.DataFrame:
    """Return each pair twice, once per author, with the share of a win by each judge."""
    return pl.concat(
        pairs.select(
            system=pl.col(f"origin_{side}"),
            against=pl.col(f"origin_{other}"),
            **{judge: (pl.col(judge).cast(pl.Int64) * sign + 1) / 2 for judge in judges},
        )
        for side, other, sign in (("b", "c", 1), ("c", "b", -1))
    )


def _shares(sides: pl.DataFrame, by: Sequence[str], kinds: Sequence[str], judges: Sequence[str]) -> pl.DataFrame:
    return (
        sides.group_by("kind", *by, maintain_order=True)
        .agg(pl.len().cast(pl.Int64).alias("n"), *(pl.col(judge).mean() for judge in judges))
        .unpivot(judges, index=["kind", *by, "n"], variable_name="metric", value_name="value")
        .sort(*by)
        .sort(pl.col("metric").replace_strict(list(judges), range(len(judges))), maintain_order=True)
        .sort(pl.col("kind").replace_strict(list(kinds), range(len(kinds))), maintain_order=True)
    )


def _correlations(wins: pl.DataFrame, kinds: Sequence[str], judges: Sequence[str]) -> pl.DataFrame:
    parts = []
    for kind in kinds:
        table = wins.filter(pl.col("kind") == kind).pivot("metric", index="system", values="value", maintain_order=True)
        if table.height < FEWEST:
            continue
        correlations = correlate(table.select(judges), _CORRELATIONS).filter(pl.col("metric_a") == PEOPLE)
        parts.append(correlations.select(pl.lit(kind).alias("kind"), "statistic", "value", "n", metric="metric_b"))
    return pl.concat([pl.DataFrame(schema=_CORRELATED), *parts])
