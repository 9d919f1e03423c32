"""How often does a metric prefer the caption that raters prefer? Accuracy over pairs, with bootstrap intervals."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from auditor.model import Progress, Selection, silent
from auditor.scoring.registry import MetricRequest
from auditor.statistics.forced_choice import resampled_interval
from auditor.statistics.resampling import image_sums, resampled_means
from auditor.studies.consensus.settings import CONFIDENCE, TIE_CREDIT
from auditor.studies.consensus.votes import KINDS

#: Kind of all pairs together.
ALL = "all"

_ROWS = {
    "kind": pl.String,
    "metric": pl.String,
    "n": pl.Int64,
    "value": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
    "ties": pl.Int64,
}


def preferences(pairs: pl.DataFrame, scores: pl.DataFrame, metrics: Sequence[MetricRequest]) -> pl.DataFrame:
    """Return which caption of each pair every metric prefers: 1 for B, -1 for C, 0 for neither.

    `pairs` are rows of `pairwise_preference`, `scores` those of its captions (image, slot, one column for each metric).
    Returns the columns of `pairs`, one per metric, and the choice of the raters, null without votes. Pairs with an
    unscored caption are left out.
    """
    labels = [metric.label for metric in metrics]
    values = scores.select("image", "slot", *labels)
    side = {name: values.rename({label: f"{label} {name}" for label in labels}) for name in "bc"}
    scored = pairs.join(side["b"], left_on=["image", "slot_b"], right_on=["image", "slot"], maintain_order="left").join(
        side["c"], left_on=["image", "slot_c"], right_on=["image", "slot"], maintain_order="left"
    )
    return scored.select(
        *pairs.columns,
        people(),
        *(
            (
                (pl.col(f"{metric.label} b") - pl.col(f"{metric.label} c")).sign()
                * (-1 if metric.metric.lower_is_better else 1)
            )
            .cast(pl.Int8)
            .alias(metric.label)
            for metric in metrics
        ),
    )


def people() -> pl.Expr:
    """Return the choice of the raters: 1 for B, -1 for C, 0 if votes are even, null without votes."""
    votes_b, votes_c = pl.col("votes_b").cast(pl.Int64), pl.col("votes_c").cast(pl.Int64)
    return pl.when(pl.col("votes") > 0).then((votes_b - votes_c).sign()).cast(pl.Int8).alias("people")


def credit(preferred: str, truth: str, ties: str) -> pl.Expr:
    """Return the credit of a pair: 1 if metric and truth agree, else 0; for a tie of the metric as `ties` sets."""
    agrees = (pl.col(preferred) == pl.col(truth)).cast(pl.Float64)
    return pl.when(pl.col(preferred) == 0).then(TIE_CREDIT[ties]).otherwise(agrees)


def accuracies(
    preferred: pl.DataFrame,
    labels: Sequence[str],
    ties: str,
    resamples: int,
    key: Sequence[object],
    truth: str = "people",
    progress: Progress = silent,
) -> pl.DataFrame:
    """Return the share of pairs on which each metric and the truth agree: of each kind, and of all.

    Pairs on which the truth is even, or has no vote, are left out. `ties` of a metric are counted. Low and high are
    Wilson's, for the number of independent pairs with the variance of resamples of images. They are null if a resample
    may hold no pair of the kind, for a single image, and without resamples.

    Columns: kind, metric, n, value, low, high, ties.
    """
    judged = preferred.filter(pl.col(truth) != 0)
    if judged.is_empty():
        return pl.DataFrame(schema=_ROWS)
    kinds = kinds_of(judged)
    counted = judged.select(
        "kind",
        "image",
        *(credit(label, truth, ties).alias(label) for label in labels),
        *((pl.col(label) == 0).alias(f"{label} tied") for label in labels),
    )
    by_kind = [counted.with_columns(candidate=pl.lit(ALL))]
    by_kind += [counted.filter(pl.col("kind") == kind).with_columns(candidate=pl.lit(kind)) for kind in kinds]
    sums = image_sums(pl.concat(by_kind).select("candidate", "image", *labels))
    drawn = resampled_means(sums, resamples, key, progress) if resamples and sums.images > 1 else None
    positions = {column: number for number, column in enumerate(sums.columns)}
    rows = []
    for part in by_kind:
        kind = part["candidate"][0]
        for label in labels:
            number = positions[kind, label]
            value, low, high = float(sums.means[number]), None, None
            if drawn is not None and np.isfinite(drawn[:, number]).all():
                images = part["image"].n_unique()
                low, high = resampled_interval(value, drawn[:, number], images, part.height, CONFIDENCE)
            tied = int(part[f"{label} tied"].sum())
            rows.append((kind, label, part.height, value, low, high, tied))
    return pl.DataFrame(rows, schema=_ROWS, orient="row")


def kinds_of(pairs: pl.DataFrame) -> list[str]:
    """List the kinds of pairs, the published ones first."""
    there = pairs["kind"].drop_nulls().unique().sort().to_list()
    return [*(kind for kind in KINDS if kind in there), *(kind for kind in there if kind not in KINDS)]


def resampling_key(selection: Selection, seed: int) -> tuple[object, ...]:
    """Return the key that determines the draws of images."""
    return (seed, selection.version.dataset, selection.version.version, selection.split)
