"""Scores of forced-choice items, and whether they are right."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import polars as pl

from auditor.statistics.forced_choice import CHANCE

#: Kinds of scorers: without the image; ceiling for scorers without word order; captions of the image; the image.
BLIND, CEILING, METRIC, PEOPLE, SYSTEM = "blind", "ceiling", "metric", "people", "system"

#: The captions of an item; an item with one right caption has no second.
SIDES = ("right", "right2", "wrong")

SCHEMA = pl.Schema({"item_no": pl.UInt32(), **dict.fromkeys(SIDES, pl.Float64())})

#: The value of each outcome. One right caption: it scores higher, ties, or scores lower. Two of them: the wrong one
#: beats none, one or both (1, 2, 3), beats none or one and ties with one (4, 5), or ties with both (6). A tie is worth
#: the expected value of a guess among the tied captions.
_WORTH = {"+": 1.0, "0": 1 / 2, "-": 0.0, "1": 1.0, "2": 0.0, "3": 0.0, "4": 1 / 2, "5": 0.0, "6": 1 / 3}

#: Number of columns of outcomes and marks before those of scorers.
_KNOWN = 4

#: The settings of a scorer in its signature.
Settings = Mapping[str, str | int | float | bool]


@dataclass(frozen=True)
class Scored:
    """A scorer: its name, its kind, what it uses (`by`), and its scores of the items.

    `scores` has a row for each item: item_no, right, right2, wrong; null for a missing score. `settings` are in its
    signature in addition to tokenizer and ties; a metric has a separate `signature`.
    """

    name: str
    kind: str
    by: str
    scores: pl.DataFrame
    settings: Settings = field(default_factory=dict)
    signature: str | None = None


def by_item(scores: pl.DataFrame, items: pl.DataFrame) -> pl.DataFrame:
    """Return scores of captions (item_no, side, score) as columns by item, in the order of the items."""
    known = items.select("item_no")
    for side in SIDES:
        own = scores.filter(side=side).select("item_no", pl.col("score").alias(side))
        known = known.join(own, on="item_no", how="left", maintain_order="left")
    return known.cast(SCHEMA)


def outcomes(items: pl.DataFrame, scored: Sequence[Scored]) -> pl.DataFrame:
    """Return the outcome of every item by every scorer, as a key of `_WORTH`.

    Columns: item_no, part, image (a number), expected (the share that chance gets right), and one with the name of each
    scorer; null if a caption of the item has no score.
    """
    has_two = pl.col("right2_id").is_not_null()
    ends = items.select(
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
        outcome = known.select(pl.when(has_two).then(of_two).otherwise(of_one).alias(scorer.name))
        ends = ends.with_columns(outcome.to_series())
    return ends


def marks(ends: pl.DataFrame) -> pl.DataFrame:
    """Mark outcomes: 1 if all right captions beat the wrong one, 0 if one is beaten, between 0 and 1 for a tie."""
    names = ends.columns[_KNOWN:]
    return ends.with_columns(pl.col(names).replace_strict(_WORTH, return_dtype=pl.Float64)) if names else ends


def chance_in_words(rows: pl.DataFrame) -> str:
    """Return what chance gets right, and how a tie counts, by column expected."""
    shares = {*rows["expected"].drop_nulls()}
    if shares <= {CHANCE}:
        return "chance is .5, a tie counts half"
    share = "1/3" if shares == {1 / 3} else ".5 for one right caption and 1/3 for two"
    return f"chance is {share}: both right captions must score higher than the wrong one; a tie counts as a guess"


def chance_of(marked: pl.DataFrame) -> float:
    """Compute the share of items that chance gets right: .5, or 1/3 if each has two right captions."""
    expected = marked["expected"]
    return float(expected[0]) if expected.n_unique() == 1 else float(expected.mean())  # type: ignore[arg-type]
