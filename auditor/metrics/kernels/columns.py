"""Columns of token lists as the flat arrays that kernels walk."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray


class Texts(NamedTuple):
    """Texts one after another: text i is `tokens[starts[i]:starts[i + 1]]`."""

    tokens: NDArray[np.uint32]
    starts: NDArray[np.int64]


class Sides(NamedTuple):
    """Candidates and the references of their images.

    The references of candidate i are `first[i]` to `last[i] - 1`, without `held[i]` (-1: none is left out).
    """

    candidates: Texts
    references: Texts
    first: NDArray[np.int64]
    last: NDArray[np.int64]
    held: NDArray[np.int64]


class Meetings(NamedTuple):
    """The pairs of a candidate and a reference of its image, by their places in `Sides`."""

    candidate: NDArray[np.int64]
    reference: NDArray[np.int64]


def offsets(lengths: NDArray[np.integer]) -> NDArray[np.int64]:
    """Return where each of several ranges begins that stand one after another, and where the last one ends."""
    return np.concatenate((np.zeros(1, np.int64), np.cumsum(lengths, dtype=np.int64)))


def flat(column: pl.Series) -> NDArray[Any]:
    """Return a column as an array that may be written to: a kernel is compiled once more for one that may not."""
    return np.require(column.to_numpy(), requirements=["C", "W"])


def texts(column: pl.Series) -> Texts:
    """Lay a column of token lists out flat."""
    tokens = column.filter(column.list.len() > 0).explode().cast(pl.UInt32)
    return Texts(flat(tokens), offsets(column.list.len().to_numpy()))


def beside(candidates: pl.DataFrame, references: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Bring candidates (image_no, held_out, …) to the references (image_no, slot, …) of their images.

    Gives the candidates that have a reference, with `first`, `last` and `held` as in `Sides`, and the references sorted
    by image and slot, which these are places of.
    """
    references = references.sort("image_no", "slot").with_row_index("at")
    images, numbers = references["image_no"].to_numpy(), candidates["image_no"].to_numpy()
    held = candidates.join(
        references.select("image_no", "at", held_out="slot"),
        on=["image_no", "held_out"],
        how="left",
        maintain_order="left",
    )["at"]
    placed = candidates.with_columns(
        first=pl.Series(np.searchsorted(images, numbers, "left"), dtype=pl.Int64),
        last=pl.Series(np.searchsorted(images, numbers, "right"), dtype=pl.Int64),
        held=held.cast(pl.Int64).fill_null(-1),
    ).filter(pl.col("last") - pl.col("first") > (pl.col("held") >= 0))
    return placed, references


def sides(candidates: pl.DataFrame, references: pl.DataFrame) -> tuple[pl.DataFrame, Sides]:
    """Bring candidates (image_no, held_out, tokens, …) and references (image_no, slot, tokens) together.

    Gives the candidates that have a reference, and the arrays of both sides; references are sorted by image and slot.
    """
    placed, references = beside(candidates, references)
    first, last, held = (flat(placed[name]) for name in ("first", "last", "held"))
    both = Sides(texts(placed["tokens"]), texts(references["tokens"]), first, last, held)
    return placed.drop("first", "last", "held", "tokens", "image_no", "held_out"), both


def meetings(both: Sides) -> Meetings:
    """Name every candidate and reference that meet: candidates in order, the held-out ones left out."""
    counts = both.last - both.first
    candidate = np.repeat(np.arange(len(counts)), counts)
    offset = np.arange(len(candidate)) - np.repeat(np.cumsum(counts) - counts, counts)
    reference = both.first[candidate] + offset
    kept = reference != both.held[candidate]
    return Meetings(candidate[kept], reference[kept])
