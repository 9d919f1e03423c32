"""Spearman's rho between diversity statistics over systems (van Miltenburg et al. 2018, figure 2)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import polars as pl

from auditor.result import Figure

#: Fewer systems have no correlation: two are always in perfect order, or its reverse.
FEWEST = 3

_SCHEMA = {
    "statistic_a": pl.String,
    "statistic_b": pl.String,
    "value": pl.Float64,
    "p": pl.Float64,
    "n": pl.Int64,
    "reason": pl.String,
}


def correlate_statistics(values: pl.DataFrame, statistics: Sequence[str] | None = None) -> pl.DataFrame:
    """Correlate statistics over datasets by rank; ties have the mean of their ranks.

    `values` has columns dataset, statistic, value. Columns returned: statistic_a, statistic_b, value (rho), p (two-
    tailed, Student's t with n - 2 degrees of freedom), n (datasets with both), reason (why a value is null). A pair is
    correlated over the datasets with a value of both. `statistics` names those to correlate, in order; default: all, in
    row order.
    """
    from scipy.stats import spearmanr  # type: ignore[import-untyped]  # noqa: PLC0415  # slow to import

    wide = values.pivot("statistic", index="dataset", values="value", maintain_order=True)
    rows = []
    for a, b in combinations(statistics or [name for name in wide.columns if name != "dataset"], 2):
        both = wide.select(a, b).drop_nulls()
        reason = _absent(both)
        rho, p = (None, None) if reason else spearmanr(both[a].to_numpy(), both[b].to_numpy())
        rows.append((a, b, None if rho is None else float(rho), None if p is None else float(p), both.height, reason))
    return pl.DataFrame(rows, schema=_SCHEMA, orient="row")


def _absent(both: pl.DataFrame) -> str | None:
    if both.height < FEWEST:
        return f"fewer than {FEWEST} datasets have both"
    constant = [column.name for column in both if column.n_unique() == 1]
    return f"{constant[0]} is equal for all datasets" if constant else None


def matrix(correlations: pl.DataFrame) -> pl.DataFrame:
    """Return the whole square of absolute rho: each pair in both orders, and each statistic with itself."""
    names = list(
        dict.fromkeys(name for pair in correlations.select("statistic_a", "statistic_b").rows() for name in pair)
    )
    mirrored = correlations.rename({"statistic_a": "statistic_b", "statistic_b": "statistic_a"})
    itself = pl.DataFrame({"statistic_a": names, "statistic_b": names, "value": [1.0] * len(names)})
    order = pl.Enum(names)
    columns = ("statistic_a", "statistic_b", "value")
    return (
        pl.concat([part.select(columns) for part in (correlations, mirrored, itself)])
        .with_columns(pl.col("value").abs())
        .sort(pl.col("statistic_a").cast(order), pl.col("statistic_b").cast(order))
    )


def heatmap(correlations: pl.DataFrame, name: str = "diversity-correlation") -> Figure:
    """Draw the square of absolute correlations."""
    return Figure(
        name,
        "Absolute Spearman correlation of diversity statistics over systems",
        "heatmap",
        matrix(correlations),
        x="statistic_b",
        y="statistic_a",
        value="value",
        span=(0.0, 1.0),
        caption="As van Miltenburg et al. 2018, figures 2 and 6.",
    )
