"""Scores of candidates against 1, 2, … references, up to the requested number."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import polars as pl

from auditor.errors import MetricError
from auditor.metrics.known import KnownPairs, remembering
from auditor.model import Draw, Progress, silent
from auditor.scoring.candidates import HUMAN, CandidateSet
from auditor.scoring.registry import MetricRequest
from auditor.scoring.scores import refuse_unscorable, scored
from auditor.store.captions import Captions
from auditor.store.tokens import tokenize

Rule = Literal["all", "loo"]


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


def each_number(
    captions: Captions,
    candidates: Sequence[CandidateSet],
    metrics: Sequence[MetricRequest],
    order: ReferenceOrder,
    at: Sequence[int] | None = None,
    progress: Progress = silent,
    pairs: KnownPairs | None = None,
) -> Iterator[pl.DataFrame]:
    """Yield the rows of `scores_by_references` number by number: memory needs to hold only one at a time."""
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
    for k in range(1, order.most + 1) if at is None else at:
        sets = [order.candidates(k)] if order.rule == "loo" else candidates
        with remembering(pairs):
            scores = scored(order.first(captions, k), sets, metrics, progress)
        scores = scores.with_columns(references=pl.lit(k, pl.UInt32))
        yield scores.select("candidate", "image", "slot", "references", *(metric.label for metric in metrics))
