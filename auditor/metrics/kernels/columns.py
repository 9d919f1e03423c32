"""Columns of token lists as the flat arrays that kernels walk, several parts of the work at once."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any, NamedTuple, TypeVar

import polars as pl

from auditor.arrays import NDArray, np


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


class Ids(NamedTuple):
    """The texts of candidates and references, by the number of their caption."""

    candidates: NDArray[np.int64]
    references: NDArray[np.int64]

    def paired(self, met: Meetings) -> NDArray[np.int64]:
        """Return both texts of each pair as one number."""
        return (self.candidates[met.candidate] << 32) | self.references[met.reference]


class Meetings(NamedTuple):
    """The pairs of a candidate and a reference of its image, by their positions in `Sides`."""

    candidate: NDArray[np.int64]
    reference: NDArray[np.int64]


def offsets(lengths: NDArray[np.integer]) -> NDArray[np.int64]:
    """Return the starts of consecutive ranges, and the end of the last one."""
    return np.concatenate((np.zeros(1, np.int64), np.cumsum(lengths, dtype=np.int64)))


def flat(column: pl.Series) -> NDArray[Any]:
    """Return a column as a writable array: a kernel would be compiled again for a read-only one."""
    return np.require(column.to_numpy(), requirements=["C", "W"])


def texts(column: pl.Series) -> Texts:
    """Flatten a column of token lists."""
    tokens = column.filter(column.list.len() > 0).explode().cast(pl.UInt32)
    return Texts(flat(tokens), offsets(column.list.len().to_numpy()))


def beside(candidates: pl.DataFrame, references: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Join candidates (image_no, held_out, …) with the references (image_no, slot, …) of their images.

    Returns the candidates that have a reference, with `first`, `last` and `held` as in `Sides`, which are positions in
    the references, and the references sorted by image and slot.
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


def sides(candidates: pl.DataFrame, references: pl.DataFrame) -> tuple[pl.DataFrame, Sides, Ids]:
    """Join candidates (image_no, held_out, caption_id, tokens, …) with references (image_no, slot, caption_id, tokens).

    Returns the candidates that have a reference, and the arrays and ids of both sides. References are sorted by image
    and slot.
    """
    placed, references = beside(candidates, references)
    first, last, held = (flat(placed[name]) for name in ("first", "last", "held"))
    both = Sides(texts(placed["tokens"]), texts(references["tokens"]), first, last, held)
    ids = Ids(*(side["caption_id"].cast(pl.Int64).to_numpy() for side in (placed, references)))
    return placed.drop("first", "last", "held", "tokens", "image_no", "held_out", "caption_id"), both, ids


def meetings(both: Sides) -> Meetings:
    """List all pairs of candidates and references: candidates in order, without held-out captions."""
    counts = both.last - both.first
    candidate = np.repeat(np.arange(len(counts)), counts)
    offset = np.arange(len(candidate)) - np.repeat(np.cumsum(counts) - counts, counts)
    reference = both.first[candidate] + offset
    kept = reference != both.held[candidate]
    return Meetings(candidate[kept], reference[kept])


#: As many as the machine has cores, and two that take turns on one.
_THREADS = max(2, os.cpu_count() or 1)

_Result = TypeVar("_Result")


def in_parts(size: int, run: Callable[[int, int], _Result], parts: int | None = None) -> list[_Result]:
    """Run on the positions `first` to `last` - 1 of each part, and return the results in order.

    There are as many parts as threads, or `parts` if that is more. Parts are empty only without positions.
    """
    parts = max(1, min(max(parts or 0, _THREADS), size))
    edges = [size * part // parts for part in range(parts + 1)]
    with ThreadPoolExecutor(_THREADS) as pool:
        return list(pool.map(lambda edge: run(*edge), pairwise(edges)))
