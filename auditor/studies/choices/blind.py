"""Scorers that never see the image: what a choice can be made by without it.

Each gives every item two numbers, for the right caption and for the wrong one; the higher is chosen, equal ones are a
tie. What a scorer is called says what it likes: `shorter` the text of fewer characters.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import polars as pl

from auditor.store.workspace import Workspace
from auditor.studies.choices.learner import learnt
from auditor.studies.choices.scored import BLIND, CEILING, SCHEMA, Scored, Settings

#: What a scorer goes by, which findings are told of; `surface` is several of these in turn.
LENGTH, PUNCTUATION, MODEL, COPY, WORDS = "length", "punctuation", "language-model", "copies", "words"

SURFACE, ORDER = "surface", "order"

#: First the one without a final full stop; of two with it, or without, the shorter.
STOP_THEN_SHORTER = "no-full-stop-then-shorter"

#: Texts have fewer characters than this, so that a rule that comes first outweighs them.
_LONGEST = 1e9


@dataclass(frozen=True)
class Battery:
    """What the blind scorers are told.

    `order` is that of the smoothed model, `unseen` the probability that the other one gives to a pair of neighbours
    that it never saw, `folds` the parts of the images, on all of which but the first the learner is asked.
    """

    order: int
    unseen: float
    folds: int
    seed: int


def scorers(
    at_work: Workspace, items: pl.DataFrame, texts: pl.DataFrame, battery: Battery, *, trained_on: str | None
) -> Iterator[Scored]:
    """Give the scores of every item by every blind scorer.

    `texts` are the rows of `sql/choices/choice_text.sql`, `trained_on` names the captions of the language models.
    """
    seen = at_work.rows("choice_surface").join(texts, on="item_no", maintain_order="left")
    yield from _surface(seen, trained_on)
    if trained_on is not None:
        yield from _models(at_work, items, battery, trained_on)
    yield Scored("learnt", BLIND, WORDS, _learnt(at_work, items), {"folds": battery.folds, "seed": battery.seed})
    bags = seen.select("item_no", right=pl.lit(1.0), wrong=pl.col("same_words").cast(pl.Float64))
    yield Scored("bag-of-words", CEILING, ORDER, bags.cast(SCHEMA))


def _surface(rows: pl.DataFrame, trained_on: str | None) -> Iterator[Scored]:
    """Choose by what is seen without reading."""

    def side(column: str) -> tuple[pl.Expr, pl.Expr]:
        return pl.col(f"right_{column}").cast(pl.Float64), pl.col(f"wrong_{column}").cast(pl.Float64)

    lengths, stops = side("length"), side("stop")
    spelled = pl.when(pl.col("right_text") < pl.col("wrong_text"))
    rules: Mapping[str, tuple[str, tuple[pl.Expr, ...]]] = {
        "shorter": (LENGTH, tuple(-one for one in lengths)),
        "longer": (LENGTH, lengths),
        "fewer-words": (LENGTH, tuple(-one for one in side("words"))),
        "no-full-stop": (PUNCTUATION, tuple(-one for one in stops)),
        STOP_THEN_SHORTER: (
            SURFACE,
            tuple(-stop * _LONGEST - length for stop, length in zip(stops, lengths, strict=True)),
        ),
        "first-in-the-alphabet": (SURFACE, (spelled.then(1.0).otherwise(0.0), spelled.then(0.0).otherwise(1.0))),
    }
    if trained_on is not None:
        rules = {**rules, "training-caption": (COPY, side("copied"))}
    for name, (by, (right, wrong)) in rules.items():
        signed = {"train": trained_on} if by == COPY and trained_on is not None else {}
        yield Scored(name, BLIND, by, rows.select("item_no", right=right, wrong=wrong).cast(SCHEMA), signed)


def _models(at_work: Workspace, items: pl.DataFrame, battery: Battery, trained_on: str) -> Iterator[Scored]:
    """Choose the caption that is likelier to a language model, as a whole or by a mean over its tokens.

    Without smoothing a pair of neighbours that was never seen makes a caption impossible, unless it is given a
    probability: two such captions tie. `-harmonic` and `-geometric` are means of the probabilities of the tokens,
    `-a-token` is the mean of a smoothed model's bits.
    """
    at_work.params |= {"order": 2, "trained_no": 0, "trained_captions": 0, "modified": False}
    at_work.bind("halved", "model_side")
    plain = _unsmoothed(at_work.rows("caption_chance"), battery.unseen)
    at_work.params["order"] = battery.order
    predicted = pl.col("predicted").cast(pl.Float64)
    smooth = at_work.rows("caption_bits").select(
        "caption_id", **{"kneser-ney": -pl.col("bits"), "kneser-ney-a-token": -pl.col("bits") / predicted}
    )
    signed: list[tuple[pl.DataFrame, Settings]] = [
        (plain, {"train": trained_on, "n": 2, "unseen": battery.unseen}),
        (smooth, {"train": trained_on, "n": battery.order}),
    ]
    for frame, told in signed:
        for name in frame.columns[1:]:
            yield Scored(name, BLIND, MODEL, _of_items(items, frame.select("caption_id", score=name)), told)


def _unsmoothed(chances: pl.DataFrame, unseen: float) -> pl.DataFrame:
    """Score captions by the rows of `sql/choices/caption_chance.sql`."""
    never, predicted = pl.col("unseen"), pl.col("predicted").cast(pl.Float64)
    if unseen:
        bits = pl.col("bits") - never * math.log2(unseen)
        inverse = pl.col("inverse") + never / unseen
        chance, harmonic, geometric = -bits, predicted / inverse, -bits / predicted
    else:
        possible, impossible = pl.when(never == 0), -math.inf
        chance = possible.then(-pl.col("bits")).otherwise(impossible)
        harmonic = possible.then(predicted / pl.col("inverse")).otherwise(0.0)
        geometric = possible.then(-pl.col("bits") / predicted).otherwise(impossible)
    return chances.select(
        "caption_id", **{"bigram": chance, "bigram-harmonic": harmonic, "bigram-geometric": geometric}
    )


def _learnt(at_work: Workspace, items: pl.DataFrame) -> pl.DataFrame:
    """Choose what the learner likes; items whose captions have the same words and pairs of words tie."""
    features = at_work.rows("choice_feature")
    same = items.select("item_no").join(features, on="item_no", how="anti")
    tied = same.select("item_no", right=pl.lit(0.0), wrong=pl.lit(0.0)).cast(SCHEMA)
    return items.select("item_no").join(pl.concat([learnt(features), tied]), on="item_no", how="left")


def _of_items(items: pl.DataFrame, scores: pl.DataFrame) -> pl.DataFrame:
    """Put the score of each caption to its items."""
    right, wrong = (scores.rename({"caption_id": f"{side}_id", "score": side}) for side in ("right", "wrong"))
    return (
        items.select("item_no", "right_id", "wrong_id")
        .join(right, on="right_id", how="left", maintain_order="left")
        .join(wrong, on="wrong_id", how="left", maintain_order="left")
        .select("item_no", "right", "wrong")
        .cast(SCHEMA)
    )
