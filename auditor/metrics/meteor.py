"""METEOR 1.5 of one caption (Denkowski & Lavie 2014), as meteor-1.5.jar computes it with `-l en -norm`; no Java."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from auditor.errors import MetricError
from auditor.metrics import meteor_resources
from auditor.metrics.card import Metric, Parameter
from auditor.metrics.counting import Kernel
from auditor.metrics.meteor_words import Lexicon, lexicon
from auditor.metrics.meteor_words import corpus as normalised

_THREADS = 2
_TASKS = (
    8  # ranges of candidates, more than threads, so that one with many long captions does not keep the rest waiting
)

#: What is counted for each candidate, of the reference that scores highest; in the order of METEOR's own statistics.
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
_DENKOWSKI = """@inproceedings{denkowski-lavie-2014-meteor,
  title = {Meteor Universal: Language Specific Translation Evaluation for Any Target Language},
  author = {Denkowski, Michael and Lavie, Alon},
  booktitle = {Proc. WMT}, year = {2014}, pages = {376--380}
}"""


def score(counts: pl.DataFrame, _parameters: Mapping[str, Any]) -> pl.Series:
    """Give the score of each candidate against the reference that it scores highest with."""
    return counts["score"]


def corpus(counts: pl.DataFrame) -> float:
    """Score candidates as one text: statistics are summed, each of the reference it scores highest with.

    A candidate that is its reference word for word adds no chunk. This is the first value that pycocoevalcap gives; it
    is not the mean of the scores.
    """
    from auditor.metrics.kernels.meteor import CHUNKS, score_of  # noqa: PLC0415

    rows = counts.select(pl.col(STATISTICS).cast(pl.Int64)).to_numpy()
    matched = rows[:, 4:CHUNKS].reshape(-1, 4, 2, 2).sum(axis=(1, 2))  # modules, kinds, sides
    whole = (matched == rows[:, :2]).all(axis=1) & (rows[:, CHUNKS] == 1)
    totals = rows.sum(axis=0)
    totals[CHUNKS] -= int(whole.sum())
    return float(score_of(totals))


def _count(rows: Mapping[str, pl.DataFrame], parameters: Mapping[str, Any]) -> pl.DataFrame:
    """Align the candidates of one bucket of images with their references."""
    from auditor.metrics.kernels.meteor import align  # noqa: PLC0415
    from auditor.metrics.kernels.meteor_matches import Texts, Words  # noqa: PLC0415
    from auditor.metrics.kernels.meteor_search import LONGEST  # noqa: PLC0415

    placed, pairs = _pairs(rows["meteor"], rows["meteor_reference"], rows["chosen"])
    tokens = rows["meteor_token"].sort("token_id")
    texts = rows["chosen"].sort("caption_id")["tokens"]
    starts = _starts(texts)
    ids = texts.filter(texts.list.len() > 0).explode().to_numpy()
    numbers = np.searchsorted(tokens["token_id"].to_numpy(), ids).astype(np.int64)
    seen = normalised(tokens["token"].to_list(), numbers, starts, parameters["norm"])
    longest = int(np.diff(seen.starts).max(initial=0))
    if longest > LONGEST:
        raise MetricError(f"meteor: a text of {longest:,} words; it aligns texts of at most {LONGEST:,}")
    known = lexicon(seen.words)
    scores = np.zeros(placed.height)
    statistics = np.zeros((placed.height, len(STATISTICS)), dtype=np.int64)
    laid = Texts(seen.numbers, seen.starts)
    words = Words(known.key, known.stem, known.is_function, known.synonyms, known.synonym)
    phrases, paraphrases = _phrases(laid, known)
    with ThreadPoolExecutor(_THREADS) as pool:
        cuts = np.linspace(0, placed.height, _TASKS + 1).astype(np.int64).tolist()
        todo = [
            pool.submit(align, pairs, first, last, laid, words, phrases, paraphrases, scores, statistics)
            for first, last in pairwise(cuts)
            if first < last
        ]
        for task in todo:
            task.result()
    columns = {name: pl.Series(statistics[:, at], dtype=pl.UInt16) for at, name in enumerate(STATISTICS)}
    return placed.with_columns(score=pl.Series(scores), **columns)


def _starts(texts: pl.Series) -> NDArray[np.int64]:
    return np.concatenate((np.zeros(1, dtype=np.int64), texts.list.len().cum_sum().cast(pl.Int64).to_numpy()))


def _pairs(candidates: pl.DataFrame, references: pl.DataFrame, chosen: pl.DataFrame) -> tuple[pl.DataFrame, Any]:
    """Bring candidates and references of their images together, as places in `chosen` sorted by caption."""
    from auditor.metrics.kernels.meteor import Pairs  # noqa: PLC0415

    captions = np.sort(chosen["caption_id"].to_numpy())
    references = references.sort("image_no", "slot").with_row_index("at")
    images, numbers = references["image_no"].to_numpy(), candidates["image_no"].to_numpy()
    held = candidates.join(
        references.select("image_no", "at", held_out="slot"),
        on=["image_no", "held_out"],
        how="left",
        maintain_order="left",
    )["at"]
    placed = candidates.with_columns(
        first=pl.Series(np.searchsorted(images, numbers, "left"), dtype=pl.Int64),
        last=pl.Series(np.searchsorted(images, numbers, "right"), dtype=pl.Int64),
        held=held.cast(pl.Int64).fill_null(-1),
    ).filter(pl.col("last") - pl.col("first") > (pl.col("held") >= 0))
    first, last, left_out = (placed[name].to_numpy() for name in ("first", "last", "held"))
    ours, theirs = (
        np.searchsorted(captions, frame["caption_id"].to_numpy()).astype(np.int64) for frame in (placed, references)
    )
    return placed.select("candidate", "image", "slot"), Pairs(ours, theirs, first, last, left_out)


def _phrases(texts: Any, known: Lexicon) -> tuple[Any, Any]:
    """Find the phrases of the paraphrase table in the texts, and which of them paraphrase each other."""
    from auditor.metrics.kernels.meteor_phrases import Occurrences, Paraphrases, occurrences, reachable  # noqa: PLC0415

    table = meteor_resources.load().phrases
    words = known.phrase_word[texts.words]
    cuts = np.linspace(0, len(texts.starts) - 1, _THREADS + 1).astype(np.int64).tolist()
    with ThreadPoolExecutor(_THREADS) as pool:
        found = list(
            pool.map(
                lambda first, last: occurrences(
                    words, texts.starts, first, last, table.word, table.children, table.is_phrase
                ),
                cuts[:-1],
                cuts[1:],
            )
        )
    counts, place, length, node = (np.concatenate(column) for column in zip(*found, strict=True))
    starts = np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(counts)))
    kept = reachable(starts, place, length, node, table.targets, table.target)
    return Occurrences(*kept[:4]), Paraphrases(*kept[4:])


CARDS = (
    Metric(
        name="meteor",
        counts="meteor",
        score=score,
        summary="METEOR 1.5: weighted F of words aligned by form, stem, synonym and paraphrase, less where scattered",
        references="the highest over the references: grows with their number; compare only equal numbers",
        edge_cases=(
            "identical texts score 1; a text without words or without a match scores 0, and so may 'dog' against "
            "'dogs': several modules match the pair, and together they weigh nothing"
        ),
        source="Denkowski & Lavie 2014; meteor-1.5.jar -l en -norm, with its word lists and paraphrase table",
        bibtex=_DENKOWSKI,
        parameters={
            "norm": Parameter(
                "norm",
                "METEOR's own normaliser, on top of the text profile: norm = it tokenises and writes small; nopunct = "
                "and drops punctuation; lower = it writes small; none = tokens are left as they are",
                ("norm", "nopunct", "lower", "none"),
                counts=True,
            ),
        },
        kernel=Kernel("meteor", _count, relations=("meteor_reference", "meteor_token", "chosen")),
        require=meteor_resources.package,
    ),
)
