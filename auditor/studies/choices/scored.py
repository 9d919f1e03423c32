"""What a scorer says of forced-choice items, and whether it is right."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import polars as pl

#: What a scorer sees: nothing of the image; not even the order of words, but all the rest; captions of the image; it.
BLIND, CEILING, METRIC, PEOPLE, SYSTEM = "blind", "ceiling", "metric", "people", "system"

SCHEMA = pl.Schema({"item_no": pl.UInt32(), "right": pl.Float64(), "wrong": pl.Float64()})


#: What a signature says beside the scorer.
Settings = Mapping[str, str | int | float | bool]


@dataclass(frozen=True)
class Scored:
    """One scorer: its name, of which kind it is, what it goes by, and its scores of the items.

    `scores` has a row for each item: item_no, right, wrong; null where it has none. `settings` are what its signature
    says beside tokenizer and ties; a metric has a whole `signature` of its own.
    """

    name: str
    kind: str
    by: str
    scores: pl.DataFrame
    settings: Settings = field(default_factory=dict)
    signature: str | None = None


def marks(items: pl.DataFrame, scored: Sequence[Scored]) -> pl.DataFrame:
    """Mark every item by every scorer: 1 where the right caption scores higher, 0 where the wrong one does, .5 a tie.

    Gives columns item_no, part, image (a number), and one for each scorer by its name; null where it has no score.
    """
    marked = items.select("item_no", "part", pl.col("image").rank("dense").cast(pl.Int64))
    for one in scored:
        right, wrong = pl.col("right"), pl.col("wrong")
        mark = pl.when(right == wrong).then(0.5).when(right > wrong).then(1.0).when(right < wrong).then(0.0)
        marked = marked.join(
            one.scores.select("item_no", mark.alias(one.name)), on="item_no", how="left", maintain_order="left"
        )
    return marked
