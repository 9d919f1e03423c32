"""Tables, figures and findings of `auditor references`: sufficient numbers of references, and curves."""

from __future__ import annotations

import re
from collections.abc import Sequence

import polars as pl

from auditor.model import Selection
from auditor.result import Figure, Finding, Said, Table, about

#: A table has a column for each number of references up to this, and for some higher ones.
_EVERY = 5

_STEP = 2 ** (1 / 2)

_SUFFICIENT = {"knee": "knee", "enough": "95% of rise", "stable": "stable"}

_MEANINGS = (
    "knee: where the mean is farthest above the chord of its rise; 95% of rise: the first number from which the mean "
    "has made 95% of its rise; stable: the first from which captions are ranked as with all references (rho .95)"
)

_CURVES = {
    "mean": ("mean", "mean score of held-out captions"),
    "stability": ("stability", "Spearman's rho of caption scores with those against all references"),
    "reliability": (
        "reliability",
        "Spearman's rho of caption scores against that many references, and against as many others",
    ),
    "detectable-share": ("difference", "smallest difference that 1,000 images can show, as a share of the mean"),
}


def tables(selection: Selection, rows: pl.DataFrame, most: int) -> list[Table]:
    """Return the sufficient numbers, then each curve: a row per metric, a column per number of references."""
    made = [
        Table(
            f"how many references are enough: {selection.label}", _summary(rows, most), caption=_MEANINGS, name="enough"
        )
    ]
    for statistic, (_, title) in _CURVES.items():
        shown = rows.filter(pl.col("statistic") == statistic, pl.col("value").is_not_null())
        if not shown.is_empty():
            kept = shown.filter(pl.col("references").is_in(_shown(shown["references"].unique().sort().to_list())))
            wide = kept.pivot("references", index="metric", values="value", maintain_order=True)
            made.append(Table(f"{title}, by number of references: {selection.label}", wide, name="curve"))
    return made


def _summary(rows: pl.DataFrame, most: int) -> pl.DataFrame:
    """Return the sufficient numbers with both ends of the curve of the mean. Missing numbers are null."""
    single = rows.filter(pl.col("references").is_null())
    wide = single.pivot("statistic", index="metric", values="value", maintain_order=True).select(
        "metric", *(pl.col(name).cast(pl.Int64).alias(shown) for name, shown in _SUFFICIENT.items())
    )
    curve = rows.filter(pl.col("statistic") == "mean")
    means = {f"mean with {k}": pl.col("value").filter(pl.col("references") == k).first() for k in (1, most)}
    ends = curve.group_by("metric", maintain_order=True).agg(**means)
    return ends.join(wide, on="metric", maintain_order="left")


def _shown(numbers: Sequence[int]) -> list[int]:
    """Choose the columns that fit in a table: the first few, then some further apart, and the last."""
    kept = [number for number in numbers if number <= _EVERY]
    for number in numbers[len(kept) :]:
        if number >= round(kept[-1] * _STEP):
            kept.append(number)
    return kept if kept[-1] == numbers[-1] else [*kept[: len(kept) - (len(kept) > _EVERY)], numbers[-1]]


def figures(selection: Selection, rows: pl.DataFrame) -> list[Figure]:
    """Draw each curve over the number of references, with the range of the draws."""
    made = []
    for statistic, (name, title) in _CURVES.items():
        shown = rows.filter(pl.col("statistic") == statistic, pl.col("value").is_not_null())
        if shown["references"].n_unique() > 1:
            made.append(
                Figure(
                    name=re.sub(r"[^\w.-]+", "-", f"references-{name}-{selection.label}"),
                    title=f"{title}: {selection.label}",
                    kind="lines",
                    frame=shown.select("metric", "references", "value", "low", "high"),
                    x="references",
                    y="value",
                    series="metric",
                    low="low",
                    high="high",
                    x_label="references",
                    y_label=name,
                    log_x=True,
                )
            )
    return made


def notes(selection: Selection, rows: pl.DataFrame, most: int) -> list[Said]:
    """Return findings on how many references are enough, and notes on missing values."""
    if most == 1:
        return [f"{selection.label}: with two captions per image there is only one reference, so no curve"]
    reported = list[Said]()
    single = rows.filter(pl.col("references").is_null())
    rising = single.filter(pl.col("statistic") == "enough", pl.col("value").is_not_null())
    if not rising.is_empty():
        listed = "; ".join(f"{k} for {metrics}" for k, metrics in _grouped(rising))
        words = f"{selection.label}: references that give 95% of the mean's rise from 1 to {most}: {listed}"
        reported.append(Finding("enough-references", words, about(selection), _by_metric(rising), most))
    flat = single.filter(pl.col("statistic") == "enough", pl.col("value").is_null())["metric"].to_list()
    if flat:
        subject = f"{selection.label}: {', '.join(flat)}"
        words = f"{subject}: the mean hardly changes with the number of references (by less than 5%)"
        reported.append(Finding("flat-mean", words, about(selection, metric=", ".join(flat)), n=most))
    stable = single.filter(pl.col("statistic") == "stable", pl.col("value").is_not_null())
    if not stable.is_empty():
        listed = "; ".join(f"{k if k < most else 'no fewer'} for {metrics}" for k, metrics in _grouped(stable))
        words = f"{selection.label}: references that rank captions like all {most} (rho .95): {listed}"
        reported.append(Finding("stable-ranking", words, about(selection), _by_metric(stable), most))
    absent = rows.filter(pl.col("value").is_null(), pl.col("references").is_not_null())
    for statistic in absent["statistic"].unique(maintain_order=True):
        names = absent.filter(pl.col("statistic") == statistic)["metric"].unique(maintain_order=True)
        why = "there are too few scores, or all are equal"
        reported.append(f"{selection.label}: {', '.join(names)}: no {statistic} for some numbers of references: {why}")
    return reported


def _by_metric(rows: pl.DataFrame) -> dict[str, str | float | None]:
    return dict(rows.select("metric", "value").iter_rows())


def _grouped(rows: pl.DataFrame) -> list[tuple[int, str]]:
    """Group the metrics by sufficient number of references."""
    grouped = rows.group_by(pl.col("value").cast(pl.Int64), maintain_order=True).agg(pl.col("metric").str.join(", "))
    return [(int(k), metrics) for k, metrics in grouped.sort("value").iter_rows()]
