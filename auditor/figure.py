"""A picture of rows in terms that every medium can draw. It holds what is shown, never how."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import polars as pl

#: Bars stand in groups by `x`, one for each of `series`; lines and points are drawn for each of `series`; a heatmap has
#: a cell for each `x` and `y` that shows `value`.
Kind = Literal["bars", "lines", "points", "heatmap"]


@dataclass(frozen=True)
class Figure:
    """Rows of a picture, and what their columns mean.

    `x`, `y`, `series` and `value` name columns of `frame`; categories are drawn in the order in which rows first name
    them. `low` and `high` name the ends of an interval of `y`, where there is one. `span` is the range of a heatmap's
    values that its colours cover. `name` is a word that may stand in a file's name. Where `tabled` is set, a table of
    the result shows the same numbers side by side, and a terminal needs no picture.
    """

    name: str
    title: str
    kind: Kind
    frame: pl.DataFrame
    x: str
    y: str
    series: str | None = None
    value: str | None = None
    low: str | None = None
    high: str | None = None
    x_label: str = ""
    y_label: str = ""
    log_x: bool = False
    span: tuple[float, float] | None = None
    caption: str | None = None
    tabled: bool = False
