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

#: Scores by item, with the rank that they give the right caption.
RANKED = pl.Schema({**SCHEMA, "low": pl.UInt8(), "tied": pl.UInt8()})

#: Number of columns of ranks and marks before those of scorers.
_KNOWN = 4

#: The settings of a scorer in its signature.
Settings = Mapping[str, str | int | float | bool]


@dataclass(frozen=True)
class Scored:
    """A scorer: its name, its kind, what it uses (`by`), and its scores of the items.

    `scores` has a row for each item, with the columns of `RANKED`; null for a missing score. `settings` are in its
    signature in addition to tokenizer and ties; a metric has a separate `signature`.
    """

    name: str
    kind: str
    by: str
    scores: pl.DataFrame
    settings: Settings = field(default_factory=dict)
    signature: str | None = None


def by_item(scores: pl.DataFrame, items: pl.DataFrame) -> pl.DataFrame:
    """Return scores of captions (item_no, side, score) by item, in the order of the items: the columns of `RANKED`.

    `wrong` is the highest score of a wrong caption. `low` is the rank of the right caption, and `tied` the number of
    others with its score; of two right captions, the rank of the wrong one from below. Null if a caption has no score.
    """
    is_right, score = pl.col("side").str.starts_with("right"), pl.col("score")
    own = score.filter(is_right != pl.col("has_two")).first().over("item_no")
    is_above = pl.when("has_two").then(score < own).otherwise(score > own)
    known = (
        scores.join(items.select("item_no", "options", has_two=pl.col("right2_id").is_not_null()), on="item_no")
        .with_columns(is_above=is_above, is_tied=score == own)
        .group_by("item_no")
        .agg(
            *(score.filter(side=side).first().alias(side) for side in SIDES[:2]),
            wrong=score.filter(~is_right).max(),
            low=pl.col("is_above").sum() + 1,
            tied=pl.col("is_tied").cast(pl.Int64).sum() - 1,
            complete=score.count() == pl.col("options").first(),
        )
    )
    known = known.filter("complete").drop("complete")
    return items.select("item_no").join(known, on="item_no", how="left", maintain_order="left").cast(RANKED)


def of_sides(scores: pl.DataFrame, items: pl.DataFrame) -> pl.DataFrame:
    """Return scores with a column for each side as `by_item` does; that of several wrong captions is the highest."""
    has_two = pl.col("right2_id").is_not_null()
    long = scores.unpivot(SIDES, index="item_no", variable_name="side", value_name="score").drop_nulls("score")
    known = long.join(items.select("item_no", has_two=has_two), on="item_no").filter(
        (pl.col("side") != "right2") | pl.col("has_two")
    )
    return by_item(known.drop("has_two"), items.with_columns(options=2 + has_two.cast(pl.UInt8)))


def ranks(items: pl.DataFrame, scored: Sequence[Scored]) -> pl.DataFrame:
    """Return the rank of the right caption of every item by every scorer, as structs of low and tied.

    Columns: item_no, part, image (a number), expected (the share that chance gets right), and one with the name of each
    scorer; null if a caption of the item has no score.
    """
    found = items.select(
        "item_no", "part", pl.col("image").rank("dense").cast(pl.Int64), expected=1 / pl.col("options")
    )
    for scorer in scored:
        rank = pl.when(pl.col("low").is_not_null()).then(pl.struct("low", "tied")).alias(scorer.name)
        found = found.join(scorer.scores.select("item_no", rank), on="item_no", how="left", maintain_order="left")
    return found


def marks(found: pl.DataFrame) -> pl.DataFrame:
    """Mark ranks: 1 if all right captions beat the wrong ones, 0 if one is beaten; a tie counts as a guess."""
    low, tied = (pl.col(found.columns[_KNOWN:]).struct.field(name) for name in ("low", "tied"))
    return found.with_columns(pl.when(low == 1).then(1 / (1 + tied)).when(low > 1).then(0.0).name.keep())


def chance_in_words(rows: pl.DataFrame, *, has_two: bool) -> str:
    """Return what chance gets right, and how a tie counts, by column expected."""
    shares = {*rows["expected"].drop_nulls()}
    if shares <= {CHANCE}:
        return "chance is .5, a tie counts half"
    if not has_two:
        return "chance is 1 / options, a tie counts as a guess"
    share = "1/3" if shares == {1 / 3} else ".5 for one right caption and 1/3 for two"
    return f"chance is {share}: both right captions must score higher than the wrong one; a tie counts as a guess"


def chance_of(marked: pl.DataFrame) -> float:
    """Compute the share of items that chance gets right: .5, or 1/3 if each has two right captions."""
    expected = marked["expected"]
    return float(expected[0]) if expected.n_unique() == 1 else float(expected.mean())  # type: ignore[arg-type]
