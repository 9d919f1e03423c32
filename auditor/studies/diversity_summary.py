"""One row for each statistic, of what its lists and drawn orders gave."""

from __future__ import annotations

import polars as pl

from auditor.registry import STATISTICS
from auditor.statistics.diversity_walks import CURVE
from auditor.studies.parallel_lists import Lists

_DECIMALS = 12


def summary(measured: pl.DataFrame, lists: Lists) -> pl.DataFrame:
    """Average over lists, then over draws; a statistic that one of the lists cannot have is null.

    `measured` has a row for each list, draw (null where nothing is drawn) and statistic: value, reason. `low` and
    `high` are the ends over what `spread` names, the drawn orders (`draws`) or else the parallel lists (`lists`).
    """
    named = pl.DataFrame({"statistic": list(STATISTICS)}).with_row_index("number")
    lacking = pl.col("value").null_count() > 0
    by_draw = measured.group_by("statistic", "draw", maintain_order=True).agg(
        value=pl.when(~lacking).then(pl.col("value").mean()),
        low=pl.col("value").min(),
        high=pl.col("value").max(),
        reason=pl.col("reason").drop_nulls().first(),
    )
    drawn = pl.col("draw").is_not_null().any() & (pl.len() > 1)
    several = pl.lit(lists.number > 1) & pl.col("draw").is_null().all()
    whole = pl.col("value").null_count() == 0
    return (
        by_draw.group_by("statistic", maintain_order=True)
        .agg(
            position=pl.lit(None, pl.Int64),
            low=pl.when(drawn & whole).then(pl.col("value").min()).when(several & whole).then(pl.col("low").first()),
            high=pl.when(drawn & whole).then(pl.col("value").max()).when(several & whole).then(pl.col("high").first()),
            spread=pl.when(drawn & whole).then(pl.lit("draws")).when(several & whole).then(pl.lit("lists")),
            reason=pl.col("reason").drop_nulls().first()
            + (f", in one of {lists.number} lists" if lists.number > 1 else ""),
            value=pl.when(whole).then(pl.col("value").mean()),
        )
        .join(named, on="statistic")
        .sort("number")
        .select("statistic", "position", *_rounded(), "spread", pl.lit(lists.number).alias("lists"), "reason")
    )


def curve_rows(curve: pl.DataFrame, walks: int, lists: Lists) -> pl.DataFrame:
    """Average the curves of so many walks over lists, then draws, at the positions that every walk reaches."""
    return (
        (curve if curve.height else pl.DataFrame(schema=CURVE))
        .filter(pl.len().over("tokens") == walks)
        .group_by("tokens", "draw", maintain_order=True)
        .agg(pl.col("types").mean())
        .group_by("tokens", maintain_order=True)
        .agg(value=pl.col("types").mean(), low=pl.col("types").min(), high=pl.col("types").max(), draws=pl.len())
        .sort("tokens")
        .with_columns(pl.when(pl.col("draws") > 1).then(pl.col("low", "high")))
        .select(
            pl.lit("curve").alias("statistic"),
            pl.col("tokens").alias("position"),
            *_rounded(),
            pl.when(pl.col("draws") > 1).then(pl.lit("draws")).alias("spread"),
            pl.lit(lists.number).alias("lists"),
            pl.lit(None, pl.String).alias("reason"),
        )
    )


def _rounded() -> list[pl.Expr]:
    return [pl.col(name).cast(pl.Float64).round(_DECIMALS) for name in ("value", "low", "high")]
