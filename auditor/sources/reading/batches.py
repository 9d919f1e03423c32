"""Group rows into batches that fit into memory, even if their texts are long."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import polars as pl

BATCH = 50_000

_LONGEST_BATCH = 1 << 24

_SMALL_BATCH = 1 << 22


def batches(rows: Iterable[tuple[Any, ...]], measured: int) -> Iterator[list[tuple[Any, ...]]]:
    """Group rows, fewer if they are long; `measured` is the index of the text that determines the length."""
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
    """Join small consecutive frames of the same columns: thousands of files may hold a few rows each."""
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
