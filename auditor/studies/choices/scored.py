"""What a scorer says of forced-choice items, and whether it is right."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import polars as pl

from auditor.statistics.forced_choice import CHANCE

#: What a scorer sees: nothing of the image; not even the order of words, but all the rest; captions of the image; it.
BLIND, CEILING, METRIC, PEOPLE, SYSTEM = "blind", "ceiling", "metric", "people", "system"

#: The captions of an item; an item with one right caption has no second.
SIDES = ("right", "right2", "wrong")

SCHEMA = pl.Schema({"item_no": pl.UInt32(), **dict.fromkeys(SIDES, pl.Float64())})

#: What each outcome is worth. One right caption: it scores higher, ties, or scores lower. Two of them: the wrong one
#: beats none, one or both (1, 2, 3), beats none or one and ties with one (4, 5), or ties with both (6). A tie is worth
#: what a guess among the captions that tie would bring.
_WORTH = {"+": 1.0, "0": 1 / 2, "-": 0.0, "1": 1.0, "2": 0.0, "3": 0.0, "4": 1 / 2, "5": 0.0, "6": 1 / 3}

#: Columns of outcomes and marks that are no scorers.
_KNOWN = 4

#: What a signature says beside the scorer.
Settings = Mapping[str, str | int | float | bool]


@dataclass(frozen=True)
class Scored:
    """One scorer: its name, of which kind it is, what it goes by, and its scores of the items.

    `scores` has a row for each item: item_no, right, right2, wrong; null where it has none. `settings` are what its
    signature says beside tokenizer and ties; a metric has a whole `signature` of its own.
    """

    name: str
    kind: str
    by: str
    scores: pl.DataFrame
    settings: Settings = field(default_factory=dict)
    signature: str | None = None


def by_item(scores: pl.DataFrame, items: pl.DataFrame) -> pl.DataFrame:
    """Bring scores of captions (item_no, side, score) to their items, in the order of the items."""
    known = items.select("item_no")
    for side in SIDES:
        own = scores.filter(side=side).select("item_no", pl.col("score").alias(side))
        known = known.join(own, on="item_no", how="left", maintain_order="left")
    return known.cast(SCHEMA)


def outcomes(items: pl.DataFrame, scored: Sequence[Scored]) -> pl.DataFrame:
    """Write how every item ends by every scorer, as a key of `_WORTH`.

    Columns: item_no, part, image (a number), expected (the share that chance gets right), and one for each scorer by
    its name; null where a caption of the item has no score.
    """
    has_two = pl.col("right2_id").is_not_null()
    told = items.select(
        "item_no", "part", pl.col("image").rank("dense").cast(pl.Int64),
        expected=pl.when(has_two).then(1 / 3).otherwise(CHANCE),
    )  # fmt: skip
    right, second, wrong = (pl.col(side) for side in SIDES)
    beaten = (right < wrong).cast(pl.Int8) + (second < wrong)
    ties = (right == wrong).cast(pl.Int8) + (second == wrong)
    of_two = (beaten + pl.when(ties == 0).then(1).otherwise(2 * ties + 2)).cast(pl.String)
    of_one = (
        pl.when(right == wrong).then(pl.lit("0"))
        .when(right > wrong).then(pl.lit("+"))
        .when(right < wrong).then(pl.lit("-"))
    )  # fmt: skip
    for scorer in scored:
        known = items.join(scorer.scores, on="item_no", how="left", maintain_order="left")
        ends = known.select(pl.when(has_two).then(of_two).otherwise(of_one).alias(scorer.name))
        told = told.with_columns(ends.to_series())
    return told


def marks(ends: pl.DataFrame) -> pl.DataFrame:
    """Mark outcomes: 1 where all right captions beat the wrong one, 0 where one is beaten, between them a tie."""
    names = ends.columns[_KNOWN:]
    return ends.with_columns(pl.col(names).replace_strict(_WORTH, return_dtype=pl.Float64)) if names else ends


def chance_in_words(rows: pl.DataFrame) -> str:
    """State what chance gets right, and what a tie is worth, by column expected."""
    shares = {*rows["expected"].drop_nulls()}
    if shares <= {CHANCE}:
        return "chance is .5, a tie is half right"
    share = "1/3" if shares == {1 / 3} else ".5 for one right caption and 1/3 for two"
    return f"chance is {share}: both right captions must score higher than the wrong one; a tie counts as a guess"


def chance_of(marked: pl.DataFrame) -> float:
    """Compute the share of some items that chance gets right: .5, or 1/3 where each has two right captions."""
    expected = marked["expected"]
    return float(expected[0]) if expected.n_unique() == 1 else float(expected.mean())  # type: ignore[arg-type]
