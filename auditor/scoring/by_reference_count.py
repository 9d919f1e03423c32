"""Scores of candidates against 1, 2, … references, up to the requested number."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Literal

import polars as pl

from auditor.errors import MetricError
from auditor.metrics.card import CountSpec
from auditor.metrics.known import KnownPairs, remembering
from auditor.model import Draw, Progress, silent
from auditor.scoring.candidates import HUMAN, CandidateSet, bind_candidates
from auditor.scoring.counting import bind_text_tokens, count_in_parts
from auditor.scoring.registry import MetricRequest
from auditor.scoring.scores import KEYS, refuse_unscorable, scored, too_long
from auditor.scoring.whole_draw import drawn_from, gather
from auditor.store import ngrams
from auditor.store.captions import Captions
from auditor.store.tokens import tokenize
from auditor.store.workspace import Workspace, is_read

Rule = Literal["all", "loo"]

#: Counts that have a SELECT for all numbers of references at once: each reference adds to those before it.
_GROWING = {"bleu": "growing_bleu", "rouge_n": "growing_rouge_n"}


def scores_by_references(
    captions: Captions,
    candidates: Sequence[CandidateSet],
    metrics: Sequence[MetricRequest],
    most: int,
    seed: int = 1,
    progress: Progress = silent,
    *,
    rule: Rule = "all",
    at: Sequence[int] | None = None,
) -> pl.DataFrame:
    """Score candidates against the first 1 … `most` references of their image, or the first of each number in `at`.

    The seed orders the references of an image, as `--references` does. Images with too few are left out at every
    number. Document frequencies at k are those of the first k captions of the remaining images. With rule `all`, a
    candidate replaces no caption of its image. With `loo`, the captions are the only candidates: each of the first
    `most` + 1 is held out once and scored against the first k of the others. Document frequencies are then those of
    the first k + 1. At k = `most` that is `--references most`.

    Columns: candidate, image, slot, references, and one for each metric, by its label. Raises `MetricError` for a
    metric that cannot score so few images.
    """
    order = ReferenceOrder(most, seed, rule)
    return pl.concat(each_number(captions, candidates, metrics, order, at, progress))


@dataclass(frozen=True)
class ReferenceOrder:
    """The order in which references are added: the first `most` that `seed` draws, one more with rule `loo`.

    `mirrored` goes from the last of these captions to the first. If there are 2 k, the first k of either order share
    no caption. With `loo`, `held_out` is how many captions of each image are candidates: the last ones of the order
    that is not mirrored, or all.
    """

    most: int
    seed: int = 1
    rule: Rule = "all"
    mirrored: bool = False
    held_out: int | None = None

    @property
    def captions(self) -> int:
        """The number of captions that an image must have."""
        return self.most + (self.rule == "loo")

    def first(self, captions: Captions, k: int) -> Captions:
        """Select the captions that k references need, of the images that have enough for `most`."""
        draw = Draw(k + (self.rule == "loo"), self.seed, self.captions, self.mirrored)
        return captions.like(replace(captions.selection, draw=draw))

    def places(self, captions: Captions) -> pl.DataFrame:
        """Return the position of each caption in the order of the draw, from 1. Columns: image, slot, place."""
        return self.first(captions, self.most).workspace().rows("caption_place").select("image", "slot", "place")

    def candidates(self, k: int) -> CandidateSet:
        """Return the captions that are held out if the first k and one more are selected."""
        held_out = min(self.held_out or self.captions, self.captions)
        if k == self.most and held_out == self.captions:
            return HUMAN
        first = 1 if self.mirrored else self.captions - held_out + 1
        places = {"drawn": k + 1, "first_place": first, "last_place": first + held_out - 1}
        return CandidateSet(HUMAN.name, "candidate_of_place", places)

    def sets(self, k: int, candidates: Sequence[CandidateSet]) -> Sequence[CandidateSet]:
        """Return the sets that are scored against k references: with rule `loo` the captions, else those given."""
        return [self.candidates(k)] if self.rule == "loo" else candidates


def each_number(
    captions: Captions,
    candidates: Sequence[CandidateSet],
    metrics: Sequence[MetricRequest],
    order: ReferenceOrder,
    at: Sequence[int] | None = None,
    progress: Progress = silent,
    pairs: KnownPairs | None = None,
) -> Iterator[pl.DataFrame]:
    """Yield the rows of `scores_by_references` number by number; memory holds all numbers of BLEU and ROUGE-N."""
    pairs = pairs or KnownPairs()
    whole = order.first(captions, order.most)
    refuse_unscorable(whole, metrics)
    for metric in metrics:
        if metric.metric.sees_images:
            raise MetricError(
                f"{metric.label}: reads images instead of references, so their number has no effect; omit it"
            )
    texts = [whole.selection, *(drawn for candidate in candidates for drawn in candidate.drawn_from)]
    tokenize(whole.store, texts, whole.tokenizer, progress)
    every = [replace(candidate, once=True) for candidate in order.sets(order.most, candidates)]
    is_plain = not too_long(whole) and not any(candidate.references for candidate in every)
    growing = [metric for metric in metrics if is_plain and metric.counting.table in _GROWING]
    others = [metric for metric in metrics if metric not in growing]
    grown = _grown(whole, every, growing, progress) if growing else pl.DataFrame()
    drawn = _gathered(whole, every, others) if is_plain else None
    for k in range(1, order.most + 1) if at is None else at:
        with remembering(pairs), drawn_from(drawn):
            sets = order.sets(k, candidates)
            frames = [scored(order.first(captions, k), sets, others, progress)] if others else []
        frames += [grown.filter(references=k).drop("references")] if growing else []
        scores = reduce(lambda one, other: one.join(other, on=KEYS, maintain_order="left"), frames)
        yield scores.select(*KEYS, pl.lit(k, pl.UInt32).alias("references"), *(metric.label for metric in metrics))


def _grown(
    whole: Captions, candidates: Sequence[CandidateSet], metrics: Sequence[MetricRequest], progress: Progress
) -> pl.DataFrame:
    """Score by metrics whose counts SQL has for all numbers of references at once. Columns: as in `each_number`."""
    specs = {metric.label: replace(metric.counting, relation=_GROWING[metric.counting.table]) for metric in metrics}
    keys = ["references", *KEYS]
    of_spec: dict[CountSpec, list[pl.DataFrame]] = {spec: [] for spec in specs.values()}
    for spec, rows in count_in_parts(whole, candidates, [*of_spec], progress):
        counts = rows.with_columns(reference_count="references")
        named = [metric for metric in metrics if specs[metric.label] == spec]
        of_spec[spec].append(counts.select(*keys, *(metric.scores(counts) for metric in named)))
    frames = [pl.concat(parts) for parts in of_spec.values()]
    joined = reduce(lambda one, other: one.join(other, on=keys), frames)
    order = pl.Enum([candidate.name for candidate in candidates])
    return joined.sort("references", pl.col("candidate").cast(order), "image", "slot")


def _gathered(
    whole: Captions, candidates: Sequence[CandidateSet], metrics: Sequence[MetricRequest]
) -> Workspace | None:
    """Find the n-grams of all captions that are drawn, and of the candidates; null if no metric reads them."""
    if not any(is_read("ngram_occurrence", metric.counting.relations) for metric in metrics):
        return None
    workspace = whole.workspace(most_words=ngrams.MOST_WORDS)
    bind_candidates(workspace, candidates)
    bind_text_tokens(workspace, None)
    gather(workspace, ngrams.buckets(workspace, workspace.rows("pairing_count")))
    return workspace
