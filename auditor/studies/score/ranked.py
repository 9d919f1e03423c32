"""Captions ranked by score: those of an image by leave-one-out, and the lowest of all.

Which caption do the annotators of an image agree on? Vedantam, Zitnick & Parikh 2015, appendices II and IV (figures 5
and 6): the first captions by each metric, and their length.
"""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from auditor.model import Selection
from auditor.result import Finding, Table, about
from auditor.scoring.registry import MetricRequest
from auditor.statistics.summary import exact
from auditor.store.captions import Captions

#: Correlations are rounded to this many decimals, so that their means are sums of whole numbers.
_DECIMALS = 12

_UNIT = 10.0**_DECIMALS

_SHOWN, _LEAST = 20, 10


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


def ranking(captions: Captions, ranks: pl.DataFrame, labels: Sequence[str]) -> tuple[tuple[Table, ...], list[Finding]]:
    """Return tables of first captions by metric, and of each image's best and worst; and findings on length.

    `ranks` are scores with their ranks.
    """
    summary, images = _summary(ranks, labels), ranks["image"].unique().sort()
    rank = f"rank {labels[0]}"
    shown = ranks.filter(pl.col("image").is_in(images.head(_SHOWN).implode())).sort("image", rank, "slot")
    ends = captions.with_texts(shown).with_columns(pl.col("text").str.strip_chars())
    ends = ends.group_by("image", maintain_order=True).agg(
        best=pl.col("text").first(), best_score=pl.col(labels[0]).first(),
        worst=pl.col("text").last(), worst_score=pl.col(labels[0]).last(),
    )  # fmt: skip
    hidden = len(images) - _SHOWN
    tables = (
        Table(
            f"first captions of an image by each metric, {captions.label}",
            summary,
            caption="length_rho: Spearman's rho of rank and length within an image, mean over images; above 0: longer "
            f"captions come first; like_first: the same with the ranks by {labels[0]}; lengths are in tokens",
            name="first-captions",
        ),
        Table(
            f"best and worst caption of each image of {captions.label}, by {labels[0]}",
            ends,
            caption=f"{hidden:,} more images; write all ranks with -o FILE" if hidden > 0 else None,
            name="best-and-worst",
        ),
    )
    return tables, _favors(captions.selection, summary)


def _summary(ranks: pl.DataFrame, labels: Sequence[str]) -> pl.DataFrame:
    """Return for each metric whether it ranks long captions first; `images` have a correlation."""
    rows = []
    for label in labels:
        by_length = _rho(ranks, pl.col("length"), -pl.col(f"rank {label}").cast(pl.Int64))
        like_first = _rho(ranks, pl.col(f"rank {labels[0]}"), pl.col(f"rank {label}"))
        firsts = ranks.filter(pl.col(f"rank {label}") == 1)["length"]
        rows.append((label, len(by_length), _mean(by_length), _mean(like_first), firsts.mean(), ranks["length"].mean()))
    means = ("length_rho", "like_first", "first_length", "mean_length")
    schema = {"metric": pl.String, "images": pl.UInt32, **dict.fromkeys(means, pl.Float64)}
    return pl.DataFrame(rows, schema=schema, orient="row")


def _rho(ranks: pl.DataFrame, x: pl.Expr, y: pl.Expr) -> pl.Series:
    """Return Spearman's rho of each image, in order of images, without those in which either is constant."""
    doubled = {name: (2 * values.rank("average")).cast(pl.Int64).over("image") for name, values in (("x", x), ("y", y))}
    n = pl.len().cast(pl.Int64)
    sums = (
        ranks.select("image", **doubled)
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


def _favors(selection: Selection, summary: pl.DataFrame) -> list[Finding]:
    """Return which metric favors long captions most, and which short ones."""
    ordered = summary.drop_nulls("length_rho").sort("length_rho", maintain_order=True)
    ends = (
        ("long", ordered.tail(1).filter(pl.col("length_rho") > 0)),
        ("short", ordered.head(1).filter(pl.col("length_rho") < 0)),
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


def least_alike(captions: Captions, scores: pl.DataFrame, request: MetricRequest, others: str, of: str) -> Table:
    """Return the captions with the lowest scores against `others`; `of` names the system if there are several."""
    label, metric = request.label, request.metric
    least = scores.sort(label, "image", "slot", descending=[metric.lower_is_better, False, False]).head(_LEAST)
    what = "least similar to their image" if metric.sees_images else f"least similar to the {others} of their image"
    reason = "does not match its image" if metric.sees_images else f"shares nothing with the {others}"
    of_last = pl.col(label) == least[label].tail(1).first() if least.height else pl.lit(False)
    equal = scores.filter(of_last).height - least.filter(of_last).height
    return Table(
        f"the {least.height} captions {of}{what}, by {label}",
        captions.with_texts(least),
        caption=f"a caption that {reason} may describe another image"
        + (f"; {equal:,} more have the same score as the last" if equal else ""),
        name="least-alike",
    )
