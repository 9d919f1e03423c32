"""Raw beside equalised: how much of a difference between datasets is one of their sizes."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import polars as pl

from auditor.figure import Figure
from auditor.model import Table
from auditor.studies import comparison_tables
from auditor.studies.comparison_footing import EQUALISED, RAW
from auditor.studies.comparison_tables import BETTER, formula, percent, ranked

_SHOWN = ("upper", "intra", "homogeneity", "specificity")


def tables(rows: pl.DataFrame, errors: Collection[str], resamples: int, confidence: float) -> tuple[Table, ...]:
    """Arrange the rows of `compare` on both footings, with columns `label` and `footing`, by statistic and metric."""
    caption = "raw: every image and caption; equalised: equally many of each dataset; se: by the jackknife over images"
    if resamples:
        how = f"{percent(confidence)} interval by {resamples:,} resamples of images"
        caption += f"; low, high: {how}; rank 1–2: sampling error leaves open which of these"
    made = []
    for statistic in _SHOWN:
        shown = _beside(rows, statistic)
        if shown.is_empty():
            continue
        title = statistic if statistic in ("upper", "intra") else f"{statistic} = {formula(statistic, rows, errors)}"
        first = [
            (row, name)
            for name, rank in ((RAW, "raw_rank"), (EQUALISED, "rank"))
            for row, held in enumerate(shown[rank])
            if held == "1" and statistic in BETTER
        ]
        made.append(Table(f"{title}, raw and equalised", shown, sections="metric", best=tuple(sorted(first))))
    return (*made[:-1], replace(made[-1], caption=caption))


def _beside(rows: pl.DataFrame, statistic: str) -> pl.DataFrame:
    """Put the numbers of one statistic on both footings side by side, in the order of the equalised ones."""
    raw, equalised = (
        ranked(rows.filter(footing=name), statistic).rename({statistic: name}) for name in (RAW, EQUALISED)
    )
    before = raw.rename({name: f"raw_{name}" for name in ("rank", "low", "high", "se")})
    both = equalised.join(before, on=["metric", "label"], how="full", coalesce=True, maintain_order="left_right")
    metrics = rows["metric"].unique(maintain_order=True).to_list()
    return both.sort(
        pl.col("metric").replace_strict({name: place for place, name in enumerate(metrics)}), maintain_order=True
    ).select(
        "metric", pl.col("label").alias("dataset"), "raw_rank", RAW, "raw_low", "raw_high", "raw_se", "rank",
        EQUALISED, "low", "high", "se",
    )  # fmt: skip


def figures(rows: pl.DataFrame, errors: Collection[str], confidence: float) -> tuple[Figure, ...]:
    """Draw each index as bars, of the equalised datasets."""
    drawn = comparison_tables.figures(rows.filter(footing=EQUALISED), errors, confidence)
    return tuple(replace(figure, title=f"{figure.title}, equalised") for figure in drawn)
