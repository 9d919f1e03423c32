"""Which dataset is more homogeneous? Upper bound, lower bound `intra`, and their ratio, side by side and ranked."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from auditor.errors import UsageError
from auditor.model import Progress, Result, Table, silent
from auditor.registry import METRICS
from auditor.store.connection import Store
from auditor.studies.bounds import bounds

#: Metrics that count errors: the lower, the more alike.
_ERRORS = tuple(name for name, metric in METRICS.items() if metric.lower_is_better)

_STATISTICS = ("upper", "intra", "homogeneity")
_PLACE = ("dataset", "version", "split", "label")


def compare(
    store: Store,
    refs: Sequence[str],
    metric_names: Sequence[str] | None = None,
    text_profile: str = "bare",
    split: str | None = None,
    seed: int = 1,
    references: int | None = None,
    progress: Progress = silent,
) -> Result:
    """Compare datasets by metric: upper, intra and homogeneity = intra / upper, each ranked from the highest.

    Homogeneity is what a caption of another image of the same dataset scores, as a share of what a caption of the image
    itself scores: 1 where images cannot be told apart by their captions. For a metric that counts errors it is the
    other way round, upper / intra. It is null where the divisor is 0.
    """
    if len(refs) < 2:
        raise UsageError("compare needs two datasets or more; for one, see `auditor bounds`")
    measured = bounds(
        store,
        refs,
        metric_names,
        text_profile,
        split,
        seed,
        references,
        candidates=("human", "intra"),
        strict=False,
        progress=progress,
    )
    labels = pl.DataFrame(
        [(one.version.dataset, one.version.version, one.split, one.label) for one in measured.selections],
        schema={"dataset": pl.String, "version": pl.String, "split": pl.String, "label": pl.String},
        orient="row",
    )
    counted = measured.frame.join(labels, on=["dataset", "version", "split"], nulls_equal=True, maintain_order="left")
    means = (
        counted.filter(pl.col("level") == "caption")
        .pivot("candidate", index=[*_PLACE, "metric", "signature"], values="mean", maintain_order=True)
        .pipe(lambda wide: wide if "intra" in wide.columns else wide.with_columns(intra=pl.lit(None, pl.Float64)))
        .rename({"human": "upper"})
        .with_columns(homogeneity=_homogeneity())
    )
    return Result(
        "compare",
        _rows(means, list(measured.signatures), seed),
        selections=measured.selections,
        signatures=measured.signatures,
        tables=(_ranking(means), _overview(means)),
        notes=(*measured.notes, *_findings(means), *_reference_counts(counted)),
    )


def _homogeneity() -> pl.Expr:
    errors = pl.col("signature").str.extract(r"^([^|]+)").is_in(_ERRORS)
    correct, wrong = pl.col("upper"), pl.col("intra")
    share = pl.when(errors).then(correct / wrong).otherwise(wrong / correct)
    return pl.when(pl.when(errors).then(wrong).otherwise(correct) > 0).then(share)


def _rows(means: pl.DataFrame, metrics: Sequence[str], seed: int) -> pl.DataFrame:
    """Give one row per dataset, metric and statistic. `low` and `high` are null: there are no intervals yet."""
    return (
        means.unpivot(_STATISTICS, index=[*_PLACE, "metric", "signature"], variable_name="statistic")
        .with_columns(
            low=pl.lit(None, pl.Float64),
            high=pl.lit(None, pl.Float64),
            rank=pl.col("value").rank("min", descending=True).over("metric", "statistic").cast(pl.Int64),
            seed=pl.lit(seed, pl.Int64),
        )
        .sort(
            pl.col("metric").replace_strict({name: place for place, name in enumerate(metrics)}),
            pl.col("statistic").replace_strict({name: place for place, name in enumerate(_STATISTICS)}),
            "rank",
            "label",
        )
        .select(
            "dataset", "metric", "statistic", "value", "low", "high", "rank", "version", "split", "signature", "seed"
        )
    )


def _ranking(means: pl.DataFrame) -> Table:
    order = {metric: place for place, metric in enumerate(means["metric"].unique(maintain_order=True))}
    ranked = (
        means.with_columns(rank=pl.col("homogeneity").rank("min", descending=True).over("metric"))
        .sort(pl.col("metric").replace_strict(order), "rank", "label", nulls_last=True)
        .select("metric", "rank", dataset="label", upper="upper", intra="intra", homogeneity="homogeneity")
    )
    return Table("upper bound, lower bound, homogeneity", ranked, bars=("homogeneity",), sections="metric")


def _overview(means: pl.DataFrame) -> Table:
    wide = means.pivot("metric", index="label", values="homogeneity", maintain_order=True)
    return Table("homogeneity = intra / upper", wide.rename({"label": "dataset"}))


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
    label, wins = winners["label"].value_counts(sort=True).row(0)
    return [f"{label} is the most homogeneous on {wins} of {winners.height} metrics"]


def _reference_counts(counted: pl.DataFrame) -> list[str]:
    per_image = (
        counted.filter(pl.col("candidate") == "human")
        .pivot("level", index=["label", "metric"], values="n", maintain_order=True)
        .unique("label", keep="first", maintain_order=True)
        .select("label", (pl.col("caption") / pl.col("image")).alias("captions"))
    )
    captions = per_image["captions"].to_list()
    if max(captions) < 1.5 * min(captions):
        return []
    counts = ", ".join(f"{label} {mean:.1f}" for label, mean in per_image.iter_rows())
    return [
        f"captions per image differ ({counts}): BLEU grows with the number of references: draw equally many "
        "with --references; ROUGE and CIDEr average over them (Wang & Gaizauskas 2016, section 4.1)"
    ]
