"""Which dataset is more homogeneous? Upper bound, lower bound `intra`, and their ratio, side by side and ranked."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from auditor.errors import UsageError
from auditor.model import Progress, Result, Table, silent
from auditor.store.connection import Store
from auditor.studies.bounds import bounds

_STATISTICS = ("upper", "intra", "homogeneity")


def compare(
    store: Store,
    refs: Sequence[str],
    metric_names: Sequence[str] | None = None,
    text_profile: str = "bare",
    split: str | None = None,
    seed: int = 1,
    progress: Progress = silent,
) -> Result:
    """Compare datasets by metric: upper, intra and homogeneity = intra / upper, each ranked from the highest.

    Homogeneity is what a caption of another image of the same dataset scores, as a share of what a caption of the image
    itself scores: 1 where images cannot be told apart by their captions. It is null where the upper bound is 0.
    """
    if len(refs) < 2:
        raise UsageError("compare needs two datasets or more; for one, see `auditor bounds`")
    measured = bounds(store, refs, metric_names, text_profile, split, seed, progress)
    means = (
        measured.frame.filter(pl.col("level") == "caption")
        .pivot("candidate", index=["dataset", "version", "metric", "signature"], values="mean", maintain_order=True)
        .pipe(lambda wide: wide if "intra" in wide.columns else wide.with_columns(intra=pl.lit(None, pl.Float64)))
        .rename({"human": "upper"})
        .with_columns(homogeneity=pl.when(pl.col("upper") > 0).then(pl.col("intra") / pl.col("upper")))
    )
    frame = (
        means.unpivot(_STATISTICS, index=["dataset", "version", "metric", "signature"], variable_name="statistic")
        .with_columns(
            low=pl.lit(None, pl.Float64),
            high=pl.lit(None, pl.Float64),
            rank=pl.col("value").rank("min", descending=True).over("metric", "statistic").cast(pl.Int64),
            seed=pl.lit(seed, pl.Int64),
        )
        .select("dataset", "version", "metric", "statistic", "value", "low", "high", "rank", "signature", "seed")
        .sort(
            pl.col("metric").replace_strict({name: n for n, name in enumerate(measured.signatures)}),
            pl.col("statistic").replace_strict({name: n for n, name in enumerate(_STATISTICS)}),
            "rank",
            "dataset",
        )
    )
    return Result(
        "compare",
        frame,
        selections=measured.selections,
        signatures=measured.signatures,
        tables=(_ranking(means), _overview(means)),
        notes=(*measured.notes, *_findings(means), *_reference_counts(measured.frame, measured.selections)),
    )


def _ranking(means: pl.DataFrame) -> Table:
    order = {metric: place for place, metric in enumerate(means["metric"].unique(maintain_order=True))}
    ranked = (
        means.with_columns(rank=pl.col("homogeneity").rank("min", descending=True).over("metric"))
        .sort(pl.col("metric").replace_strict(order), "rank", "dataset", nulls_last=True)
        .select("metric", "rank", "dataset", "upper", "intra", "homogeneity")
    )
    return Table("upper bound, lower bound, homogeneity", ranked, bars=("homogeneity",), sections="metric")


def _overview(means: pl.DataFrame) -> Table:
    wide = means.pivot("dataset", index="metric", values="homogeneity", maintain_order=True)
    return Table("homogeneity = intra / upper", wide, bars=tuple(wide.columns[1:]))


def _findings(means: pl.DataFrame) -> list[str]:
    """Say in plain words which dataset leads, and on how many metrics."""
    winners = (
        means.filter(pl.col("homogeneity").is_not_null())
        .sort("homogeneity", descending=True)
        .group_by("metric", maintain_order=True)
        .first()
    )
    if winners.is_empty():
        return []
    counted = winners["dataset"].value_counts(sort=True)
    dataset, wins = counted.row(0)
    return [f"{dataset} is the most homogeneous on {wins} of {winners.height} metrics"]


def _reference_counts(frame: pl.DataFrame, selections: Sequence[object]) -> list[str]:
    per_image = (
        frame.filter(pl.col("candidate") == "human")
        .pivot("level", index=["dataset", "metric"], values="n", maintain_order=True)
        .unique("dataset", keep="first", maintain_order=True)
        .select("dataset", (pl.col("caption") / pl.col("image")).alias("captions"))
    )
    if len(selections) < 2 or per_image["captions"].max() < 1.5 * per_image["captions"].min():  # type: ignore[operator]
        return []
    counts = ", ".join(f"{dataset} {captions:.1f}" for dataset, captions in per_image.iter_rows())
    return [
        f"captions per image differ ({counts}): BLEU grows with the number of references, so compare it with care; "
        "ROUGE and CIDEr average over them (Wang & Gaizauskas 2016, section 4.1)"
    ]
