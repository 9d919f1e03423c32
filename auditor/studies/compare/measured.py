"""Datasets on one variant of their captions: indices, decisions about pairs, ranks, and the rows of all of these."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import polars as pl

from auditor.parameters import MetricName
from auditor.result import Said
from auditor.scoring.candidate_sets import Substitutes, missing
from auditor.scoring.registry import MetricRequest, References, requests
from auditor.scoring.scores import Collected
from auditor.scoring.variants import Measured
from auditor.statistics.paired_systems import Resampling
from auditor.steps import Steps
from auditor.store.captions import Captions
from auditor.studies.compare import overlap, why
from auditor.studies.compare.equalize import pooled_scores, sample_notes
from auditor.studies.compare.indices import BOUNDS, STATISTICS, Index, Indices, Rank, estimated_indices, ranks
from auditor.studies.compare.overlap import Overlap, overlaps
from auditor.studies.compare.pairs import Decided, decided, pairs

#: The columns of every result.
COLUMNS = (
    "dataset", "metric", "statistic", "value", "low", "high", "rank", "rank_low", "rank_high", "version", "split", "se",
    "resamples", "confidence", "seed", "drawn_from", "signature",
)  # fmt: skip

_RANKED = {
    **dict.fromkeys(("label", "metric", "statistic"), pl.String), **dict.fromkeys(("value", "low", "high"), pl.Float64),
    **dict.fromkeys(("rank", "rank_low", "rank_high"), pl.Int64), "se": pl.Float64, "resamples": pl.Int64,
    "confidence": pl.Float64, "seed": pl.Int64, "drawn_from": pl.String, "signature": pl.String,
}  # fmt: skip


@dataclass(frozen=True)
class Setting:
    """What is the same on all variants. A user's `named` metrics must score all datasets; `phrases` gets theirs."""

    metrics: Sequence[MetricName]
    named: bool
    substitutes: Substitutes
    resampling: Resampling
    steps: Steps
    phrases: dict[str, why.Phrases | None] | None = None

    @cached_property
    def requested(self) -> Sequence[MetricRequest]:
        """The metrics, with their parameters."""
        return requests(self.metrics)

    @cached_property
    def errors(self) -> set[str]:
        """The labels of metrics that count errors."""
        return {metric.label for metric in self.requested if metric.metric.lower_is_better}


class Compared(NamedTuple):
    """Datasets on one variant. `ranking` has them by statistic and metric, best first.

    `measured` has a row for each dataset, metric and statistic, `tests` one for each pair; both name datasets by
    `label`. `overlapping` are the rows of `overlaps`. `reasons` has the phrases and lengths behind homogeneity.
    """

    measured: Measured
    indices: Sequence[Indices]
    overlaps: Sequence[Overlap]
    decided: Decided
    ranking: Mapping[tuple[str, str], Sequence[tuple[Index, Rank]]]
    tests: pl.DataFrame
    overlapping: pl.DataFrame
    reasons: pl.DataFrame


def measured(every: Sequence[Captions], against: References, setting: Setting, *, explains: bool) -> Compared:
    """Measure the datasets one by one: only one has its scores in memory. `explains`: with reasons."""
    resampling, steps = setting.resampling, setting.steps
    seed, confidence = resampling.seed, resampling.confidence
    indices, overlapping, facts, notes = list[Indices](), list[Overlap](), list[pl.DataFrame](), list[Said]()
    sources, lacking = dict[tuple[str, str], str | None](), dict[str, Mapping[str, str]]()
    signatures, reasons = dict[str, str](), list[pl.DataFrame]()
    for captions in steps.over(every):
        if setting.phrases is not None and captions.label not in setting.phrases:
            setting.phrases[captions.label] = why.strongest(against.select(captions), setting.requested)
        phrases = setting.phrases[captions.label] if setting.phrases and explains else None
        collected: Collected = {phrases.metric.counting: [], phrases.counting: []} if phrases else {}
        scored = pooled_scores(
            captions, tuple(BOUNDS), setting.substitutes, against, setting.metrics, seed, named=setting.named,
            progress=steps, collected=collected,
        )  # fmt: skip
        if phrases and (signature := scored.signatures.get(phrases.metric.label)):
            reasons.append(why.explained(captions.label, phrases, collected, signature))
        own = estimated_indices(
            captions.selection, scored.scores, setting.requested, seed, resampling.times, confidence, steps
        )
        indices.append(own)
        overlapping += overlaps(captions.label, scored.scores)
        per_image = own.captions if against.images is None else (against.drawn or 0) + 1
        sizes = {"images": against.images or len(own.images), "captions_per_image": float(per_image)}
        facts.append(captions.stamp(pl.DataFrame({"label": captions.label, **sizes})))
        drawn_from = {BOUNDS[candidate.name]: candidate.source for candidate in scored.sets}
        drawn_from["specificity"] = drawn_from.get("inter")
        sources |= {(captions.label, statistic): source for statistic, source in drawn_from.items()}
        lacking[captions.label] = scored.reasons
        signatures |= scored.signatures
        notes += [*scored.notes, *own.notes]
    steps.begin()
    of_pairs = decided(indices, seed, confidence, steps)
    ranking = {
        (statistic, metric.label): _ranked(indices, statistic, metric.label, of_pairs, confidence)
        for metric in setting.requested
        for statistic in STATISTICS
    }
    of_datasets = pl.concat(facts)
    rows = ranked_rows(ranking, sources, signatures, resampling)
    signed = {metric.label: signatures[metric.label] for metric in setting.requested if metric.label in signatures}
    notes += [*missing(lacking), *sample_notes(against)]
    return Compared(
        Measured(of_datasets.join(rows, "label", maintain_order="right"), signed, notes),
        indices,
        overlapping,
        of_pairs,
        ranking,
        pairs(indices, of_pairs, setting.errors, signatures, seed, resampling.times),
        of_datasets.join(overlap.rows(overlapping, signatures, seed), "label", maintain_order="right").drop("label"),
        of_datasets.join(pl.concat([why.NONE, *reasons]), "label", maintain_order="right"),
    )


def _ranked(
    indices: Sequence[Indices], statistic: str, metric: str, of_pairs: Decided, confidence: float
) -> list[tuple[Index, Rank]]:
    """Rank the datasets that have a statistic, best first."""
    numbered = [(number, index) for number, each in enumerate(indices) for index in each.indices]
    same_kind = {number: index for number, index in numbered if (index.statistic, index.metric) == (statistic, metric)}
    order = zip(same_kind.values(), ranks(same_kind, of_pairs.get((metric, statistic), {}), confidence), strict=True)
    return sorted(order, key=lambda pair: pair[1].rank or len(indices) + 1)


def ranked_rows(
    ranking: Mapping[tuple[str, str], Sequence[tuple[Index, Rank]]],
    sources: Mapping[tuple[str, str], str | None],
    signatures: Mapping[str, str],
    resampling: Resampling,
) -> pl.DataFrame:
    """Return a row per dataset, metric and statistic, without the columns of datasets but `label`."""
    rows = [
        (
            index.label, metric, statistic, index.value, *(index.interval or (None, None)),
            rank.rank, rank.best, rank.worst, index.se, resampling.times,
            resampling.confidence if resampling.times else None, resampling.seed,
            sources.get((index.label, statistic)), signatures[metric],
        )
        for (statistic, metric), order in ranking.items()
        for index, rank in order
    ]  # fmt: skip
    return pl.DataFrame(rows, schema=_RANKED, orient="row")
