"""Which caption of an image says what people agree on? An image's own captions, each against the others, in order.

Vedantam, Zitnick & Parikh 2015, appendices II and IV (figures 5 and 6): what a metric puts first, and whether that is
long or short.
"""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from auditor.model import Selection
from auditor.result import Finding, Table, about
from auditor.scoring.registry import MetricRequest
from auditor.statistics.summary import exact
from auditor.store.captions import Captions

#: Correlations leave with so many decimals, so that their means are sums of whole numbers.
_DECIMALS = 12

_UNIT = 10.0**_DECIMALS

_SHOWN = 20


def with_ranks(captions: Captions, scores: pl.DataFrame, metrics: Sequence[MetricRequest]) -> pl.DataFrame:
    """Add to scores the length of each caption and its rank among those of its image, `rank LABEL` for each metric."""
    lengths = captions.workspace().rows("reference").select("image", "slot", "length")
    return scores.join(lengths, on=["image", "slot"], maintain_order="left").with_columns(
        pl.col(metric.label)
        .rank("min", descending=not metric.metric.lower_is_better)
        .over("variant", "image")
        .cast(pl.UInt32)
        .alias(f"rank {metric.label}")
        for metric in metrics
    )


def ranking(
    selection: Selection, places: pl.DataFrame, labels: Sequence[str]
) -> tuple[tuple[Table, ...], list[Finding]]:
    """Return tables of what metrics put first and of each image's best and worst caption, and what favors length.

    `places` are scores with their ranks, and the captions' text.
    """
    summary = _summary(places, labels)
    tables = (_summary_table(selection, summary, labels), _ends_table(selection, places, labels[0]))
    return tables, _favors(selection, summary)


def _summary(places: pl.DataFrame, labels: Sequence[str]) -> pl.DataFrame:
    """Say of each metric whether it puts long captions first.

    Columns: metric, images (with a correlation), length_rho (Spearman's rho within an image between a caption's place
    and its length, mean over images; above 0: the longer, the better), like_first (the same with the ranks of the first
    metric), first_length (mean length of the captions of rank 1), mean_length.
    """
    rows = []
    for label in labels:
        by_length = _rho(places, pl.col("length"), -pl.col(f"rank {label}").cast(pl.Int64))
        alike = _rho(places, pl.col(f"rank {labels[0]}"), pl.col(f"rank {label}"))
        firsts = places.filter(pl.col(f"rank {label}") == 1)["length"]
        rows.append((label, len(by_length), _mean(by_length), _mean(alike), firsts.mean(), places["length"].mean()))
    schema = {
        "metric": pl.String,
        "images": pl.UInt32,
        **dict.fromkeys(("length_rho", "like_first", "first_length", "mean_length"), pl.Float64),
    }
    return pl.DataFrame(rows, schema=schema, orient="row")


def _rho(places: pl.DataFrame, x: pl.Expr, y: pl.Expr) -> pl.Series:
    """Return Spearman's rho of each image, in order of images, without those where either is constant."""
    doubled = {name: (2 * one.rank("average")).cast(pl.Int64).over("image") for name, one in (("x", x), ("y", y))}
    n = pl.len().cast(pl.Int64)
    sums = (
        places.select("image", **doubled)
        .group_by("image")
        .agg(
            (n * (pl.col(a) * pl.col(b)).sum() - pl.col(a).sum() * pl.col(b).sum()).alias(f"{a}{b}")
            for a, b in (("x", "y"), ("x", "x"), ("y", "y"))
        )
        .sort("image")
        .filter(pl.col("xx") > 0, pl.col("yy") > 0)
    )
    product = pl.col("xx").cast(pl.Float64).sqrt() * pl.col("yy").cast(pl.Float64).sqrt()
    return sums.select((pl.col("xy") / product).clip(-1, 1).round(_DECIMALS).alias("rho")).to_series()


def _mean(values: pl.Series) -> float | None:
    if values.is_empty():
        return None
    total: int = values.to_frame("value").select(exact(pl.col("value")).sum()).item()
    return total / _UNIT / len(values)


def _summary_table(selection: Selection, summary: pl.DataFrame, labels: Sequence[str]) -> Table:
    return Table(
        f"what each metric puts first among the captions of an image of {selection.label}",
        summary,
        caption="length_rho: Spearman's rho of rank and length within an image, mean over images; above 0 the longer "
        f"captions come first; like_first: the same with the ranks by {labels[0]}; lengths in tokens",
        name="first-captions",
    )


def _ends_table(selection: Selection, places: pl.DataFrame, label: str) -> Table:
    ordered = places.sort("image", f"rank {label}", "slot").with_columns(pl.col("text").str.strip_chars())
    ends = ordered.group_by("image", maintain_order=True).agg(
        best=pl.col("text").first(), best_score=pl.col(label).first(),
        worst=pl.col("text").last(), worst_score=pl.col(label).last(),
    )  # fmt: skip
    hidden = ends.height - _SHOWN
    return Table(
        f"best and worst caption of each image of {selection.label}, by {label}",
        ends.head(_SHOWN),
        caption=f"{hidden:,} more images: -o FILE has the ranks of all" if hidden > 0 else None,
        name="best-and-worst",
    )


def _favors(selection: Selection, summary: pl.DataFrame) -> list[Finding]:
    """Return which metric favors long captions most, and which short ones."""
    told = summary.drop_nulls("length_rho").sort("length_rho", maintain_order=True)
    ends = (
        ("long", told.tail(1).filter(pl.col("length_rho") > 0)),
        ("short", told.head(1).filter(pl.col("length_rho") < 0)),
    )
    return [
        Finding(
            "favors-length",
            f"{metric} favors {which} captions most (rho of rank and length {rho:+.2f})",
            about(selection, metric=metric),
            {"favors": which, "length_rho": rho},
            images,
            "notice",
        )
        for which, end in ends
        for metric, rho, images in end.select("metric", "length_rho", "images").iter_rows()
    ]
