"""Blind scorers: they choose a caption without the image. And findings: what solves a benchmark without images.

Each scores every caption of an item. The highest score is chosen; equal scores are a tie. The name of a scorer is the
caption that it prefers: `shorter` prefers the caption with fewer characters.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import polars as pl

from auditor.arrays import NDArray, np, scipy
from auditor.model import Selection
from auditor.result import Finding, Severity, about
from auditor.statistics.forced_choice import CHANCE
from auditor.store.workspace import Workspace
from auditor.studies.choices.rows import (
    ALL,
    BLIND,
    CEILING,
    FAIR,
    LEARNING,
    Scored,
    by_item,
    of_all_items,
    rivals_in_words,
)

#: What a scorer uses; each has a kind of finding. `surface` combines several.
LENGTH, PUNCTUATION, MODEL, COPY, WORDS = "length", "punctuation", "language-model", "copies", "words"
ANSWERS, POSITION, QUESTION = "answers", "position", "question"

SURFACE, ORDER = "surface", "order"

#: Scorers that count what was right in the folds before, by the cue of `sql/choices/choice_gram.sql`.
_CUES = {
    "answer": ("answer-prior", ANSWERS), "position": ("position-prior", POSITION), "option": ("option-ngrams", WORDS),
    "question": ("question-ngrams", QUESTION),
}  # fmt: skip

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

Floats = NDArray["np.float64"]


def scorers(
    workspace: Workspace, items: pl.DataFrame, order: int, unseen: float, *, trained_on: str | None
) -> Iterator[Scored]:
    """Yield the scores of every item by every blind scorer; `trained_on` names the captions of the language models.

    `order` is the order of the smoothed model. `unseen` is the probability of an unseen bigram in the other model.
    The workspace has the `folds` of the images; scorers that learn from items are tested on all but the first.
    """
    seen = workspace.rows("choice_surface")
    offered = items.select(pl.min_horizontal("right_id", "wrong_id"), most=pl.max_horizontal("right_id", "wrong_id"))
    # If all items have the same two options, as yes and no, their form shows only which of them it is.
    is_closed = items["options"].max() == 2 and items.height > 1 and offered.n_unique() == 1
    for scored in _surface(seen, items, trained_on):
        yield replace(scored, by=ANSWERS) if is_closed else scored
    if trained_on is not None:
        yield from _models(workspace, items, order, unseen, trained_on)
    settings = {name: workspace.params[name] for name in ("folds", "seed")}
    cues = workspace.rows("choice_cue")
    for cue, (name, by) in _CUES.items():
        own = cues.filter(cue=cue)
        is_telling = own.filter(pl.col("score") != 0)["item_no"].n_unique() >= _TELLING * items.height
        if own.height and is_telling and not (is_closed and cue == "option"):
            yield Scored(name, BLIND, by, by_item(own, items), settings)
    yield Scored("learnt", BLIND, WORDS, by_item(learnt(workspace), items), settings)
    if not is_closed:
        yield Scored("bag-of-words", CEILING, ORDER, _same_words(seen, items))


def _surface(seen: pl.DataFrame, items: pl.DataFrame, trained_on: str | None) -> Iterator[Scored]:
    """Yield scorers that use the surface: length, final full stop, alphabet, copies."""
    names = ("length", "words", "stop", "precedes", "copied")
    length, words, stop, precedes, copied = (pl.col(name).cast(pl.Float64) for name in names)
    rules = {
        "shorter": (LENGTH, -length),
        "longer": (LENGTH, length),
        "fewer-words": (LENGTH, -words),
        "no-full-stop": (PUNCTUATION, -stop),
        STOP_THEN_SHORTER: (SURFACE, -stop * _LONGEST - length),
        "first-in-the-alphabet": (SURFACE, precedes),
    }
    rules |= {} if trained_on is None else {"training-caption": (COPY, copied)}
    for name, (by, score) in rules.items():
        signed = {"train": trained_on} if by == COPY and trained_on is not None else {}
        yield Scored(name, BLIND, by, by_item(seen.select("item_no", "side", score=score), items), signed)


def _same_words(seen: pl.DataFrame, items: pl.DataFrame) -> pl.DataFrame:
    """Score like the best scorer without word order: a right caption ties only if a wrong one has the same words."""
    same, is_right = pl.col("same_words").cast(pl.Float64), pl.col("side").str.starts_with("right")
    any_same = same.filter(is_right).max().over("item_no")
    score = pl.when(is_right).then(1 + any_same - same).otherwise(same)
    return by_item(seen.select("item_no", "side", score=score), items)


def _models(workspace: Workspace, items: pl.DataFrame, order: int, unseen: float, trained_on: str) -> Iterator[Scored]:
    """Yield scorers that prefer the more probable caption of a language model, in total or as a mean over tokens.

    Without smoothing, an unseen bigram makes a caption impossible, unless `unseen` is set. Two impossible captions tie.
    `-harmonic` and `-geometric` are means of the probabilities of the tokens, `-a-token` is the mean of a smoothed
    model's bits.
    """
    workspace = workspace.given(trained_no=0, trained_captions=0, modified=False)
    workspace.bind("train_test_half", "model_side")
    plain = _unsmoothed(workspace.rows("caption_chance", order=2), unseen)
    predicted = pl.col("predicted").cast(pl.Float64)
    smoothed = {"kneser-ney": -pl.col("bits"), "kneser-ney-a-token": -pl.col("bits") / predicted}
    smooth = workspace.rows("caption_bits", order=order).select("caption_id", **smoothed)
    captions, trained = workspace.rows("choice_caption"), dict[str, str | float]({"train": trained_on})
    for frame, settings in ((plain, {**trained, "n": 2, "unseen": unseen}), (smooth, {**trained, "n": order})):
        for name in frame.columns[1:]:
            scores = captions.join(frame.select("caption_id", score=name), on="caption_id", how="left")
            yield Scored(name, BLIND, MODEL, by_item(scores, items), settings)


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
    means = {"bigram": chance, "bigram-harmonic": harmonic, "bigram-geometric": geometric}
    return chances.select("caption_id", **means)


def learnt(workspace: Workspace) -> pl.DataFrame:
    """Return the scores of captions by the model of the folds before theirs: columns item_no, side, score.

    The model is linear in words and pairs of words: logistic regression on what the right caption has more often than
    the wrong one (Bradley & Terry 1952: no intercept, since sides have no order), with a squared penalty. Each fold of
    images is scored by a model trained on the folds before it (Dawid 1984). With training on all other folds, two items
    that share a rare word would be right or wrong together, and random benchmarks would too often seem learnable.

    Features are a right caption minus a wrong one of its item; the side that is not named has score 0, so captions with
    the same words and pairs of words tie. Those of the first fold have no scores.
    """
    captions, features = workspace.rows("choice_caption").select("item_no", "side"), workspace.rows("choice_feature")
    tied = captions.join(features, on=["item_no", "side"], how="anti").with_columns(score=pl.lit(0.0))
    pairs = features.select("item_no", "side", "fold").unique(maintain_order=True)
    if pairs.is_empty():
        return tied
    rows = features.select(pl.struct("item_no", "side").rle_id()).to_series().to_numpy().astype(np.int64)
    columns = features["feature"].to_numpy().astype(np.int64) - 1
    folds = pairs["fold"].to_numpy()
    shape = (pairs.height, int(columns.max()) + 1)
    differences = features["difference"].to_numpy().astype(np.float64)
    matrix = scipy.sparse.csr_matrix((differences, (rows, columns)), shape=shape)
    scores, weights = np.full(pairs.height, np.nan), np.zeros(shape[1])
    for fold in np.unique(folds)[1:]:
        weights = _weights(matrix[folds < fold], weights)
        scores[folds == fold] = matrix[folds == fold] @ weights
    right = pl.Series(scores).fill_nan(None).round(_DECIMALS)
    sign = pl.when(pl.col("side").str.starts_with("wrong")).then(-1).otherwise(1)
    return pl.concat([pairs.select("item_no", "side", score=sign * right), tied])


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


#: What a scorer uses, in words; each has a kind of finding.
_USED = {
    LENGTH: "length alone, without the image, gets",
    PUNCTUATION: "the final full stop alone, without the image, gets",
    MODEL: "a language model alone, without the image, gets",
    COPY: "copies of training captions, without the image, get",
    WORDS: "words and word pairs alone, without the image, get",
    ANSWERS: "the frequency of answers alone, without the image, gets",
    POSITION: "the position of the right option alone, without the image, gets",
    QUESTION: "the question alone, without the image, gets",
}

#: Distances from chance for a notice, a warning and an error. With few items, chance often gets close to the first.
_NOTICE, _WARNING, _ERROR = 0.05, 0.1, 0.25

_LEVEL = 0.05

#: Share of items whose captions have the same words: a smaller share hardly lowers a score.
_CEILING = 0.01


def findings(selection: Selection, rows: pl.DataFrame, examples: pl.DataFrame) -> Iterator[Finding]:
    """Yield what solves the items of any part significantly better than chance, by rows of `rows.rows`.

    The significance level is divided by the number of parts and blind scorers (Bonferroni): one sound benchmark in
    twenty gets a finding. `examples` are the rows of `sql/choices/choice_text.sql`, with image and part.
    """
    tested = rows.filter(pl.col("kind") == BLIND, pl.col("part") != FAIR, pl.col("p").is_not_null())
    # A rule below chance is right in the opposite direction; a scorer that learns is not.
    away, learns = pl.col("accuracy") - pl.col("expected"), pl.col("scorer").is_in(LEARNING)
    beyond = tested.with_columns(away=pl.when(learns).then(away).otherwise(away.abs()).round(9))
    beyond = beyond.filter(pl.col("p") * tested.height < _LEVEL, pl.col("away") >= _NOTICE)
    for by, subject in _USED.items():
        # Of equals the first: of `shorter` and `longer` the one that is more often right.
        significant = beyond.filter(by=by).sort("away", "accuracy", descending=True, maintain_order=True)
        if significant.height:
            yield _decided(selection, rows, significant, by, subject)
    yield from _ceiling(selection, rows, examples)


def _decided(selection: Selection, rows: pl.DataFrame, significant: pl.DataFrame, by: str, subject: str) -> Finding:
    worst = significant.row(0, named=True)
    every = rows.filter(part=ALL)
    same = every.filter(scorer=worst["scorer"])
    overall, items = same["accuracy"].to_list(), same["n"].to_list()
    away = float(worst["away"])
    severity: Severity = "error" if away >= _ERROR else "warning" if away >= _WARNING else "notice"
    chance = rivals_in_words(worst)
    sentence = f"{selection.label}: {subject} {worst['accuracy']:.1%} of {worst['n']:,} items"
    if worst["part"] != ALL and overall:
        sentence += f" of part {worst['part']} right ({worst['scorer']})."
        sentence += f" Of all {items[0]:,} items, {overall[0]:.1%} are right ({chance})"
    else:
        sentence += f" right ({worst['scorer']}; {chance})"
    values = {name: worst[name] for name in ("accuracy", "low", "high", "p")}
    values |= {"overall": overall[0] if overall else worst["accuracy"]}
    together = every.filter(scorer=STOP_THEN_SHORTER)["accuracy"].to_list()
    if by == LENGTH and together:
        sentence += f". The final full stop, then length, gets {together[0]:.1%} of all items right"
        values |= {"with_full_stop": together[0]}
    where = about(selection, part=worst["part"], scorer=worst["scorer"])
    headline = f"{worst['accuracy']:.1%} of {worst['n']:,} items"
    return Finding(f"benchmark-decided-by-{by}", sentence, where, values, worst["n"], severity, headline=headline)


def _ceiling(selection: Selection, rows: pl.DataFrame, examples: pl.DataFrame) -> Iterator[Finding]:
    """Yield how many items a scorer that ignores word order cannot decide."""
    bags = rows.filter(pl.col("kind") == CEILING, pl.col("part") != FAIR, pl.col("ties") > 0)
    if bags.is_empty():
        return
    whole = of_all_items(bags).row(0, named=True)
    by_part = {row["part"]: row["ties"] for row in bags.iter_rows(named=True) if row["part"] != ALL}
    named = ", ".join(f"{part} {ties:,}" for part, ties in by_part.items())
    parts = f" ({named})" if whole["part"] == ALL and named else ""
    count = f"{whole['ties']:,} of {whole['n']:,} items"
    same = f"the two captions of {count} have the same words{parts}"
    if whole["expected"] != CHANCE:
        same = f"a wrong caption of {count} has the same words as a right one{parts}"
    at_most = f"A scorer that ignores word order gets at most {whole['accuracy']:.2%} right"
    share = whole["ties"] / whole["n"]
    values = {"items": whole["ties"], "share": share, "ceiling": whole["accuracy"]}
    severity: Severity = "notice" if share >= _CEILING else "info"
    wrong = {"other_image": "image", "other_slot": "slot_wrong", "other_text": "wrong_text"}
    shown = examples.head(3).select("image", slot="slot_right", text="right_text", why="part", **wrong).to_dicts()
    where, sentence = about(selection), f"{selection.label}: {same}. {at_most}"
    yield Finding("order-blind-ceiling", sentence, where, values, whole["n"], severity, tuple(shown), count)
