"""Micro and macro summaries of per-caption scores (Wang & Gaizauskas 2016, section 4.1)."""

from __future__ import annotations

import polars as pl

#: Scores are multiples of 10^-12 (see `registry.DECIMALS`): as integers they are summed exactly, in any order.
_DECIMALS = 12
_UNIT = 10.0**_DECIMALS
_STATISTICS = ("mean", "sd", "median", "min", "max")


def summarise(scores: pl.DataFrame) -> pl.DataFrame:
    """Summarise scores over captions (micro), over the means of images (macro), and over the sds of images.

    `scores` has column image and one for each metric. Gives three rows a metric: metric, level (`caption`, `image`,
    `image-sd`: how much the captions of one image differ, second order), n, mean, sd (of the sample, n - 1; null for
    one value), median, min, max; no row for a level without values, as images of one caption have no sd.
    """
    metrics = [column for column in scores.columns if column != "image"]
    by_image = (
        scores.lazy()
        .group_by("image")
        .agg(
            *((_exact(metric).sum().cast(pl.Float64) / _UNIT / pl.len()).alias(f"mean {metric}") for metric in metrics),
            *(pl.col(metric).std().round(_DECIMALS).alias(f"sd {metric}") for metric in metrics),
        )
        .collect()
    )
    rows = [
        row
        for metric in metrics
        for row in (
            _row(metric, "caption", scores[metric]),
            _row(metric, "image", by_image[f"mean {metric}"]),
            _row(metric, "image-sd", by_image[f"sd {metric}"].drop_nulls()),
        )
    ]
    schema = {"metric": pl.String, "level": pl.String, "n": pl.Int64, **dict.fromkeys(_STATISTICS, pl.Float64)}
    return pl.DataFrame(rows, schema=schema, orient="row").filter(pl.col("n") > 0)


def _row(metric: str, level: str, values: pl.Series) -> tuple[object, ...]:
    ordered = values.sort()
    total = ordered.to_frame("value").select(_exact("value").sum().cast(pl.Float64) / _UNIT).item()
    mean = total / len(ordered) if len(ordered) else None
    return metric, level, len(ordered), mean, ordered.std(), ordered.median(), ordered.min(), ordered.max()


def _exact(column: str) -> pl.Expr:
    return (pl.col(column) * _UNIT).round().cast(pl.Int128)
