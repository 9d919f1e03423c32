"""Bounds as people read them: the upper bound in full, the lower bounds side by side, what images differ in."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from auditor.model import Selection, Table

_UPPER = ("n", "mean", "sd", "median", "min", "max")


def tables(selections: Sequence[Selection], rows: pl.DataFrame) -> tuple[Table, ...]:
    """Arrange the rows of `bounds` by selection. What was drawn several times is shown by the mean of its draws."""
    made = []
    for selection in selections:
        own = selection.rows_of(rows)
        made += [*_upper(selection, own), *_lower(selection, own), *_images(selection, own)]
    return tuple(made)


def averaged(rows: pl.DataFrame) -> pl.DataFrame:
    """Average what was drawn several times: one row for each place, metric, candidate and level.

    `draws` says how often, `spread` is the standard deviation of the means of the draws, null for one.
    """
    place = ["dataset", "version", "split", "metric", "candidate", "level"]
    return rows.group_by(place, maintain_order=True).agg(
        pl.col("n").first(),
        pl.col("mean", "sd", "median", "min", "max").mean(),
        spread=pl.col("mean").std(),
        draws=pl.len(),
    )


def _upper(selection: Selection, rows: pl.DataFrame) -> list[Table]:
    human = averaged(rows.filter(pl.col("candidate") == "human", pl.col("level") == "caption"))
    if human.is_empty():
        return []
    shown = human.select("metric", *_UPPER, *_if_drawn_often(human))
    return [Table(f"upper bound of {selection.label}: each caption against the others of its image", shown)]


def _lower(selection: Selection, rows: pl.DataFrame) -> list[Table]:
    means = averaged(rows.filter(pl.col("level") == "caption"))
    if (means["candidate"] == "human").all():
        return []
    wide = means.pivot("candidate", index="metric", values="mean", maintain_order=True)
    spread = means.filter(pl.col("draws") > 1, pl.col("spread").is_not_null())
    made = [Table(f"means of {selection.label} by who stands in for the caption", wide)]
    if spread.height:
        made.append(
            Table(
                f"standard deviation of these means over {spread['draws'].item(0)} draws",
                spread.pivot("candidate", index="metric", values="spread", maintain_order=True),
            )
        )
    return made


def _images(selection: Selection, rows: pl.DataFrame) -> list[Table]:
    human = averaged(rows.filter(pl.col("candidate") == "human"))
    levels = {
        level: human.filter(pl.col("level") == level).select("metric", pl.col("mean", "sd").name.suffix(f" {level}"))
        for level in ("image", "image-sd")
    }
    if levels["image-sd"].is_empty():
        return []
    shown = levels["image"].join(levels["image-sd"], on="metric", how="left", maintain_order="left")
    named = shown.rename(
        {
            "mean image": "mean of images",
            "sd image": "sd of images",
            "mean image-sd": "mean of sd within images",
            "sd image-sd": "sd of sd within images",
        }
    )
    return [Table(f"upper bound of {selection.label} over images", named)]


def _if_drawn_often(human: pl.DataFrame) -> list[str]:
    return ["spread"] if human["spread"].is_not_null().any() else []
