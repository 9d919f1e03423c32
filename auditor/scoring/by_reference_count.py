"""Scores of candidates against one reference, against two, … against as many as are asked for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import polars as pl

from auditor.errors import MetricError
from auditor.model import Draw, Progress, silent
from auditor.scoring.candidates import HUMAN, CandidateSet
from auditor.scoring.registry import MetricRequest
from auditor.scoring.scores import refuse_unscorable, scored
from auditor.store.captions import Captions, tokenize

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

    The references of an image are in an order that the seed draws, as `--references` draws them; images that have too
    few are left out at every number. Document frequencies at k are those of the first k captions of the images that
    stay. With rule `all` candidates stand for no caption of their image. With `loo` there are no others than the
    captions: each of the first `most` + 1 is held out once, and meets the first k of the others; document frequencies
    are those of the first k + 1. At k = `most` that is `--references most`.

    Columns: candidate, image, slot, references, and one for each metric, by its label. Raises `MetricError` for a
    metric that has no scores of so few images.
    """
    order = ReferenceOrder(most, seed, rule)
    return pl.concat(each_number(captions, candidates, metrics, order, at, progress))


@dataclass(frozen=True)
class ReferenceOrder:
    """The order in which references join each other: the first `most` that `seed` draws, one more with rule `loo`.

    `mirrored` goes from the last of these captions to the first: the first k one way and the first k the other share
    none where there are 2 k. With `loo`, `held_out` says how many captions of each image are candidates: the last ones
    of the order that is not mirrored, or all.
    """

    most: int
    seed: int = 1
    rule: Rule = "all"
    mirrored: bool = False
    held_out: int | None = None

    @property
    def captions(self) -> int:
        """How many captions an image must have."""
        return self.most + (self.rule == "loo")

    def first(self, captions: Captions, k: int) -> Captions:
        """Select the captions at work at k references, of the images that have enough for the most."""
        draw = Draw(k + (self.rule == "loo"), self.seed, self.captions, self.mirrored)
        return captions.like(replace(captions.selection, draw=draw))

    def places(self, captions: Captions) -> pl.DataFrame:
        """Return the place of each caption in the order of the draw, from 1. Columns: image, slot, place."""
        return self.first(captions, self.most).workspace().rows("caption_place").select("image", "slot", "place")

    def candidates(self, k: int) -> CandidateSet:
        """Take the captions that are held out, where those at work are the first k and one more."""
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
) -> Iterator[pl.DataFrame]:
    """Yield what `scores_by_references` gives, number by number, so that no more than one need be in memory."""
    whole = order.first(captions, order.most)
    refuse_unscorable(whole.store, whole.selection, metrics)
    for metric in metrics:
        if metric.metric.sees_images:
            raise MetricError(f"{metric.label}: sees the image and no references, whatever their number; leave it out")
    texts = [whole.selection, *(drawn for candidate in candidates for drawn in candidate.drawn_from)]
    tokenize(whole.store, texts, whole.tokenizer, progress)
    for k in range(1, order.most + 1) if at is None else at:
        sets = [order.candidates(k)] if order.rule == "loo" else candidates
        scores = scored(order.first(captions, k), sets, metrics, progress)
        scores = scores.with_columns(references=pl.lit(k, pl.UInt32))
        yield scores.select("candidate", "image", "slot", "references", *(metric.label for metric in metrics))
