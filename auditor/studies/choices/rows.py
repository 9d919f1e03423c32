"""Scores of forced-choice items, how often each scorer is right, by part, and where it stands; a blind-fair subset.

No blind scorer of the battery differs significantly from chance on the subset. In each part, the one farthest from
chance is balanced: equally many items are kept that it gets right and wrong. Then the next that still differs is
balanced together with the first: items that both get right against items that both get wrong, and so on (Hsieh et al.
2023, section 3.2, for any number of scorers). A scorer that differs from chance only in all parts together is balanced
in each part. With several options, the right one has each rank in equally many items; of two right captions, the wrong
one has. So chance is right.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from auditor.model import Selection
from auditor.statistics.forced_choice import CHANCE, Difference, against_best, difference, share
from auditor.store.captions import stamp
from auditor.store.workspace import Workspace

#: Kinds of scorers: without the image; ceiling for scorers without word order; captions of the image; the image.
BLIND, CEILING, METRIC, PEOPLE, SYSTEM = "blind", "ceiling", "metric", "people", "system"

#: Scorers that learn from items.
LEARNING = ("learnt", "answer-prior", "position-prior", "option-ngrams", "question-ngrams")

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
    facts = items.select("item_no", "options", has_two=pl.col("right2_id").is_not_null())
    placed = scores.join(facts, on="item_no").with_columns(is_above=is_above, is_tied=score == own)
    complete = placed.filter((score.count() == pl.col("options").first()).over("item_no"))
    known = complete.group_by("item_no").agg(
        *(score.filter(side=side).first().alias(side) for side in SIDES[:2]),
        wrong=score.filter(~is_right).max(),
        low=pl.col("is_above").sum() + 1,
        tied=pl.col("is_tied").cast(pl.Int64).sum() - 1,
    )
    return items.select("item_no").join(known, on="item_no", how="left", maintain_order="left").cast(RANKED)


def of_sides(scores: pl.DataFrame, items: pl.DataFrame) -> pl.DataFrame:
    """Return scores with a column for each side as `by_item` does; that of several wrong captions is the highest."""
    has_two = pl.col("right2_id").is_not_null()
    long = scores.unpivot(SIDES, index="item_no", variable_name="side", value_name="score").drop_nulls("score")
    known = long.join(items.select("item_no", has_two=has_two), on="item_no")
    known = known.filter((pl.col("side") != "right2") | pl.col("has_two"))
    return by_item(known.drop("has_two"), items.with_columns(options=2 + has_two.cast(pl.UInt8)))


def ranks(items: pl.DataFrame, scored: Sequence[Scored]) -> pl.DataFrame:
    """Return the rank of the right caption of every item by every scorer, as structs of low and tied.

    Columns: item_no, part, image (a number), expected (the share that chance gets right), and one with the name of each
    scorer; null if a caption of the item has no score.
    """
    number, chance = pl.col("image").rank("dense").cast(pl.Int64), 1 / pl.col("options")
    found = items.select("item_no", "part", number, expected=chance)
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


def rivals_in_words(row: Mapping[str, Any]) -> str:
    """Return what a blind scorer is compared with: chance, and the best constant answer if that gets more."""
    chance = f"{row['expected']:.0%} expected by chance"
    is_more = row["majority"] is not None and row["majority"] > row["expected"] + _MORE
    return f"{chance}; the best constant answer gets {row['majority']:.1%}" if is_more else chance


def items_in_words(row: Mapping[str, Any]) -> str:
    """Return how many items a scorer has scored, and why not the others."""
    if not row["missing"]:
        return f"the {row['n']:,} items"
    why = "only train it" if row["scorer"] in LEARNING else "have no score by it"
    return f"{row['n']:,} of {row['n'] + row['missing']:,} items (the others {why})"


def chance_of(marked: pl.DataFrame) -> float:
    """Compute the share of items that chance gets right: .5, or 1/3 if each has two right captions."""
    expected = marked["expected"]
    return float(expected[0]) if expected.n_unique() == 1 else float(expected.mean())  # type: ignore[arg-type]


#: What stands for a part: all of them together, and the items that no blind scorer decides.
ALL, FAIR = "all", "blind-fair"

#: Where a scorer stands against something: by its interval, or a paired test.
ABOVE, BESIDE, BELOW = "above", "no different", "below"

#: What a constant answer must get more than chance to be named: the last printed digit.
_MORE = 5e-4

_SCHEMA = {
    "part": pl.String, "scorer": pl.String, "kind": pl.String, "by": pl.String, "n": pl.Int64, "right": pl.Int64,
    "wrong": pl.Int64, "ties": pl.Int64, "missing": pl.Int64, "accuracy": pl.Float64, "low": pl.Float64,
    "high": pl.Float64, "p": pl.Float64, "expected": pl.Float64, "majority": pl.Float64, "chance": pl.String,
    "best_blind": pl.String,
    "gap": pl.Float64, "gap_p": pl.Float64, "blind": pl.String, "people_gap": pl.Float64, "people_p": pl.Float64,
    "people": pl.String,
}  # fmt: skip


def rows(
    selection: Selection,
    marked: pl.DataFrame,
    kept: pl.DataFrame,
    sides: pl.DataFrame,
    scored: Sequence[Scored],
    signatures: Mapping[str, str],
    confidence: float,
    seed: int,
) -> pl.DataFrame:
    """Return a row for each part and scorer; `seed` resamples the images for the test against the best blind scorer.

    `marked` are marks, `kept` those of the blind-fair subset, `sides` the rows of `sql/choices/choice_caption.sql`.
    """
    rows: list[dict[str, object]] = []
    parts = {part: in_part(marked, part) for part in parts_of(marked)}
    blind = [scorer.name for scorer in scored if scorer.kind == BLIND]
    for part, own in [*parts.items(), *([(FAIR, kept)] if kept.height else [])]:
        shares = [_row(own, scorer, confidence) for scorer in scored]
        known = [row for row in shares if row["kind"] == BLIND and row.get("accuracy") is not None]
        best = str(max(known, key=lambda row: row["accuracy"])["scorer"]) if known else None
        majority = _majority(own, sides)
        key = (seed, *selection.content, part)
        against = _against_best(own, [scorer.name for scorer in scored if scorer.name != best], blind, key)
        for row in shares:
            rows.append({"part": part, **row, "majority": majority, "best_blind": best})
            rows[-1] |= _compared(own, row, best, "gap", "gap_p", "blind", confidence)
            if (test := against.get(str(row["scorer"]))) is not None:
                rows[-1] |= {"gap_p": test.p, "blind": _relation(test.value, test.p, confidence)}
            if PEOPLE in own.columns:
                rows[-1] |= _compared(own, row, PEOPLE, "people_gap", "people_p", "people", confidence)
    frame = pl.DataFrame(rows, schema=_SCHEMA)
    signed = pl.col("scorer").replace_strict(dict(signatures), return_dtype=pl.String).alias("signature")
    return stamp(selection, frame.with_columns(signed))


def of_all_items(rows: pl.DataFrame) -> pl.DataFrame:
    """Return the rows of all items together, or of the only part."""
    return rows.filter(part=ALL) if ALL in rows["part"] else rows.filter(pl.col("part") != FAIR)


def parts_of(marked: pl.DataFrame) -> list[str]:
    """List the parts, then `ALL` if there are several."""
    parts = [part for part in marked["part"].unique(maintain_order=True) if part is not None]
    return [*parts, ALL] if len(parts) != 1 or marked["part"].null_count() else parts


def in_part(marked: pl.DataFrame, part: str) -> pl.DataFrame:
    """Return the items of a part."""
    return marked if part == ALL else marked.filter(part=part)


def _row(own: pl.DataFrame, scored: Scored, confidence: float) -> dict[str, Any]:
    known = own.select("image", "expected", mark=scored.name).drop_nulls("mark")
    right, wrong = (int((known["mark"] == mark).sum()) for mark in (1.0, 0.0))
    row: dict[str, object] = {
        "scorer": scored.name, "kind": scored.kind, "by": scored.by, "n": known.height, "right": right,
        "wrong": wrong, "ties": known.height - right - wrong, "missing": own.height - known.height,
    }  # fmt: skip
    if known.is_empty():
        return row
    chance = chance_of(known)
    estimate = share(known["mark"].to_numpy(), known["image"].to_numpy(), confidence, chance)
    row |= {"accuracy": estimate.value, "low": estimate.low, "high": estimate.high, "p": estimate.p}
    return row | {"expected": chance, "chance": _relation(estimate.value - chance, estimate.p, confidence)}


def _majority(own: pl.DataFrame, sides: pl.DataFrame) -> float:
    """Return the accuracy of the best constant answer, a text or a position; it is known only afterwards."""
    known = sides.join(own.select("item_no", "expected"), on="item_no")
    best = 0.0
    for constant in ("caption_id", "place"):
        lead = known.group_by(constant).agg(lead=(pl.col("side") == "right").sum() - pl.col("expected").sum())
        best = max(best, *lead.drop_nulls(constant)["lead"], 0.0)
    return float(own["expected"].mean()) + best / own.height  # type: ignore[arg-type]


def _compared(
    own: pl.DataFrame, row: Mapping[str, object], rival: str | None, gap: str, p: str, relation: str, confidence: float
) -> dict[str, object]:
    """Compare a scorer with another on the items that both have scored."""
    name = str(row["scorer"])
    if rival is None or rival == name:
        return {}
    known = own.select(mark=name, rival=rival, image="image").drop_nulls()
    if known.is_empty():
        return {}
    test = difference(*(column.to_numpy() for column in known.get_columns()))
    return {gap: test.value, p: test.p, relation: _relation(test.value, test.p, confidence)}


def _against_best(
    own: pl.DataFrame, names: Sequence[str], blind: Sequence[str], key: Sequence[object]
) -> dict[str, Difference | None]:
    """Test scorers against the best other blind scorer."""
    if own.is_empty() or len(blind) < 2:
        return {}
    marks = own.select(pl.exclude("item_no", "part", "image")).cast(pl.Float64)
    rivals = {name: marks.select(rival for rival in blind if rival != name) for name in names}
    scorers = [(marks[name].to_numpy(), others.to_numpy()) for name, others in rivals.items()]
    return dict(zip(names, against_best(scorers, own["image"].to_numpy(), key), strict=True))


def _relation(apart: float, p: float | None, confidence: float) -> str | None:
    """Return how a scorer compares, by the p of the difference; null without a p."""
    return None if p is None else BESIDE if p >= round(1 - confidence, 12) else ABOVE if apart > 0 else BELOW


_LEVEL = 0.05

_RANK = pl.Struct({"low": pl.UInt8, "tied": pl.UInt8})


@dataclass(frozen=True)
class FairSubset:
    """The items of the subset (column item_no), and the scorers that balance each part, in order."""

    items: pl.DataFrame
    balanced_by: Mapping[str | None, tuple[str, ...]]


def fair_subset(workspace: Workspace, found: pl.DataFrame, names: Sequence[str]) -> FairSubset:
    """Find the subset. `found` are the ranks of `scored.ranks`, `names` the blind scorers among its columns."""
    marked = marks(found)
    chosen: dict[str | None, tuple[str, ...]] = dict.fromkeys(marked["part"].unique(maintain_order=True), ())
    while True:
        workspace.bind_rows("choice_rank", _chosen(found, chosen))
        kept = workspace.rows("fair_choice")
        left = marked.join(kept, on="item_no", how="semi", maintain_order="left")
        further = {}
        for part, taken in chosen.items():
            name = _farthest(left.filter(pl.col("part").eq_missing(part)), names)
            if name is not None and name not in taken:
                further[part] = (*taken, name)
        if not further and (name := _farthest(left, names)) is not None:
            # Not significant in any part, but in all parts together.
            further = {part: (*taken, name) for part, taken in chosen.items() if name not in taken}
        if not further:
            return FairSubset(kept, chosen)
        chosen |= further


def _chosen(found: pl.DataFrame, chosen: Mapping[str | None, Sequence[str]]) -> pl.DataFrame:
    """Return the ranks of each item by the chosen scorers. A missing score counts as a tie of all."""
    frames = []
    for part, names in chosen.items():
        own = found.filter(pl.col("part").eq_missing(part))
        tie = pl.struct(low=pl.lit(1, pl.UInt8), tied=(1 / pl.col("expected")).round().cast(pl.UInt8) - 1)
        ranks = pl.concat_list(pl.coalesce(name, tie) for name in names) if names else pl.lit([], pl.List(_RANK))
        frames.append(own.select("item_no", ranks=ranks))
    return pl.concat(frames)


def _farthest(marked: pl.DataFrame, names: Sequence[str]) -> str | None:
    """Return the scorer farthest from chance, if any differs significantly from it (Bonferroni correction)."""
    confidence = 1 - _LEVEL / len(names)
    beyond = {}
    for name in names:
        known = marked.select("image", "expected", mark=name).drop_nulls("mark")
        if known.height:
            chance = chance_of(known)
            estimate = share(known["mark"].to_numpy(), known["image"].to_numpy(), confidence, chance)
            if estimate.p is not None and estimate.p < 1 - confidence:
                beyond[name] = abs(estimate.value - chance)
    return max(beyond, key=lambda name: beyond[name], default=None)
