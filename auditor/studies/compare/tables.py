"""Tables and figures of `auditor compare`: datasets placed by homogeneity, bounds, indices with intervals.

With a second sampling, both are side by side.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from typing import Any

import polars as pl

from auditor.result import Figure, Table, plain
from auditor.result.views import EMPTY
from auditor.scoring.variants import DISTINCT, RAW
from auditor.statistics.paired_systems import Resampling
from auditor.studies.compare.answer import QUOTED, Answer
from auditor.studies.compare.equalize import EQUALIZED
from auditor.studies.compare.pairs import Decided

#: The formula of each index, for errors too.
_INDICES = {"homogeneity": ("intra / upper", "upper / intra"), "specificity": ("intra - inter", "inter - intra")}

#: Statistics for which the first rank is best. Captions of an image can be too similar.
BETTER = ("upper", "specificity")

_DIGITS = (("low", 3), ("high", 3))

#: A table that places datasets by homogeneity, without its rows.
PLACED = Table(
    "", EMPTY, ("homogeneity",), sections="metric", digits=_DIGITS, name="homogeneity", is_scaled=True, sample=RAW
)

_TIED = "Ranks such as 1–2 are tied within sampling error"


def rank_words(row: Mapping[str, Any]) -> str:
    """Write a rank, or the range that sampling error leaves open."""
    best, worst = row["rank_low"], row["rank_high"]
    if row["rank"] is None:
        return "no rank: not tested"
    if best is None or worst is None:
        return f"rank {row['rank']}"
    return f"rank {best}" if best == worst else f"rank {best} to {worst}"


def tables(rows: pl.DataFrame, errors: Collection[str], resampling: Resampling) -> tuple[Table, ...]:
    """Arrange the rows of `compare`, with their column `label`, by metric: the bounds, then each index."""
    lower = rows.filter(pl.col("statistic").is_in(["intra", "inter", "brown"]))
    wide = lower.pivot("statistic", index=["metric", "label"], values="value")
    wide = wide.select("metric", "label", pl.col("^(intra|inter|brown)$"))
    upper = ranked(rows, "upper").join(wide, on=["metric", "label"], how="left", maintain_order="left")
    shown = [_by_metric("bounds", "upper bound, lower bounds", upper, {"upper": "rank"})]
    specific = ranked(rows, "specificity")
    if specific.height:
        title = f"specificity = {formula('specificity', rows, errors)}"
        shown.append(_by_metric("specificity", title, specific, {"specificity": "rank"}))
    caption = "se: jackknife standard error over images"
    if resampling.times:
        caption = f"low, high: {_interval(resampling)}; {caption}. {_TIED}"
    return (*shown[:-1], replace(shown[-1], caption=caption))


def _by_metric(name: str, title: str, frame: pl.DataFrame, rank_of: Mapping[str, str]) -> Table:
    """Return a table whose values are marked if they are first without a tie; `rank_of` names the column of ranks."""
    best = sorted(
        (row, column) for column, rank in rank_of.items() for row, place in enumerate(frame[rank]) if place == "1"
    )
    return Table(title, frame.rename({"label": "dataset"}), sections="metric", best=tuple(best), name=name)


def placed(
    answered: Answer, rows: pl.DataFrame, errors: Collection[str], confidence: float, decided: Decided, variant: str
) -> tuple[Table, ...]:
    """Place the datasets by the homogeneity of each metric; letters join those that do not differ significantly."""
    shown = ranked(rows, "homogeneity")
    if shown.is_empty():
        return ()
    groups = {(order.metric, label): letters for order in answered.orders for label, letters in order.groups.items()}
    contrary = [order.metric for order in answered.orders if answered.differs(order)]
    if answered.tested:
        letters = [groups.get(key) for key in shown.select("metric", "label").iter_rows()]
        shown = shown.with_columns(pl.Series("group", letters, pl.String)).drop("rank")
    if contrary:
        shown = shown.with_columns(order=pl.when(pl.col("metric").is_in(contrary)).then(pl.lit("differs")))
    columns = ["metric", "rank", "group", "label", "homogeneity", "low", "high", "order"]
    caption = "score of a caption of another image, divided by that of one of the same image: "
    caption += formula("homogeneity", rows, errors)
    caption += "; 0: captions are unique to their image; 1: any caption fits any image"
    if answered.tested:
        caption += (
            "; group: two datasets without a common letter differ (for all pairs of a metric together, p_adjusted < "
            f"{answered.alpha:g}); a common letter does not mean that they are equal"
        )
    caption += f"; low, high: {percent(confidence)} confidence interval" if shown["low"].count() else ""
    caption += "; differs: most metric families order some pair the other way" if contrary else ""
    caption += _visible(shown["metric"], decided)
    title = "homogeneity: how well captions fit other images" + (f", {variant}" if variant else "")
    frame = shown.select(name for name in columns if name in shown.columns).rename({"label": "dataset"})
    name = "homogeneity-raw" if variant == RAW else PLACED.name
    return (replace(PLACED, title=title, frame=frame, caption=caption, name=name, sample=variant or RAW),)


def _visible(metrics: pl.Series, decided: Decided) -> str:
    """Report which difference between any two of the datasets would be found, by one metric."""
    metric = QUOTED if QUOTED in metrics else metrics[-1]
    every = decided.get((metric, "homogeneity"), {}).values()
    seen = [decision.visible for decision in every if 0 < decision.visible < math.inf]
    if not seen:
        return ""
    return f"; new sets of these sizes would show a true difference of {max(seen):.2g} by {metric} in 80 of 100 cases"


def figures(rows: pl.DataFrame, errors: Collection[str], confidence: float, variant: str) -> Iterator[Figure]:
    """Draw each index as bars, datasets side by side by metric. The title names the variant of the rows, if any."""
    caption = f"Intervals: {percent(confidence)}, bootstrap over images."
    for index in _INDICES:
        shown = rows.filter(statistic=index).select("metric", "value", "low", "high", dataset="label")
        title = f"{index.capitalize()} = {formula(index, rows, errors)}" + (f", {variant}" if variant else "")
        drawn = Figure(index, title, "bars", shown, "metric", "value", "dataset", low="low", high="high")
        if shown.height:
            yield replace(drawn, y_label=index, caption=caption)


def ranked(rows: pl.DataFrame, statistic: str) -> pl.DataFrame:
    """Return metric, rank (or range of ranks), label, value, interval and standard error of one statistic.

    The column of the value has the name of the statistic.
    """
    best, worst = pl.col("rank_low"), pl.col("rank_high")
    span = pl.when(best < worst).then(pl.format("{}–{}", best, worst)).otherwise(pl.col("rank").cast(pl.String))
    return rows.filter(statistic=statistic).select(
        "metric", span.alias("rank"), "label", pl.col("value").alias(statistic), "low", "high", "se"
    )


def formula(index: str, rows: pl.DataFrame, errors: Collection[str]) -> str:
    """Write the formula of an index, and that of the metrics that count errors."""
    similarity, error = _INDICES[index]
    counting = [metric for metric in rows["metric"].unique(maintain_order=True) if metric in errors]
    return f"{similarity} ({', '.join(counting)}: {error})" if counting else similarity


def _interval(resampling: Resampling) -> str:
    of = f"bootstrap over images, {resampling.times:,} resamples"
    return f"{percent(resampling.confidence)} confidence interval ({of})"


def percent(confidence: float) -> str:
    """Write a share as a percentage: `95%`."""
    return f"{plain(round(100 * confidence, 10))}%"


#: What a sentence adds about each sample.
SAMPLED = {
    EQUALIZED: ", in equal samples",
    DISTINCT: ", without repeated captions",
    f"{EQUALIZED}-{DISTINCT}": ", in equal samples without repeated captions",
}

_MEANS = {
    EQUALIZED: "equally many of each dataset",
    DISTINCT: "each text once per image",
    f"{EQUALIZED}-{DISTINCT}": "each text once per image, equally many of each dataset",
}


def sampling_tables(
    rows: pl.DataFrame, errors: Collection[str], resampling: Resampling, variant: str
) -> tuple[Table, ...]:
    """Arrange the rows of `compare` on both samplings, with columns `label` and `variant`, by statistic and metric."""
    caption = f"raw: every image and caption; {variant}: {_MEANS[variant]}; se: jackknife standard error over images"
    if resampling.times:
        caption += f"; low, high: {_interval(resampling)}. {_TIED}"
    shown = []
    for statistic in ("upper", "intra", "specificity"):
        frame = _beside(rows, statistic, variant)
        title = f"{statistic} = {formula(statistic, rows, errors)}" if statistic in _INDICES else statistic
        rank_of = {RAW: "raw_rank", variant: "rank"} if statistic in BETTER else {}
        if frame.height:
            shown.append(_by_metric(statistic, f"{title}, raw and {variant}", frame, rank_of))
    return (*shown[:-1], replace(shown[-1], caption=caption))


def _beside(rows: pl.DataFrame, statistic: str, variant: str) -> pl.DataFrame:
    """Return one statistic on both samplings side by side, in the order of the sampling that is not raw."""
    raw, other = (ranked(rows.filter(variant=name), statistic).rename({statistic: name}) for name in (RAW, variant))
    before = raw.rename({name: f"raw_{name}" for name in ("rank", "low", "high", "se")})
    both = other.join(before, on=["metric", "label"], how="full", coalesce=True, maintain_order="left_right")
    order = pl.col("metric").cast(pl.Enum(rows["metric"].unique(maintain_order=True)))
    return both.sort(order, maintain_order=True).select(
        "metric", "label", "raw_rank", RAW, "raw_low", "raw_high", "raw_se", "rank", variant, "low", "high", "se"
    )
