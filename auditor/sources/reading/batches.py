"""Rows in batches that fit into memory, however long their texts are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import polars as pl

BATCH = 50_000

_LONGEST_BATCH = 1 << 24

_SMALL_BATCH = 1 << 22


def batches(rows: Iterable[tuple[Any, ...]], measured: int) -> Iterator[list[tuple[Any, ...]]]:
    """Gather rows, few where they are long; `measured` is the place in a row of the text that says how long it is."""
    batch: list[tuple[Any, ...]] = []
    size = 0
    for row in rows:
        batch.append(row)
        size += len(row[measured] or "")
        if len(batch) >= BATCH or size > _LONGEST_BATCH:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def gathered(frames: Iterable[pl.DataFrame]) -> Iterator[pl.DataFrame]:
    """Join neighbors of the same columns while they are small: thousands of files hold a few rows each."""
    waiting: list[pl.DataFrame] = []
    rows = size = 0
    for frame in frames:
        if waiting and (rows >= BATCH or size > _SMALL_BATCH or frame.schema != waiting[0].schema):
            yield pl.concat(waiting)
            waiting, rows, size = [], 0, 0
        waiting.append(frame)
        rows, size = rows + frame.height, size + int(frame.estimated_size())
    if waiting:
        yield pl.concat(waiting)
