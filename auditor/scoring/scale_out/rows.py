"""The scores of finished work as one file, written bucket by bucket to save memory."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import polars as pl

from auditor.errors import UsageError
from auditor.files.rows import AS_THEY_COME, write_batches
from auditor.scoring.candidates import HUMAN
from auditor.scoring.scale_out.plan import Plan
from auditor.scoring.scale_out.work import SCORES, Work


def check_rows(path: Path) -> None:
    """Raise `UsageError` for a file format that cannot be written row by row, before anything is counted."""
    if path.suffix not in AS_THEY_COME:
        raise UsageError(f"{path}: cannot write scores in this format; use a file name that ends with .parquet or .csv")
    if not path.parent.is_dir():
        raise UsageError(f"{path}: cannot be written: folder {path.parent} does not exist; create it, or use another")


def write(plan: Plan, work: Work, path: Path) -> int:
    """Write the scores: dataset, version, split, image, slot, candidate, metric, value. Return the number of rows.

    Rows are in order of buckets, and in each bucket in order of metrics. Raises `UsageError` for a file that cannot be
    written.
    """
    rows = 0

    def batches() -> Iterator[pl.DataFrame]:
        nonlocal rows
        for number in range(len(plan.buckets)):
            batch = _long(plan, work.scan(SCORES, number).collect())
            rows += batch.height
            yield batch

    write_batches(batches(), path)
    return rows


def _long(plan: Plan, scores: pl.DataFrame) -> pl.DataFrame:
    """Return a row for each caption and metric."""
    return scores.unpivot(plan.metrics, index=["split", "image", "slot"], variable_name="metric").select(
        pl.lit(plan.dataset).alias("dataset"),
        pl.lit(plan.version).alias("version"),
        "split",
        "image",
        "slot",
        pl.lit(HUMAN.name).alias("candidate"),
        "metric",
        "value",
    )
