"""Micro and macro summaries of per-caption scores (Wang & Gaizauskas 2016, section 4.1)."""

from __future__ import annotations

import polars as pl

#: Scores are multiples of 10^-12 (see `registry.DECIMALS`): as integers they are summed exactly, in any order.
_UNIT = 1e12


def summarise(scores: pl.DataFrame) -> pl.DataFrame:
    """Summarise one metric's scores over captions (micro) and over the means of images (macro).

    `scores` has columns image and value. Gives two rows: level (`caption`, `image`), n, mean, sd (of the sample, n - 1;
    null for one value), median, min, max; no rows at all for no scores.
    """
    by_image = image_means(scores.select("image", "value"))
    return pl.concat([_row("caption", scores["value"]), _row("image", by_image["value"])])


def image_means(scores: pl.DataFrame) -> pl.DataFrame:
    """Average every column but `image` over the rows of each image, sorted by image; the same for any order of rows."""
    return (
        scores.lazy()
        .select("image", exact(pl.exclude("image")))
        .group_by("image")
        .agg(pl.exclude("image").sum().cast(pl.Float64) / _UNIT / pl.len())
        .sort("image")
        .collect()
    )


def exact(values: pl.Expr) -> pl.Expr:
    """Take scores as the integers that they are in units of 10^-12."""
    return (values * _UNIT).round().cast(pl.Int128)


def _row(level: str, values: pl.Series) -> pl.DataFrame:
    ordered = values.sort()
    total = ordered.to_frame("value").select(exact(pl.col("value")).sum().cast(pl.Float64) / _UNIT).to_series()[0]
    return pl.DataFrame(
        {
            "level": [level],
            "n": [len(ordered)],
            "mean": [total / len(ordered) if len(ordered) else None],
            "sd": [ordered.std()],
            "median": [ordered.median()],
            "min": [ordered.min()],
            "max": [ordered.max()],
        },
        schema={
            "level": pl.String,
            "n": pl.Int64,
            **dict.fromkeys(("mean", "sd", "median", "min", "max"), pl.Float64),
        },
    ).filter(pl.col("n") > 0)
