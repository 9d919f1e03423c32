"""The statistics of syntax: parts of speech, the composition of phrases, the complexity of sentences.

Each is the ratio of two totals over images. `cards/syntax.toml` defines them.
"""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from auditor.statistics.cards import Statistic, cards_of
from auditor.statistics.summary import ratio

_CARDS = cards_of("syntax")

#: The ratios of two counts, in the order in which results show them.
STATISTICS = tuple(card for card in _CARDS.values() if card.whole)

#: The phrases counted by types, by the names of statistics.
TYPES: Mapping[str, Statistic] = {card.name: card for card in _CARDS.values() if card.part and not card.whole}


def needs_heads(card: Statistic) -> bool:
    """Return whether a statistic needs the heads of words, which some pipelines lack."""
    return card.needs.endswith("parses")


def definitions() -> pl.DataFrame:
    """Return the counts of each statistic's ratio. Columns: class, side (part or whole), counted."""
    rows = [
        (statistic.name, side, counted)
        for statistic in STATISTICS
        for side, counted in (("part", statistic.part), ("whole", statistic.whole))
    ]
    return pl.DataFrame(rows, schema=["class", "side", "counted"], orient="row")


def measured(totals: pl.DataFrame, *, parsed: bool) -> pl.DataFrame:
    """Compute values from totals (rows of `sql/syntax/syntax_total.sql`), with intervals over images.

    Columns: statistic, value, low, high, count (its part), n (its whole), images, in the order of `STATISTICS`. Without
    a parser, the statistics that need one have no value.
    """
    scale = {statistic.name: statistic.scale for statistic in STATISTICS}
    known = pl.DataFrame(
        {
            "class": [statistic.name for statistic in STATISTICS],
            "known": [parsed or not needs_heads(statistic) for statistic in STATISTICS],
        }
    )
    shares = {statistic.name for statistic in STATISTICS if statistic.ends[1] == 1}
    values = ratio(totals, shares).join(totals.select("class", count="part"), on="class")
    scaled = known.join(values, on="class", how="left", maintain_order="left").with_columns(
        pl.col("value", "low", "high") * pl.col("class").replace_strict(scale, return_dtype=pl.Float64)
    )
    shown = ("value", "low", "high", "count", "n", "images")
    return scaled.select(
        pl.col("class").alias("statistic"), *(pl.when("known").then(pl.col(name)).alias(name) for name in shown)
    )
