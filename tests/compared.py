"""What `compare` found, parted: each dataset by itself, and the tests of pairs; without what carries homogeneity."""

from __future__ import annotations

from dataclasses import replace

import polars as pl

from auditor.result import Result
from auditor.statistics.cards import cards_of

#: Columns that the rows of pairs alone have.
_OF_PAIRS = (
    "against", "test", "value_against", "difference", "p", "p_adjusted", "delta", "images_against",
    "against_version", "against_split",
)  # fmt: skip


#: The statistics, tables and figures of what carries homogeneity.
_CARRIES = [name for name in cards_of("compare") if "phrase" in name or name.startswith("homogeneity-")]
_CARRIED = ("carried", "phrases")


def parted(result: Result) -> tuple[Result, Result]:
    """Return the rows, tables and findings of datasets, then the rows and tables of pairs."""
    of_pairs = pl.col("against").is_not_null()
    alone = result.frame.filter(~of_pairs, ~pl.col("statistic").is_in(_CARRIES)).drop(_OF_PAIRS, "phrase", strict=False)
    if alone["images"].is_null().all():
        alone = alone.drop("images")
    both = result.frame.filter(of_pairs)
    datasets, pairs = (
        tuple(one for one in result.tables if (one.name == "differences") is tested and one.name not in _CARRIED)
        for tested in (False, True)
    )
    return (
        replace(
            result, frame=alone, tables=datasets,
            figures=tuple(figure for figure in result.figures if figure.name not in _CARRIED),
        ),
        replace(result, frame=both, tables=pairs, figures=(), findings=()),
    )  # fmt: skip
