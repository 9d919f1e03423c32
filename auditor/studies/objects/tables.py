"""Tables and sentences on objects that captions mention and images lack."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from auditor.result import Table
from auditor.statistics.paired_systems import Resampling
from auditor.studies.objects.rows import System

_SHOWN = 10


def overview(systems: Sequence[System], rows: pl.DataFrame, resampling: Resampling) -> Table:
    """Return the statistics of all systems."""
    of_captions = rows.filter(pl.col("object").is_null()).with_columns(
        dataset=pl.Series([system.label for system in systems for _ in _own(system, rows)["statistic"]])
    )
    order = pl.Enum(of_captions["statistic"].unique(maintain_order=True))
    compared = ["difference", "p"] if len(systems) > 1 else []
    return Table(
        "objects that captions mention and images lack",
        of_captions.sort(pl.col("statistic").cast(order), maintain_order=True).select(
            "statistic", "dataset", "n", "value", "low", "high", *compared
        ),
        sections="statistic",
        caption=resampling.caption(systems[0].label) if compared else None,
        name="chair",
    )


def hallucinated(system: System, rows: pl.DataFrame, mentions: pl.DataFrame) -> Table:
    """Return the objects that are mentioned wrongly most often, each with one of the captions."""
    examples = mentions.filter(~pl.col("is_present")).unique("object", keep="first", maintain_order=True)
    wrong = (
        system.counts.group_by("object")
        .agg(pl.col("mentions", "wrong_mentions").sum())
        .filter(pl.col("wrong_mentions") > 0)
        .sort("wrong_mentions", "object", descending=[True, False])
    )
    of_object = _own(system, rows, whole=False).filter(statistic="chair-i").rename({"value": "chair-i"})
    hidden = wrong.height - _SHOWN
    return Table(
        f"objects that {system.label} mentions wrongly",
        wrong.head(_SHOWN)
        .join(of_object.select("object", "chair-i", "low", "high"), on="object", how="left", maintain_order="left")
        .join(examples.select("object", "image", "slot", "text"), on="object", how="left", maintain_order="left"),
        caption=f"{hidden:,} more: -o FILE writes all objects, --mentions FILE all captions" if hidden > 0 else None,
        name=f"wrong/{system.label}",
    )


def lead(systems: Sequence[System], rows: pl.DataFrame) -> tuple[str, ...]:
    """Return how often each system mentions an object that the image lacks."""
    sentences = []
    for system in systems:
        values = {
            name: (n, value) for name, n, value in _own(system, rows).select("statistic", "n", "value").iter_rows()
        }
        captions, wrong = values["chair-s"]
        mentions, share = values["chair-i"]
        sentences.append(
            f"{system.label}: {wrong:.1%} of {captions:,} captions mention an object that the image lacks"
            + (
                f" ({share:.1%} of {mentions:,} mentions, {values['objects'][1]:.1f} objects per caption)."
                if mentions
                else "."
            )
        )
    return tuple(sentences)


def _own(system: System, rows: pl.DataFrame, *, whole: bool = True) -> pl.DataFrame:
    """Return the rows of a system: of all captions, or of each object."""
    return system.captions.selection.rows_of(rows).filter(pl.col("object").is_null() == whole)
