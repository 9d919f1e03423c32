"""METEOR 1.5 of a caption (Denkowski & Lavie 2014), as meteor-1.5.jar computes it with `-l en -norm`, without Java."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

from auditor.arrays import NDArray, frame_of, np
from auditor.errors import MetricError
from auditor.metrics.card import Kernel, cards
from auditor.metrics.kernels.columns import Ids, beside, flat, in_parts, meetings, offsets, texts
from auditor.metrics.known import KnownPairs, Rows, known_pairs
from auditor.metrics.meteor import resources
from auditor.metrics.meteor.words import Lexicon
from auditor.metrics.meteor.words import corpus as normalized
from auditor.metrics.together import Together
from auditor.result import counted

_TASKS = 8  # ranges of candidates, more than threads: then a range with many long captions does not delay the rest

#: The release of METEOR that these lists and weights are from; `resources` accepts no other files.
RELEASE = "1.5"

#: The counts of each candidate with its highest-scoring reference, in the order of METEOR's statistics.
STATISTICS = (
    "length",
    "reference_length",
    "function_words",
    "reference_function_words",
    *(
        f"{side}{module}_{kind}"
        for module in ("exact", "stem", "synonym", "paraphrase")
        for kind in ("content", "function")
        for side in ("", "reference_")
    ),
    "chunks",
)


def score(counts: pl.DataFrame, _parameters: Mapping[str, Any]) -> pl.Series:
    """Return the score of each candidate with its highest-scoring reference."""
    return counts["score"]


def corpus(counts: pl.DataFrame) -> float:
    """Score candidates as one text: sum the statistics of each with its highest-scoring reference.

    A candidate that is identical to its reference adds no chunk. This is the first value that pycocoevalcap returns. It
    is not the mean of the scores.
    """
    return float(_of_sums(_sums(counts, {}).drop("image").sum(), {}).item())


def _sums(counts: pl.DataFrame, _parameters: Mapping[str, Any]) -> pl.DataFrame:
    from auditor.metrics.kernels.meteor.alignment import CHUNKS  # noqa: PLC0415

    rows = counts.select(pl.col(STATISTICS).cast(pl.Int64)).to_numpy(writable=True)
    matched = rows[:, 4:CHUNKS].reshape(-1, 4, 2, 2).sum(axis=(1, 2))  # modules, kinds, sides
    rows[:, CHUNKS] -= (matched == rows[:, :2]).all(axis=1) & (rows[:, CHUNKS] == 1)
    return counts.select("image").hstack(frame_of(rows.astype(np.float64), STATISTICS))


def _of_sums(sums: pl.DataFrame, _parameters: Mapping[str, Any]) -> pl.Series:
    from auditor.metrics.kernels.meteor.alignment import score_of  # noqa: PLC0415

    return pl.Series([score_of(row) for row in sums.select(STATISTICS).to_numpy().astype(np.int64)], dtype=pl.Float64)


#: METEOR of all candidates as one text, as in the jar's aggregate.
TOGETHER = Together(_sums, _of_sums)


def _count(rows: Mapping[str, pl.DataFrame], parameters: Mapping[str, Any]) -> pl.DataFrame:
    """Align the candidates of one bucket of images with their references, and keep the counts of the best."""
    from auditor.metrics.kernels.meteor.alignment import UNALIGNED  # noqa: PLC0415

    by_image = rows["meteor"].with_row_index("turn").sort("image_no", "turn")  # all sets of an image share its texts
    placed, pairs = _pairs(by_image, rows["meteor_reference"])
    known = known_pairs() if placed.height else None
    scores, statistics = _aligned(rows, pairs, parameters) if known is None else _best(known, rows, pairs, parameters)
    _refuse_repetitive(placed.filter(scores == UNALIGNED))
    columns = {name: pl.Series(statistics[:, at], dtype=pl.UInt16) for at, name in enumerate(STATISTICS)}
    return placed.with_columns(score=pl.Series(scores), **columns).sort("turn").drop("turn")


def _best(
    known: KnownPairs, rows: Mapping[str, pl.DataFrame], pairs: Any, parameters: Mapping[str, Any]
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Align the pairs that are not known, and choose the first best of each candidate, as `align` does."""
    from auditor.metrics.kernels.meteor.alignment import UNALIGNED, Pairs  # noqa: PLC0415

    met = meetings(pairs)
    ours, theirs = pairs.candidates[met.candidate], pairs.references[met.reference]

    def compute(at: NDArray[np.int64]) -> Rows:
        one = np.arange(len(at))
        alone = Pairs(ours[at], theirs[at], one, one + 1, np.full(len(at), -1))
        needed = pl.col("caption_id").is_in(np.unique(np.concatenate((ours[at], theirs[at]))))
        scores, statistics = _aligned({**rows, "bucket_text": rows["bucket_text"].filter(needed)}, alone, parameters)
        return scores, statistics.astype(np.uint16)

    scores, statistics = known.rows(("meteor", parameters["norm"]), Ids(*pairs[:2]).paired(met), compute)
    starts = np.flatnonzero(np.diff(met.candidate, prepend=-1))
    highest = np.maximum.reduceat(scores, starts)
    first = np.minimum.reduceat(np.where(scores == highest[met.candidate], np.arange(len(scores)), len(scores)), starts)
    return np.where(np.minimum.reduceat(scores, starts) == UNALIGNED, UNALIGNED, highest), statistics[first]


