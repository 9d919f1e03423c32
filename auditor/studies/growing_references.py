"""Scores of candidates against one reference, against two, … against as many as are asked for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Literal

import polars as pl

from auditor.metrics.candidates import HUMAN, CandidateSet
from auditor.metrics.counting import count
from auditor.metrics.growing import ORDER, Against, against_first
from auditor.model import Draw, Progress, Selection, silent
from auditor.registry import MetricRequest, References
from auditor.store import tokens
from auditor.store.connection import Store
from auditor.studies.scores import refuse_unscorable
from auditor.text import tokenizer

_PLACE = ("candidate", "image", "slot")


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
    rule: Literal["all", "loo"] = "all",
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
    wanted = list(range(1, most + 1)) if at is None else list(at)
    whole = _first(selection, most, most, seed, rule)
    refuse_unscorable(store, whole, metrics)
    texts = [whole, *(drawn for candidate in candidates for drawn in candidate.drawn_from)]
    tokens.provide(store, texts, text_profile, tokenizer(text_profile), progress)
    grown = [metric for metric in metrics if metric.growing]
    anew = [metric for metric in metrics if not metric.growing]
    sets = [HUMAN] if rule == "loo" else list(candidates)
    specs = list({metric.counting_grown: None for metric in grown})
    by_number = {metric.counting_grown: metric.growing.by_reference for metric in grown if metric.growing}
    counts = count(store, whole, text_profile, sets, [ORDER, *specs], progress)

    def parts() -> Iterator[pl.DataFrame]:
        for one in sets:
            order = counts[one.name, ORDER]
            taken: dict[object, Against] = {
                spec: against_first(counts[one.name, spec], order, by_reference=by_number[spec]) for spec in specs
            }
            for k in wanted:
                then = {spec: taken[spec](k) for spec in specs}
                again = {one.name: one} | ({} if rule == "all" else {HUMAN.name: _beyond(k, most)})
                some = list({metric.counting: None for metric in anew})
                alone = _first(selection, k, most, seed, rule)
                counted = count(store, alone, text_profile, [again[one.name]], some, progress) if some else {}
                yield order.select(*_PLACE, pl.lit(k, pl.UInt32).alias("references")).with_columns(
                    metric.scores(
                        then[metric.counting_grown] if metric.growing else counted[one.name, metric.counting]
                    )
                    for metric in metrics
                )

    return pl.concat(parts())


def _first(selection: Selection, k: int, most: int, seed: int, rule: Literal["all", "loo"]) -> Selection:
    """Select the captions at work at k references, of the images that have enough for the most."""
    drawn, enough = (References(rule, number, seed).of(selection).draw for number in (k, most))
    return replace(selection, draw=Draw(drawn.captions, seed, enough.captions)) if drawn and enough else selection


def _beyond(k: int, most: int) -> CandidateSet:
    """Take the first `most` + 1 captions as candidates where k + 1 of them are references."""
    return CandidateSet(HUMAN.name, "candidate_beyond", {"drawn": k + 1, "most": most})
