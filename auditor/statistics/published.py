"""Published summaries of known datasets: numbers with versions and signatures, without captions.

`benchmarks/published.py` measures them, and writes `docs/homogeneity.md` from them.
"""

from __future__ import annotations

from importlib.resources import files

import polars as pl

from auditor.statistics.sameness import SAMENESS

FILE = "published.json"


def rows(*, marks: bool = False) -> pl.DataFrame:
    """Return the numbers, or those of reference marks, with dataset, version, kind, metric, statistic, signature."""
    known = pl.read_json(files("auditor.statistics").joinpath(FILE).read_bytes(), infer_schema_length=None)
    return (known.filter("mark") if marks else known).drop("mark")


def usual() -> str:
    """Write the sameness of the reference marks by kind, as a sentence."""
    marks = rows(marks=True).filter(statistic=SAMENESS).with_columns(pl.col("value").round(2).cast(pl.String))
    kinds = marks.group_by("kind", maintain_order=True).agg(pl.format("{} {}", "dataset", "value").str.join(", "))
    return f"Known sets have, for {'; '.join(': '.join(row) for row in kinds.rows())}. Longer captions have more."
