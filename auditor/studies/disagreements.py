"""Where a metric and people part: a low score for what people praise, a high one for what they reject."""

from __future__ import annotations

import polars as pl

from auditor.model import Table
from auditor.registry import MetricRequest
from auditor.studies.ratings import Rated


def tables(found: Rated, metric: MetricRequest, most: int) -> list[Table]:
    """Show the captions with the lowest scores among those that people rate highest, and the other way round.

    That is, by the mean of a caption's ratings: of those with the best there is, the ones with the worst scores first.
    """
    if not most:
        return []
    rows = found.beside_scores("mean")
    best, worst = rows["human"].max(), rows["human"].min()
    if best == worst:
        return []
    down = metric.metric.lower_is_better
    praised = rows.filter(pl.col("human") == best).sort(metric.label, "image", "slot", descending=[down, False, False])
    rejected = rows.filter(pl.col("human") == worst).sort(
        metric.label, "image", "slot", descending=[not down, False, False]
    )
    label = found.annotated.label
    titles = (
        (f"rated highest, scored lowest: {label} by {metric.label}", praised),
        (f"rated lowest, scored highest: {label} by {metric.label}", rejected),
    )
    return [Table(title, _with_texts(found, some.head(most), metric.label)) for title, some in titles]


def _with_texts(found: Rated, rows: pl.DataFrame, label: str) -> pl.DataFrame:
    shown = rows.select("image", "slot", label, rating="human")
    found.at_work.bind_rows("shown", shown.select("image", "slot"))
    texts = found.at_work.rows("nearest_reference")
    return shown.join(texts, on=["image", "slot"], how="left", maintain_order="left").rename(
        {"text": "caption", "reference": "nearest reference"}
    )
