"""Scores of candidates against one reference, against two, … against as many as are asked for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Literal

import polars as pl

from auditor.metrics.candidates import HUMAN, CandidateSet
from auditor.metrics.counting import count
from auditor.metrics.growing import ORDER, against_first
from auditor.model import Draw, Progress, Selection, silent
from auditor.registry import MetricRequest, References
from auditor.store import tokens
from auditor.store.connection import Store
from auditor.studies.scores import refuse_unscorable
from auditor.text import tokenizer

Rule = Literal["all", "loo"]


def scores_by_references(
    store: Store,
    selection: Selection,
    text_profile: str,
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
    return pl.concat(each_number(store, selection, text_profile, candidates, metrics, most, seed, progress, rule, at))


def each_number(
    store: Store,
    selection: Selection,
    text_profile: str,
    candidates: Sequence[CandidateSet],
    metrics: Sequence[MetricRequest],
    most: int,
    seed: int = 1,
    progress: Progress = silent,
    rule: Rule = "all",
    at: Sequence[int] | None = None,
) -> Iterator[pl.DataFrame]:
    """Give what `scores_by_references` gives number by number, so that no more than one is in memory."""
    whole = first_captions(selection, most, most, seed, rule)
    refuse_unscorable(store, whole, metrics)
    texts = [whole, *(drawn for candidate in candidates for drawn in candidate.drawn_from)]
    tokens.provide(store, texts, text_profile, tokenizer(text_profile), progress)
    sets = [HUMAN] if rule == "loo" else list(candidates)
    kinds = {metric.counting_grown: metric.growing.by_reference for metric in metrics if metric.growing}
    counts = count(store, whole, text_profile, sets, [ORDER, *kinds], progress)
    taken = {
        (one.name, spec): against_first(counts[one.name, spec], counts[one.name, ORDER], by_reference=by_reference)
        for one in sets
        for spec, by_reference in kinds.items()
    }
    rest = list({metric.counting: None for metric in metrics if not metric.growing})
    for k in range(1, most + 1) if at is None else at:
        alone = first_captions(selection, k, most, seed, rule)
        again = [beyond(k, most)] if rule == "loo" else sets
        counted = count(store, alone, text_profile, again, rest, progress) if rest else {}
        counted |= {key: against(k) for key, against in taken.items()}
        yield pl.concat(
            counts[one.name, ORDER]
            .select("candidate", "image", "slot", pl.lit(k, pl.UInt32).alias("references"))
            .with_columns(metric.scores(counted[one.name, metric.counting_grown]) for metric in metrics)
            for one in sets
        )


def first_captions(selection: Selection, k: int, most: int, seed: int, rule: Rule) -> Selection:
    """Select the captions at work at k references, of the images that have enough for `most`."""
    drawn, enough = (References(rule, number, seed).of(selection).draw for number in (k, most))
    return replace(selection, draw=Draw(drawn.captions, seed, enough.captions)) if drawn and enough else selection


def beyond(k: int, most: int) -> CandidateSet:
    """Take the first `most` + 1 captions of each image as candidates where only k + 1 of them are at work."""
    return CandidateSet(HUMAN.name, "candidate_beyond", {"drawn": k + 1, "most": most})