def _aligned(
    rows: Mapping[str, pl.DataFrame], pairs: Any, parameters: Mapping[str, Any]
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return the score and the statistics of each candidate with its highest-scoring reference."""
    from auditor.metrics.kernels.meteor.alignment import align  # noqa: PLC0415
    from auditor.metrics.kernels.meteor.matches import Texts, Words  # noqa: PLC0415
    from auditor.metrics.kernels.meteor.search import LONGEST  # noqa: PLC0415

    tokens = rows["meteor_token"].sort("token_id")
    chosen = texts(rows["bucket_text"].sort("caption_id")["tokens"])
    ids = tokens["token_id"].to_numpy()
    number_of = np.zeros(ids.max(initial=0) + 1, dtype=np.int64)
    number_of[ids] = np.arange(len(ids))
    seen = normalized(tokens["token"].to_list(), number_of[chosen.tokens], chosen.starts, parameters["norm"])
    words_of = pl.DataFrame({"caption_id": rows["bucket_text"]["caption_id"].sort(), "words": np.diff(seen.starts)})
    _refuse_longer(rows, words_of, LONGEST)
    known, size = seen.lexicon, len(pairs.held)
    scores, statistics = np.zeros(size), np.zeros((size, len(STATISTICS)), dtype=np.int64)
    laid = Texts(seen.numbers, seen.starts)
    words = Words(known.key, known.stem, known.is_function, known.synonyms, known.synonym)
    phrases, paraphrases = _phrases(laid, known)
    captions = words_of["caption_id"].to_numpy()
    ours, theirs = (np.searchsorted(captions, side).astype(np.int64) for side in pairs[:2])
    placed = pairs._replace(candidates=ours, references=theirs)
    in_parts(
        size,
        lambda first, last: align(placed, first, last, laid, words, phrases, paraphrases, scores, statistics),
        _TASKS,
    )
    return scores, statistics


def _refuse_longer(rows: Mapping[str, pl.DataFrame], words_of: pl.DataFrame, most: int) -> None:
    """Raise `MetricError` for texts that METEOR's normalizer makes too long for its search."""
    long = words_of.filter(pl.col("words") > most)
    if long.is_empty():
        return
    candidates, images = rows["meteor"], rows["meteor"].select("image_no", "image").unique()
    references = rows["meteor_reference"].join(images, on="image_no")
    placed = pl.concat(texts.select("image", "slot", "caption_id") for texts in (candidates, references)).unique()
    refused = placed.join(long, on="caption_id").sort("image", "slot")
    examples = ", ".join(f"{image}#{slot} ({words:,})" for image, slot, _, words in refused.head(3).iter_rows())
    subject = counted(refused.height, "caption has", "captions have")
    raise MetricError(
        f"meteor: {subject} more than {most:,} words after METEOR's normalizer, too many to align: {examples}"
        f"{', …' if refused.height > 3 else ''}; leave them out, use other metrics, or set meteor:norm=lower"
    )


def _refuse_repetitive(refused: pl.DataFrame) -> None:
    """Raise `MetricError` for candidates with more word matches than memory can hold."""
    if refused.is_empty():
        return
    examples = ", ".join(f"{image}#{slot}" for image, slot in refused.select("image", "slot").head(3).iter_rows())
    subject = counted(refused.height, "caption repeats its", "captions repeat their")
    raise MetricError(
        f"meteor: {subject} words too often to be aligned: {examples}{', …' if refused.height > 3 else ''}; "
        "leave them out, or use other metrics"
    )


def _pairs(candidates: pl.DataFrame, references: pl.DataFrame) -> tuple[pl.DataFrame, Any]:
    """Pair candidates with the references of their images, as numbers of captions."""
    from auditor.metrics.kernels.meteor.alignment import Pairs  # noqa: PLC0415

    placed, references = beside(candidates, references)
    first, last, held = (flat(placed[name]) for name in ("first", "last", "held"))
    ours, theirs = (frame["caption_id"].to_numpy().astype(np.int64) for frame in (placed, references))
    return placed.select("turn", "candidate", "image", "slot"), Pairs(ours, theirs, first, last, held)


def _phrases(laid: Any, known: Lexicon) -> tuple[Any, Any]:
    """Find the phrases of the paraphrase table in the texts, and which of them paraphrase each other."""
    from auditor.metrics.kernels.meteor.phrases import occurrences, reachable  # noqa: PLC0415

    table = resources.load().phrases
    words = known.phrase_word[laid.words]
    parts = in_parts(
        len(laid.starts) - 1,
        lambda first, last: occurrences(words, laid.starts, first, last, table.word, table.children, table.is_phrase),
    )
    counts, position, length, node = (np.concatenate(column) for column in zip(*parts, strict=True))
    return reachable(offsets(counts), position, length, node, table.targets, table.target)


def _signed(tokenizer: str, settings: Mapping[str, Any]) -> Mapping[str, str]:
    """Return the program that the number is comparable with: METEOR tokenizes captions as they are written.

    `as:jar` if it does so here, `as:pycocoevalcap` if it reads the tokens of that program, `as:neither` if it reads
    others.
    """
    if tokenizer == "whitespace":
        program = "jar"
    else:
        program = "pycocoevalcap" if tokenizer == "ptb" and settings["norm"] == "norm" else "neither"
    return {"as": program, "release": RELEASE}


CARDS = cards(
    "meteor",
    score=score,
    kernel=Kernel(
        "meteor", _count, relations=("meteor_reference", "meteor_token", "bucket_text"), compiles="alignment.align"
    ),
    writing=lambda _: "english",
    require=resources.package,
    lists=resources.identity,
    signed=_signed,
)
