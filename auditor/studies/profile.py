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
    """Describe each selection: size, length, vocabulary and repetition, the records its ingest refused, signs of dirt.

    The statistics are those of `sql/statistics/profile.sql` and `hygiene.sql`.
    """
    tokenizer(text_profile)
    selections = versions.resolve_all(store, refs, split)
    described = [_describe(store, selection, text_profile) for selection in selections]
    sizes, hygiene = (_side_by_side(selections, parts) for parts in zip(*described, strict=True))
    is_mean = pl.col("statistic").is_in(_MEANS)
    return Result(
        "profile",
        pl.concat(
            _rows(selection, part) for selection, parts in zip(selections, described, strict=True) for part in parts
        ),
        selections=selections,
        tables=(
            Table("size, vocabulary, repetition", _whole(sizes.filter(~is_mean))),
            Table(f"lengths in tokens of text profile {text_profile}", sizes.filter(is_mean)),
            Table("hygiene", _whole(hygiene)),
        ),
    )


def _describe(store: Store, selection: Selection, text_profile: str) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Give size and hygiene of one selection. Columns: statistic, value."""
    version = selection.version
    logged = versions.log_rows(store, version.dataset).filter(pl.col("seq") == version.seq)
    refused = logged.select(statistic=pl.lit("rejected"), value=pl.col("rejected").cast(pl.Float64))
    workspace = ngrams.workspace(store, selection, text_profile)
    return pl.concat([workspace.rows("profile"), refused]), workspace.rows("hygiene")


def _rows(selection: Selection, described: pl.DataFrame) -> pl.DataFrame:
    return described.select(
        pl.lit(selection.version.dataset).alias("dataset"),
        pl.lit(selection.version.version).alias("version"),
        "statistic",
        "value",
        pl.lit(selection.split, pl.String).alias("split"),
    )


def _side_by_side(selections: Sequence[Selection], parts: Sequence[pl.DataFrame]) -> pl.DataFrame:
    return parts[0].select(
        "statistic", *(part["value"].alias(one.label) for one, part in zip(selections, parts, strict=True))
    )


def _whole(counts: pl.DataFrame) -> pl.DataFrame:
    return counts.cast({cs.numeric(): pl.Int64})
