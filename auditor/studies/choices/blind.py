"""Scorers that never see the image: what a choice can be made by without it.

Each gives every item two numbers, for the right caption and for the wrong one; the higher is chosen, equal ones are a
tie. What a scorer is called says what it likes: `shorter` the text of fewer characters.
"""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from auditor.store.workspace import Workspace

#: What a scorer is of, by which findings take them together.
LENGTH, PUNCTUATION, MODEL, COPY, ORDER, LEARNT = "length", "punctuation", "model", "copy", "order", "learnt"

SCHEMA = {"item_no": pl.UInt32, "right": pl.Float64, "wrong": pl.Float64}

#: Characters are fewer than this, so that a rule that comes first outweighs them.
_LONGEST = 1e9


def surface(rows: pl.DataFrame) -> Iterator[tuple[str, str, pl.DataFrame]]:
    """Give name, what it is of, and scores of each rule on what is seen without reading.

    `rows` are those of `sql/choices/choice_surface.sql`.
    """

    def side(expression: str) -> tuple[pl.Expr, pl.Expr]:
        return pl.col(f"right_{expression}"), pl.col(f"wrong_{expression}")

    characters = tuple(text.str.len_chars().cast(pl.Float64) for text in side("text"))
    stops = tuple(stop.cast(pl.Float64) for stop in side("stop"))
    spelled = pl.when(pl.col("right_text") < pl.col("wrong_text"))
    rules = {
        "shorter": (LENGTH, [-one for one in characters]),
        "longer": (LENGTH, list(characters)),
        "fewer-words": (LENGTH, [-one.cast(pl.Float64) for one in side("words")]),
        "no-full-stop": (PUNCTUATION, [-one for one in stops]),
        "no-full-stop-then-shorter": (
            PUNCTUATION,
            [-stop * _LONGEST - length for stop, length in zip(stops, characters, strict=True)],
        ),
        "first-in-the-alphabet": (ORDER, [spelled.then(1.0).otherwise(0.0), spelled.then(0.0).otherwise(1.0)]),
        "training-caption": (COPY, [one.cast(pl.Float64) for one in side("copied")]),
        "bag-of-words": (ORDER, [pl.lit(1.0), pl.col("same_words").cast(pl.Float64)]),
    }
    for name, (of, (right, wrong)) in rules.items():
        yield name, of, rows.select("item_no", right=right, wrong=wrong).cast(SCHEMA)


def models(at_work: Workspace, items: pl.DataFrame, order: int) -> Iterator[tuple[str, str, pl.DataFrame]]:
    """Give the scores of language models: bigrams without smoothing, and n-grams of `order` with it.

    The unsmoothed model gives a caption with a pair of neighbours that it has never seen probability 0: two such
    captions tie. `-harmonic` is the harmonic mean of the probabilities of the tokens, `-geometric` the geometric one;
    `-a-token` is the mean of a smoothed model's bits.
    """
    at_work.params |= {"order": 2, "trained_no": 0, "trained_captions": 0}
    at_work.bind("halved", "model_side")
    chance = at_work.rows("caption_chance")
    known = pl.col("unseen") == 0
    predicted = pl.col("predicted").cast(pl.Float64)
    never = float("-inf")
    scored = chance.select(
        "caption_id",
        pl.when(known).then(-pl.col("bits")).otherwise(never).alias("bigram"),
        pl.when(known).then(predicted / pl.col("inverse")).otherwise(0.0).alias("bigram-harmonic"),
        pl.when(known).then(-pl.col("bits") / predicted).otherwise(never).alias("bigram-geometric"),
    )
    at_work.params["order"] = order
    bits = at_work.rows("caption_bits")
    smooth = bits.select(
        "caption_id",
        (-pl.col("bits")).alias("kneser-ney"),
        (-pl.col("bits") / pl.col("predicted")).alias("kneser-ney-a-token"),
    )
    for frame in (scored, smooth):
        for name in frame.columns[1:]:
            yield name, MODEL, _of_items(items, frame.select("caption_id", score=name))


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
