"""Do statistics of diversity rank systems alike? (van Miltenburg et al. 2018, section 4, figures 2 and 6)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from auditor.figure import Figure
from auditor.model import Signature, Table
from auditor.statistics.diversity_correlation import FEWEST, correlate_statistics, heatmap, matrix

_VERSION = 1

#: What is correlated: those of the paper, and those that put the same question in another way.
CORRELATED = (
    "asl", "sdsl", "types", "ttr-1", "ttr-2", "mattr", "mtld", "unique", "novel", "coverage",
    "recall-1", "recall-2", "recall-3", "recall-4", "recall-5", "precision",
)  # fmt: skip


@dataclass(frozen=True)
class Correlated:
    """Rows of pairs of statistics (statistic_a, statistic_b, value, p, n, reason), and what shows them."""

    rows: pl.DataFrame
    tables: tuple[Table, ...]
    figures: tuple[Figure, ...]


def correlated(values: pl.DataFrame, systems: Sequence[str]) -> Correlated | None:
    """Correlate over systems by rank; null for fewer than three. `values` has rows label, statistic, value."""
    known = values.drop_nulls("value").filter(pl.col("label").is_in(systems), pl.len().over("statistic") >= FEWEST)[
        "statistic"
    ]
    asked = [name for name in CORRELATED if name in set(known)]
    if len(systems) < FEWEST or len(asked) < 2:
        return None
    over = values.filter(pl.col("label").is_in(systems), pl.col("statistic").is_in(asked))
    pairs = correlate_statistics(
        over.select(dataset="label", statistic="statistic", value="value"), asked
    ).with_columns(
        statistic=pl.lit("spearman"),
        signature=pl.lit(str(Signature("spearman", {"over": "systems", "ties": "mean"}, _VERSION))),
    )
    wide = matrix(pairs).pivot("statistic_b", index="statistic_a", values="value", maintain_order=True)
    table = Table(
        f"do statistics rank {len(systems)} systems alike? Spearman's rho, without its sign",
        wide.rename({"statistic_a": "statistic"}),
        digits=tuple((name, 2) for name in wide.columns[1:]),
    )
    return Correlated(pairs, (table,), (heatmap(pairs),))
