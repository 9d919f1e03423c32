"""What `compare` found, parted: each dataset by itself, and the tests of pairs."""

from __future__ import annotations

from dataclasses import replace

import polars as pl

from auditor.result import Result

#: Columns that the rows of pairs alone have.
_OF_PAIRS = (
    "against", "test", "value_against", "difference", "p", "p_adjusted", "delta", "images_against",
    "against_version", "against_split",
)  # fmt: skip


def parted(result: Result) -> tuple[Result, Result]:
    """Return the rows, tables and findings of datasets, then the rows and tables of pairs."""
    of_pairs = pl.col("against").is_not_null()
    alone = result.frame.filter(~of_pairs).drop(_OF_PAIRS)
    if alone["images"].is_null().all():
        alone = alone.drop("images")
    both = result.frame.filter(of_pairs)
    datasets, pairs = (
        tuple(one for one in result.tables if (one.name == "differences") is tested) for tested in (False, True)
    )
    return (
        replace(result, frame=alone, tables=datasets),
        replace(result, frame=both, tables=pairs, figures=(), findings=()),
    )
