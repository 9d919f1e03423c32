"""Counts against the first reference, the first two, … of each candidate, from one counting.

References are in the order in which a seed draws them, and each has a *step*: the number of references at which it
joins the others. Counts then stand in lists of one of two kinds. *By number*: the k-th entry is counted against the
first k references. *By reference*: one entry for each reference, in the order of their slots, and the steps say which
of them are the first k.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from polars import selectors as cs

from auditor.metrics.counting import CountSpec, Kernel

#: The steps of each candidate's references, in the order of their slots.
ORDER = CountSpec("reference_order")

#: Counts against the first k references, in the columns that a metric's scorer reads.
Against = Callable[[int], pl.DataFrame]


@dataclass(frozen=True)
class ByReferenceCount:
    """How a metric is counted against growing numbers of references at once: the SELECT and the kernel for it.

    `by_reference` says that its lists are, and not by number; `best`, that besides the score is the highest over the
    references, whatever the settings, so that pairs are scored once.
    """

    relation: str
    kernel: Kernel | None = None
    by_reference: bool = False
    best: bool = False


def first_references(counts: pl.DataFrame, order: pl.DataFrame, *, by_reference: bool) -> Against:
    """Give what takes, out of lists, the counts against the first k references.

    `order` are the counts of `ORDER` for the same candidates, each of which has as many references.
    """
    columns = counts.select(cs.list()).columns
    if not by_reference or counts.is_empty():
        return lambda k: counts.with_columns(pl.col(columns).list.get(k - 1) if not by_reference else pl.col(columns))
    steps = order["steps"].explode().to_numpy()
    values = {name: counts[name].explode() for name in columns}

    def first(k: int) -> pl.DataFrame:
        joined = pl.Series(np.flatnonzero(steps <= k))
        return counts.with_columns(
            column.gather(joined).reshape((counts.height, k)).arr.to_list().alias(name)
            for name, column in values.items()
        )

    return first


def best_so_far(
    counts: pl.DataFrame, order: pl.DataFrame, score: Callable[[pl.DataFrame], pl.Series]
) -> Callable[[int], pl.Series]:
    """Score each pair of counts by reference once; give what takes the highest score with the first k."""
    if counts.is_empty():
        return lambda _: score(counts)
    columns = counts.select(cs.list()).columns
    pairs = counts.explode(columns).with_columns(pl.concat_list(name).alias(name) for name in columns)
    scores = by_candidate(score(pairs).to_numpy(), counts.height)
    steps = by_candidate(order["steps"].explode().to_numpy().astype(np.int64), counts.height)
    highest = np.maximum.accumulate(in_steps(scores, steps), axis=1)
    return lambda k: pl.Series(highest[:, k - 1])


def steps_of(rows: Mapping[str, pl.DataFrame], candidates: int) -> NDArray[np.int64]:
    """Arrange the rows of relation `reference_step` by candidate and reference, in the order of slots."""
    return by_candidate(rows["reference_step"]["step"].to_numpy().astype(np.int64), candidates)


def by_candidate(pairs: NDArray[Any], candidates: int) -> NDArray[Any]:
    """Arrange a value for each pair by candidate and reference: all candidates have as many references."""
    return pairs.reshape(candidates, len(pairs) // max(candidates, 1))


def in_steps(values: NDArray[Any], steps: NDArray[np.int64]) -> NDArray[Any]:
    """Bring each candidate's values from the order of slots to that of steps."""
    return np.take_along_axis(values, np.argsort(steps, axis=1), axis=1)


def as_lists(name: str, values: NDArray[Any]) -> pl.Series:
    """Make a list of each row."""
    flat = pl.Series(name, np.ascontiguousarray(values).reshape(-1))
    if not len(flat):
        return pl.Series(name, [], dtype=pl.List(flat.dtype))
    return flat.reshape(values.shape).arr.to_list()
