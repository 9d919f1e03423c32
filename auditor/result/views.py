"""Views: the tables and figures of a study as data. One kernel arranges the rows of a result as they say.

A view is data, never a callback: what it cannot say is a table that a function of the study makes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

import polars as pl

from auditor.model import Selection
from auditor.result import Figure, Table

T = TypeVar("T", bound=Table | Figure)

#: The rows of a table or figure that a view fills.
EMPTY = pl.DataFrame()


@dataclass(frozen=True)
class View(Generic[T]):
    """A table or figure without its rows, and the rows of a result that it shows.

    With `{label}` in its title, each dataset has one; otherwise rows of all datasets have their label in column
    `dataset`. Other names in braces, in title, caption and name, are columns: the first row has the words.

    `where` selects rows: an expression, or a value of column `statistic`. `each` names a column whose every value has a
    separate table. `unique` keeps the first row of each value. `pivot` makes a column for each value of its first
    column; rows are those of the second (one or several), cells those of the third. `columns` are selected last: names,
    or expressions that name what they compute; the `optional` ones are left out if no row has a value. Only the first
    `top` rows are shown, or those of each value of `per`; `rest` is where the others are. Without a row, nothing is
    shown.
    """

    shown: T
    where: str | pl.Expr | None = None
    columns: Sequence[str | pl.Expr] = ()
    pivot: tuple[str, str | Sequence[str], str] | None = None
    each: str = ""
    unique: str = ""
    optional: Sequence[str] = ()
    top: int = 0
    per: str = ""
    rest: str = "more: -o FILE writes all"

    @property
    def of_each(self) -> bool:
        """Whether each dataset has a table or figure."""
        return "{label}" in self.shown.title

    def of(self, rows: pl.DataFrame, label: str = "") -> Iterator[T]:
        """Yield the tables or figures of some rows."""
        if self.where is not None:
            rows = rows.filter(pl.col("statistic") == self.where if isinstance(self.where, str) else self.where)
        parts = rows.partition_by(self.each, maintain_order=True) if self.each else [rows]
        return (self._of(shown, label) for shown in parts if shown.height)

    def _of(self, rows: pl.DataFrame, label: str) -> T:
        words = rows.row(0, named=True) | {"label": label}
        rows = rows.unique(self.unique, keep="first", maintain_order=True) if self.unique else rows
        if self.pivot is not None:
            on, index, values = self.pivot
            rows = rows.pivot(on, index=index, values=values, maintain_order=True)
        first = (
            rows.group_by(self.per, maintain_order=True).head(self.top)
            if self.per
            else rows.head(self.top or rows.height)
        )
        hidden = 0 if self.per else rows.height - first.height
        parts = [_worded(self.shown.caption or "", words), f"{hidden:,} {self.rest}" if hidden else ""]
        return replace(
            self.shown,
            title=_worded(self.shown.title, words),
            name=_worded(self.shown.name, words),
            frame=with_values(first.select(self.columns) if self.columns else first, *self.optional),
            caption="; ".join(filter(None, parts)) or None,
        )


def with_values(rows: pl.DataFrame, *optional: str) -> pl.DataFrame:
    """Leave out the `optional` columns without a value."""
    return rows.drop(name for name in optional if name in rows.columns and rows[name].null_count() == rows.height)


def completed(rows: pl.DataFrame, schema: Mapping[str, type[pl.DataType]]) -> pl.DataFrame:
    """Return rows with every column of a schema, null if they lack it."""
    return rows.select(
        (pl.col(name) if name in rows.columns else pl.lit(None)).cast(kind).alias(name) for name, kind in schema.items()
    )


def _worded(text: str, words: Mapping[str, object]) -> str:
    """Fill in the names in braces that are known."""
    return re.sub(r"\{(\w+)\}", lambda name: str(words.get(name[1], name[0])), text)


def filled(views: Iterable[View[T]], rows: pl.DataFrame, label: str = "") -> Iterator[T]:
    """Yield what views show of some rows."""
    return (shown for view in views for shown in view.of(rows, label))


def arranged(views: Sequence[View[T]], selections: Sequence[Selection], frame: pl.DataFrame) -> tuple[T, ...]:
    """Return what shows all datasets together, then what shows each dataset, one dataset after another."""
    together = filled([view for view in views if not view.of_each], labeled(selections, frame))
    return (*together, *_of_each(views, selections, frame))


def _of_each(views: Sequence[View[T]], selections: Sequence[Selection], frame: pl.DataFrame) -> Iterator[T]:
    """Yield what shows each dataset; the names of figures of several datasets end in their number."""
    for number, selection in enumerate(selections, 1):
        own = selection.rows_of(frame)
        for shown in filled([view for view in views if view.of_each], own, selection.label):
            is_numbered = isinstance(shown, Figure) and len(selections) > 1
            yield replace(shown, name=f"{shown.name}-{number}") if is_numbered else shown


def labeled(selections: Sequence[Selection], frame: pl.DataFrame) -> pl.DataFrame:
    """Return the rows of selections with their labels in column `dataset`."""
    return pl.concat(selection.rows_of(frame).with_columns(dataset=pl.lit(selection.label)) for selection in selections)
