"""Tables, figures and sentences of `auditor compare`: bounds, indices with intervals, and significant differences.

With a second sampling, both are side by side.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import polars as pl

from auditor.model import Selection
from auditor.result import Figure, Finding, Table, about, interval, plain
from auditor.scoring.scores import DISTINCT, RAW
from auditor.studies.compare.equalize import EQUALIZED
from auditor.studies.compare.indices import Rank

#: The formula of each index, for errors too, and the adjective of a dataset that is ahead by it.
_INDICES = {
    "homogeneity": ("intra / upper", "upper / intra", "homogeneous"),
    "specificity": ("intra - inter", "inter - intra", "specific"),
}

#: The kind of finding that names the dataset ahead by an index.
_AHEAD = {"homogeneity": "more-homogeneous", "specificity": "more-specific"}

#: Statistics for which the first rank is best. Captions of an image can be too similar.
BETTER = ("upper", "specificity")

_LOWER = ("intra", "inter", "brown")


def lead(rows: pl.DataFrame, ahead: Sequence[Finding]) -> tuple[str, ...]:
    """Return the homogeneity of each dataset by the last metric, with interval and rank, then the findings."""
    of_index = rows.filter(statistic="homogeneity")
    if of_index.is_empty():
        return tuple(f"{finding.sentence}." for finding in ahead)
    metric = of_index["metric"][-1]
    parts = [
        f"{row['label']} {row['value']:.3f}{interval(row['low'], row['high'], row['confidence'])}, {rank_words(row)}"
        for row in of_index.filter(metric=metric).iter_rows(named=True)
    ]
    first = f"Homogeneity by {metric} (1: captions do not distinguish images): {'; '.join(parts)}."
    return (first, *(f"{finding.sentence}." for finding in ahead))


def rank_words(row: Mapping[str, Any]) -> str:
    """Write a rank, or the range that sampling error leaves open."""
    best, worst = row["rank_low"], row["rank_high"]
    if best is None or worst is None:
        return f"rank {row['rank']}"
    return f"rank {best}" if best == worst else f"rank {best} to {worst}"


def tables(rows: pl.DataFrame, errors: Collection[str], resamples: int, confidence: float) -> tuple[Table, ...]:
    """Arrange the rows of `compare`, with their column `label`, by metric: the bounds, then each index."""
    lower = (
        rows.filter(pl.col("statistic").is_in(_LOWER))
        .pivot("statistic", index=["metric", "label"], values="value", maintain_order=True)
        .select("metric", "label", pl.col("^(intra|inter|brown)$"))
    )
    upper = ranked(rows, "upper").join(lower, on=["metric", "label"], how="left", maintain_order="left")
    made = [
        Table(
            "upper bound, lower bounds",
            upper.rename({"label": "dataset"}),
            sections="metric",
            best=_best(upper),
            name="bounds",
        )
    ]
    for index in _INDICES:
        shown = ranked(rows, index).rename({"label": "dataset"})
        if shown.height:
            bars = (index,) if index == "homogeneity" else ()
            title = f"{index} = {formula(index, rows, errors)}"
            best = _best(shown) if index in BETTER else ()
            made.append(Table(title, shown, bars, sections="metric", best=best, name=index))
    how = "se: jackknife standard error over images"
    if resamples:
        how = (
            f"low, high: {percent(confidence)} confidence interval (bootstrap over images, {resamples:,} resamples); "
            f"{how}. Ranks such as 1–2 are tied within sampling error"
        )
    made.append(replace(made.pop(), caption=how))
    return tuple(made)


def figures(rows: pl.DataFrame, errors: Collection[str], confidence: float) -> tuple[Figure, ...]:
    """Draw each index as bars, datasets side by side by metric."""
    return tuple(
        Figure(
            index,
            f"{index.capitalize()} = {formula(index, rows, errors)}",
            "bars",
            of_index.select("metric", "value", "low", "high", dataset="label"),
            x="metric",
            y="value",
            series="dataset",
            low="low",
            high="high",
            y_label=index,
            caption=f"Intervals: {percent(confidence)}, bootstrap over images.",
        )
        for index in _INDICES
        if (of_index := rows.filter(statistic=index)).height
    )


def findings(
    ranked: Mapping[tuple[str, str], Mapping[str, Rank]],
    selections: Sequence[Selection],
    resamples: int,
    prefix: str = "",
) -> list[Finding]:
    """Return which dataset is ahead of the next, and on how many metrics the difference is significant.

    `ranked` has the rank of each dataset by statistic and metric. Datasets are in the order of their mean rank.
    """
    named = {selection.label: selection for selection in selections}
    return [
        Finding(
            _AHEAD[index],
            f"{prefix}{sentence}",
            about(named[first], against=named[second].label),
            values,
            n,
        )
        for index, (_, _, word) in _INDICES.items()
        for first, second, sentence, values, n in _ahead(
            [by for (name, _), by in ranked.items() if name == index], word, resamples
        )
    ]


def _ahead(
    by_metric: list[Mapping[str, Rank]], word: str, resamples: int
) -> Iterator[tuple[str, str, str, dict[str, str | float | None], int]]:
    """Yield for each pair of neighbors: both labels, the sentence, the counts, and the number of metrics."""
    labels = list(dict.fromkeys(label for ranks in by_metric for label in ranks))
    places = {label: [ranks[label].rank for ranks in by_metric if label in ranks] for label in labels}
    order = sorted(labels, key=lambda label: sum(places[label]) / len(places[label]))
    for first, other in pairwise(order):
        both = [ranks for ranks in by_metric if first in ranks and other in ranks]
        if not resamples:
            ahead = sum(ranks[first].rank < ranks[other].rank for ranks in both)
            sentence = (
                f"{first} is more {word} than {other} on {ahead} of {len(both)} metrics (no confidence intervals)"
            )
            yield first, other, sentence, {"ahead": ahead, "behind": None}, len(both)
            continue
        ahead, behind = (sum(b in ranks[a].ahead_of for ranks in both) for a, b in ((first, other), (other, first)))
        opposite = f", {other} than {first} on {behind}" if behind else ""
        sentence = f"{first} is significantly more {word} than {other} on {ahead} of {len(both)} metrics{opposite}"
        yield first, other, sentence, {"ahead": ahead, "behind": behind}, len(both)


def ranked(rows: pl.DataFrame, statistic: str) -> pl.DataFrame:
    """Return metric, rank (or range of ranks), label, value, interval and standard error of one statistic.

    The column of the value has the name of the statistic.
    """
    best, worst = pl.col("rank_low"), pl.col("rank_high")
    span = pl.when(best < worst).then(pl.format("{}–{}", best, worst)).otherwise(pl.col("rank").cast(pl.String))
    return rows.filter(statistic=statistic).select(
        "metric", span.alias("rank"), "label", pl.col("value").alias(statistic), "low", "high", "se"
    )


def _best(shown: pl.DataFrame) -> tuple[tuple[int, str], ...]:
    """Return the cells of the values that are first without a tie."""
    value = shown.columns[3]
    return tuple((row, value) for row, rank in enumerate(shown["rank"]) if rank == "1")


def formula(index: str, rows: pl.DataFrame, errors: Collection[str]) -> str:
    """Write the formula of an index, and that of the metrics that count errors."""
    similarity, error, _ = _INDICES[index]
    counting = [metric for metric in rows["metric"].unique(maintain_order=True) if metric in errors]
    return f"{similarity} ({', '.join(counting)}: {error})" if counting else similarity


def percent(confidence: float) -> str:
    """Write a share as a percentage: `95%`."""
    return f"{plain(round(100 * confidence, 10))}%"


_MEANS = {
    EQUALIZED: "equally many of each dataset",
    DISTINCT: "each text once per image",
    f"{EQUALIZED}-{DISTINCT}": "each text once per image, equally many of each dataset",
}

_SHOWN = ("upper", "intra", "homogeneity", "specificity")


def sampling_tables(
    rows: pl.DataFrame, errors: Collection[str], resamples: int, confidence: float, variant: str
) -> tuple[Table, ...]:
    """Arrange the rows of `compare` on both samplings, with columns `label` and `variant`, by statistic and metric."""
    caption = f"raw: every image and caption; {variant}: {_MEANS[variant]}; se: jackknife standard error over images"
    if resamples:
        how = f"{percent(confidence)} confidence interval (bootstrap over images, {resamples:,} resamples)"
        caption += f"; low, high: {how}. Ranks such as 1–2 are tied within sampling error"
    made = []
    for statistic in _SHOWN:
        shown = _beside(rows, statistic, variant)
        if shown.is_empty():
            continue
        title = statistic if statistic in ("upper", "intra") else f"{statistic} = {formula(statistic, rows, errors)}"
        first = [
            (row, name)
            for name, rank in ((RAW, "raw_rank"), (variant, "rank"))
            for row, label in enumerate(shown[rank])
            if label == "1" and statistic in BETTER
        ]
        made.append(
            Table(f"{title}, raw and {variant}", shown, sections="metric", best=tuple(sorted(first)), name=statistic)
        )
    return (*made[:-1], replace(made[-1], caption=caption))


def _beside(rows: pl.DataFrame, statistic: str, variant: str) -> pl.DataFrame:
    """Return one statistic on both samplings side by side, in the order of the sampling that is not raw."""
    raw, other = (ranked(rows.filter(variant=name), statistic).rename({statistic: name}) for name in (RAW, variant))
    before = raw.rename({name: f"raw_{name}" for name in ("rank", "low", "high", "se")})
    both = other.join(before, on=["metric", "label"], how="full", coalesce=True, maintain_order="left_right")
    metrics = rows["metric"].unique(maintain_order=True).to_list()
    return both.sort(
        pl.col("metric").replace_strict({name: index for index, name in enumerate(metrics)}), maintain_order=True
    ).select(
        "metric", pl.col("label").alias("dataset"), "raw_rank", RAW, "raw_low", "raw_high", "raw_se", "rank",
        variant, "low", "high", "se",
    )  # fmt: skip


def sampling_figures(
    rows: pl.DataFrame, errors: Collection[str], confidence: float, variant: str
) -> tuple[Figure, ...]:
    """Draw each index as bars, on the sampling that is not raw."""
    drawn = figures(rows.filter(variant=variant), errors, confidence)
    return tuple(replace(figure, title=f"{figure.title}, {variant}") for figure in drawn)
