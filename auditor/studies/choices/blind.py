"""Blind scorers: they choose a caption without the image.

Each scores every caption of an item. The highest score is chosen; equal scores are a tie. The name of a scorer is the
caption that it prefers: `shorter` prefers the caption with fewer characters.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np
import polars as pl
import scipy  # type: ignore[import-untyped]
from numpy.typing import NDArray

from auditor.store.workspace import Workspace
from auditor.studies.choices.rows import BLIND, CEILING, Scored, Settings, by_item

#: What a scorer uses; each has a kind of finding. `surface` combines several.
LENGTH, PUNCTUATION, MODEL, COPY, WORDS = "length", "punctuation", "language-model", "copies", "words"
ANSWERS, POSITION, QUESTION = "answers", "position", "question"

SURFACE, ORDER = "surface", "order"

#: Scorers that count what was right in the folds before, by the cue of `sql/choices/choice_gram.sql`.
_CUES = {
    "answer": ("answer-prior", ANSWERS), "position": ("position-prior", POSITION), "option": ("option-ngrams", WORDS),
    "question": ("question-ngrams", QUESTION),
}  # fmt: skip

#: Scorers that learn from items.
LEARNING = ("learnt", *(name for name, _ in _CUES.values()))

#: First the caption without a final full stop; if both or neither have one, the shorter.
STOP_THEN_SHORTER = "no-full-stop-then-shorter"

#: More than the characters of any text, so that the first rule outweighs length.
_LONGEST = 1e9

#: Least share of items for which a cue occurred before.
_TELLING = 0.1

_PENALTY = 1.0

#: Most steps of Newton's method, and the largest slope at the minimum.
_STEPS, _FLAT = 50, 1e-4

#: More digits depend on the machine; captions with equal rounded scores are equal to the model.
_DECIMALS = 6

_SCHEMA = pl.Schema({"item_no": pl.UInt32(), "side": pl.String(), "score": pl.Float64()})

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Battery:
    """The settings of the blind scorers.

    `order` is the order of the smoothed model. `unseen` is the probability of an unseen bigram in the other model.
    `folds` is the number of parts of the images; scorers that learn from items are tested on all but the first.
    """

    order: int
    unseen: float
    folds: int
    seed: int


def scorers(workspace: Workspace, items: pl.DataFrame, battery: Battery, *, trained_on: str | None) -> Iterator[Scored]:
    """Yield the scores of every item by every blind scorer; `trained_on` names the captions of the language models."""
    seen = workspace.rows("choice_surface")
    offered = items.select(pl.min_horizontal("right_id", "wrong_id"), most=pl.max_horizontal("right_id", "wrong_id"))
    # If all items have the same two options, as yes and no, their form shows only which of them it is.
    is_closed = items["options"].max() == 2 and items.height > 1 and offered.n_unique() == 1
    for scored in _surface(seen, items, trained_on):
        yield replace(scored, by=ANSWERS) if is_closed else scored
    if trained_on is not None:
        yield from _models(workspace, items, battery, trained_on)
    settings = {"folds": battery.folds, "seed": battery.seed}
    cues = workspace.rows("choice_cue")
    for cue, (name, by) in _CUES.items():
        own = cues.filter(cue=cue)
        is_telling = own.filter(pl.col("score") != 0)["item_no"].n_unique() >= _TELLING * items.height
        if own.height and is_telling and not (is_closed and cue == "option"):
            yield Scored(name, BLIND, by, by_item(own, items), settings)
    yield Scored("learnt", BLIND, WORDS, _learnt(workspace, items), settings)
    if not is_closed:
        yield Scored("bag-of-words", CEILING, ORDER, _same_words(seen, items))


def _surface(seen: pl.DataFrame, items: pl.DataFrame, trained_on: str | None) -> Iterator[Scored]:
    """Yield scorers that use the surface: length, final full stop, alphabet, copies."""
    length, words, stop, precedes, copied = (
        pl.col(name).cast(pl.Float64) for name in ("length", "words", "stop", "precedes", "copied")
    )
    rules: Mapping[str, tuple[str, pl.Expr]] = {
        "shorter": (LENGTH, -length),
        "longer": (LENGTH, length),
        "fewer-words": (LENGTH, -words),
        "no-full-stop": (PUNCTUATION, -stop),
        STOP_THEN_SHORTER: (SURFACE, -stop * _LONGEST - length),
        "first-in-the-alphabet": (SURFACE, precedes),
    }
    if trained_on is not None:
        rules = {**rules, "training-caption": (COPY, copied)}
    for name, (by, score) in rules.items():
        signed = {"train": trained_on} if by == COPY and trained_on is not None else {}
        yield Scored(name, BLIND, by, by_item(seen.select("item_no", "side", score=score), items), signed)


def _same_words(seen: pl.DataFrame, items: pl.DataFrame) -> pl.DataFrame:
    """Score like the best scorer without word order: a right caption ties only if a wrong one has the same words."""
    same, is_right = pl.col("same_words").cast(pl.Float64), pl.col("side").str.starts_with("right")
    any_same = same.filter(is_right).max().over("item_no")
    score = pl.when(is_right).then(1 + any_same - same).otherwise(same)
    return by_item(seen.select("item_no", "side", score=score), items)


def _models(workspace: Workspace, items: pl.DataFrame, battery: Battery, trained_on: str) -> Iterator[Scored]:
    """Yield scorers that prefer the more probable caption of a language model, in total or as a mean over tokens.

    Without smoothing, an unseen bigram makes a caption impossible, unless `unseen` is set. Two impossible captions tie.
    `-harmonic` and `-geometric` are means of the probabilities of the tokens, `-a-token` is the mean of a smoothed
    model's bits.
    """
    workspace.params |= {"order": 2, "trained_no": 0, "trained_captions": 0, "modified": False}
    workspace.bind("train_test_half", "model_side")
    plain = _unsmoothed(workspace.rows("caption_chance"), battery.unseen)
    workspace.params["order"] = battery.order
    predicted = pl.col("predicted").cast(pl.Float64)
    smooth = workspace.rows("caption_bits").select(
        "caption_id", **{"kneser-ney": -pl.col("bits"), "kneser-ney-a-token": -pl.col("bits") / predicted}
    )
    signed: list[tuple[pl.DataFrame, Settings]] = [
        (plain, {"train": trained_on, "n": 2, "unseen": battery.unseen}),
        (smooth, {"train": trained_on, "n": battery.order}),
    ]
    for frame, settings in signed:
        for name in frame.columns[1:]:
            scores = _of_items(workspace, items, frame.select("caption_id", score=name))
            yield Scored(name, BLIND, MODEL, scores, settings)


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


def _learnt(workspace: Workspace, items: pl.DataFrame) -> pl.DataFrame:
    """Return the scores of the linear model; two captions with the same words and pairs of words tie."""
    captions = workspace.rows("choice_caption").select("item_no", "side")
    features = workspace.rows("choice_feature")
    tied = captions.join(features, on=["item_no", "side"], how="anti").with_columns(score=pl.lit(0.0))
    return by_item(pl.concat([learnt(features), tied]), items)


def _of_items(workspace: Workspace, items: pl.DataFrame, scores: pl.DataFrame) -> pl.DataFrame:
    """Return the score of each caption by item."""
    return by_item(workspace.rows("choice_caption").join(scores, on="caption_id", how="left"), items)


def learnt(features: pl.DataFrame) -> pl.DataFrame:
    """Return the scores of captions by the model of the folds before theirs: columns item_no, side, score.

    The model is linear in words and pairs of words: logistic regression on what the right caption has more often than
    the wrong one (Bradley & Terry 1952: no intercept, since sides have no order), with a squared penalty. Each fold of
    images is scored by a model trained on the folds before it (Dawid 1984). With training on all other folds, two items
    that share a rare word would be right or wrong together, and random benchmarks would too often seem learnable.

    `features` are the rows of `sql/choices/choice_feature.sql`, in their order: a right caption minus a wrong one of
    its item. The side that is not named has score 0. Captions with the same words and pairs of words are not included.
    Those of the first fold have no scores.
    """
    pairs = features.select("item_no", "side", "fold").unique(maintain_order=True)
    if pairs.is_empty():
        return pl.DataFrame(schema=_SCHEMA)
    rows = features.select(pl.struct("item_no", "side").rle_id()).to_series().to_numpy().astype(np.int64)
    columns = features["feature"].to_numpy().astype(np.int64) - 1
    folds = pairs["fold"].to_numpy()
    shape = (pairs.height, int(columns.max()) + 1)
    matrix = scipy.sparse.csr_matrix(
        (features["difference"].to_numpy().astype(np.float64), (rows, columns)), shape=shape
    )
    scores, weights = np.full(pairs.height, np.nan), np.zeros(shape[1])
    for fold in np.unique(folds)[1:]:
        weights = _weights(matrix[folds < fold], weights)
        scores[folds == fold] = matrix[folds == fold] @ weights
    right = pl.Series(scores).fill_nan(None).round(_DECIMALS)
    sign = pl.when(pl.col("side").str.starts_with("wrong")).then(-1).otherwise(1)
    return pairs.select("item_no", "side", score=sign * right).cast(_SCHEMA)


def _weights(differences: scipy.sparse.csr_matrix, weights: Floats) -> Floats:
    """Return the weights of the least penalized logistic loss, by Newton's method from the given ones."""

    def loss_of(tried: Floats) -> float:
        return float(np.logaddexp(0.0, -(differences @ tried)).sum() + _PENALTY / 2 * (tried * tried).sum())

    for _ in range(_STEPS):
        chances = scipy.special.expit(-(differences @ weights))
        slope = _PENALTY * weights - differences.T @ chances
        if np.abs(slope).max() < _FLAT:
            break
        step, loss = _newton_step(differences, chances * (1 - chances), slope), loss_of(weights)
        while loss_of(weights + step) > loss and np.abs(step).max() > _FLAT:
            step /= 2
        weights = weights + step
    return weights


def _newton_step(differences: scipy.sparse.csr_matrix, curves: Floats, slope: Floats) -> Floats:
    """Solve for the step to the minimum of the quadratic form, by conjugate gradients on scaled weights.

    Sums, not products of vectors: their digits do not depend on the threads of a library.
    """
    scale = 1 / (differences.power(2).T @ curves + _PENALTY)
    step, rest = np.zeros_like(slope), -slope
    way = scale * rest
    size = float((rest * way).sum())
    least = size * min(0.25, size**0.5)
    while size > least:
        ahead = differences.T @ (curves * (differences @ way)) + _PENALTY * way
        share = size / float((way * ahead).sum())
        step, rest = step + share * way, rest - share * ahead
        before, size = size, float((scale * rest * rest).sum())
        way = scale * rest + size / before * way
    return step
