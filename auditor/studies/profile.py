"""How large is a dataset, how long are its captions, how many words has it, what repeats?"""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl
import polars.selectors as cs

from auditor.model import Result, Selection, Table
from auditor.store import ngrams, versions
from auditor.store.connection import Store
from auditor.text import tokenizer

_MEANS = ("captions-per-image-mean", "asl", "sdsl")


def profile(store: Store, refs: Sequence[str], text_profile: str = "bare", split: str | None = None) -> Result:
    """Describe each selection by the statistics of `sql/statistics/profile.sql` and the records its ingest refused."""
    tokenizer(text_profile)
    selections = versions.resolve_all(store, refs, split)
    parts = [_profile(store, selection, text_profile) for selection in selections]
    side_by_side = (
        parts[0]
        .select("statistic")
        .with_columns(part["value"].alias(selection.label) for part, selection in zip(parts, selections, strict=True))
    )
    is_mean = pl.col("statistic").is_in(_MEANS)
    return Result(
        "profile",
        pl.concat(parts),
        selections=selections,
        tables=(
            Table("size, vocabulary, repetition", side_by_side.filter(~is_mean).cast({cs.numeric(): pl.Int64})),
            Table(f"lengths in tokens of text profile {text_profile}", side_by_side.filter(is_mean)),
        ),
    )


def _profile(store: Store, selection: Selection, text_profile: str) -> pl.DataFrame:
    version = selection.version
    logged = versions.log_rows(store, version.dataset).filter(pl.col("seq") == version.seq)
    refused = logged.select(statistic=pl.lit("rejected"), value=pl.col("rejected").cast(pl.Float64))
    rows = pl.concat([ngrams.workspace(store, selection, text_profile).rows("profile"), refused])
    return rows.select(
        pl.lit(version.dataset).alias("dataset"),
        pl.lit(version.version).alias("version"),
        "statistic",
        "value",
        pl.lit(selection.split, pl.String).alias("split"),
    )
