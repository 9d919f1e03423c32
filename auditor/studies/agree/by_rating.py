"""Mean scores and lengths of captions with the same rating."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import polars as pl

from auditor.result import Table
from auditor.studies.agree.ratings import Rated

#: With more values than this, the scale is cut into equal parts instead.
_MOST_VALUES = 7

_PARTS = 4


#: Bins of scores, and of ratings with more values than this.
_BINS, _RATINGS = 30, 10


def classed(rated: Rated) -> tuple[pl.DataFrame, list[str]]:
    """Return every rating with the scores of its caption and its class; and the classes, lowest rating first.

    A class is a rating, or a part of the scale if there are many different ratings. Columns: class, human, those of
    `Rated.scores`.
    """
    rows = rated.beside_scores("pooled").sort("image", "slot", "human")
    values = rows["human"].unique().sort()
    if len(values) <= _MOST_VALUES:
        names = {value: f"{value:g}" for value in values}
        return rows.with_columns(pl.col("human").replace_strict(names).alias("class")), list(names.values())
    low, high = rated.scale
    edges = [float(edge) for edge in np.linspace(low, high, _PARTS + 1)]
    labels = [f"{a:g} to {b:g}" for a, b in pairwise(edges)]
    part = pl.col("human").cut(edges[1:-1], labels=labels, left_closed=True).cast(pl.String)
    made = rows.with_columns(part.alias("class"))
    return made, [label for label in labels if label in set(made["class"])]


def class_tables(rated: Rated) -> list[Table]:
    """Return tables of mean scores, and of lengths of captions and references, by rating."""
    rows, names = classed(rated)
    label = rated.annotated.label
    by_class = rows.group_by("class").agg(
        ratings=pl.len().cast(pl.Int64),
        **{metric: pl.col(metric).sort().mean() for metric in rated.labels},
    )
    scores = (
        _in_order(by_class, names)
        .drop("ratings")
        .unpivot(rated.labels, index="class", variable_name="metric")
        .pivot("class", index="metric", values="value", maintain_order=True)
    )
    return [
        Table(f"mean score of the captions of {label}, by human rating", scores, name="scores-by-rating"),
        Table(
            f"length of the captions of {label} and of their references, by human rating",
            _in_order(_lengths(rows), names),
            caption="words; difference: length of a caption minus the mean length of its references. "
            "TER counts every extra or missing word as an edit",
            name="lengths-by-rating",
        ),
    ]


def _lengths(rows: pl.DataFrame) -> pl.DataFrame:
    length = pl.col("length").cast(pl.Int64)
    references = pl.col("reference_lengths") / pl.col("reference_count")
    longer = length * pl.col("reference_count") - pl.col("reference_lengths")
    return rows.group_by("class").agg(
        ratings=pl.len().cast(pl.Int64),
        length=length.mean(),
        references=references.sort().mean(),
        difference=(longer / pl.col("reference_count")).sort().mean(),
        difference_sd=(longer / pl.col("reference_count")).sort().std(),
        shorter=(longer < 0).mean(),
        longer=(longer > 0).mean(),
    )


def _in_order(by_class: pl.DataFrame, names: Sequence[str]) -> pl.DataFrame:
    return by_class.sort(pl.col("class").replace_strict({name: index for index, name in enumerate(names)}))


def densities(rows: pl.DataFrame) -> pl.DataFrame:
    """Return the share of each rating's captions in each bin of scores: rating, score, share.

    `rows` has columns human and score. The highest rating and the lowest score are first. Scores, and ratings of many
    values, are in bins of equal width, which are named by their centers.
    """
    known = rows.drop_nulls()
    human, ratings = _binned(known["human"], _RATINGS if known["human"].n_unique() > _RATINGS else 0)
    score, scores = _binned(known["score"], _BINS)
    counts, _, _ = np.histogram2d(human, score, bins=(range(len(ratings) + 1), range(len(scores) + 1)))
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    cells = [
        (a, b, share) for a, row in zip(ratings, shares, strict=True) for b, share in zip(scores, row, strict=True)
    ]
    cells.sort(key=lambda cell: -ratings.index(cell[0]))
    return pl.DataFrame(cells, schema={"rating": pl.String, "score": pl.String, "share": pl.Float64}, orient="row")


def _binned(values: pl.Series, bins: int) -> tuple[list[int], list[str]]:
    """Return the number of the bin of each value, and the names of all bins; without `bins` one for each value."""
    distinct = values.unique().sort().to_list()
    if not bins or len(distinct) < 2:
        return [distinct.index(value) for value in values], [f"{value:g}" for value in distinct]
    least, width = distinct[0], (distinct[-1] - distinct[0]) / bins
    decimals = max(-math.floor(math.log10(width)), 0)
    names = [f"{least + (number + 0.5) * width:.{decimals}f}" for number in range(bins)]
    return [min(int((value - least) / width), bins - 1) for value in values], names
