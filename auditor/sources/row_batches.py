"""Rows in batches that fit into memory, however long their texts are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

BATCH = 50_000

_LONGEST_BATCH = 1 << 24


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
