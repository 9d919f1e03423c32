"""Recompute the figures of Wang & Gaizauskas 2016 on their datasets in the store."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import fmean

import polars as pl

from auditor.called import not_stored
from auditor.model import Progress, Selection
from auditor.papers.figures import Paper, Quantities, Quantity
from auditor.papers.measured import Measured
from auditor.papers.runs import declared, installed, not_installed, of_metrics
from auditor.scoring import frequencies
from auditor.scoring.candidate_sets import CORPUS
from auditor.scoring.single_captions import SINGLE_CAPTION
from auditor.store.captions import select_all
from auditor.store.connection import Store
from auditor.store.versions import log, resolve_all
from auditor.studies.bounds import bounds
from auditor.studies.duplicates import identical_counts

__all__ = ["measure", "of_metrics", "pooled"]

_PROFILE = "bare"

_BLEU = ("bleu-1", "bleu-2", "bleu-3", "bleu-4")

_OTHER_ROUGES = ("rouge-1", "rouge-l", "rouge-w-1.2")

_GIBBERISH = ("gibberish", "gibberish-brown")

_MANY = ("pascal50s", "abstract50s")

_TEN_WORDS = "captions have ten words on average: gibberish of ten and of average length are the same"


def measure(store: Store, paper: Paper, seed: int, progress: Progress) -> Measured:
    """Measure bounds, correlations, sizes and identical captions of the paper's datasets in the store."""
    measured, results = declared(store, paper, seed, progress)
    here = [name for name in paper.datasets if name not in measured.lacking]
    corpus = {} if log(store, CORPUS) else dict.fromkeys(here, not_stored(CORPUS))
    if not here:
        return measured
    whole, metrics = results["bounds"][0], installed(paper.runs["bounds"])
    lengths = results["sizes"][0].frame.filter(statistic="asl")
    words = {name: round(length) for name, length in lengths.select("dataset", "value").iter_rows()}
    quantities, selections = dict(measured.quantities), resolve_all(store, here)
    quantities.update(_identical(store, selections))
    quantities.update(_from_lower_bounds(quantities, here, metrics, words))
    quantities.update(_from_five(quantities, here, metrics))
    quantities.update(_from_correlations(results["pairs"][0].frame, here, metrics))
    quantities.update(pooled(store, here, progress))
    return replace(
        measured,
        quantities=quantities,
        lacking={**measured.lacking, **corpus},
        selections=selections,
        absent={
            (dataset, metric, gibberish, "caption", "shorter-above-longer"): _TEN_WORDS
            for dataset, length in words.items()
            for metric, gibberish in itertools.product(_BLEU, _GIBBERISH)
            if length == 10
        },
        notes=(*whole.found("metric-not-installed", SINGLE_CAPTION), *not_installed(paper.runs["bounds"])),
    )


def _identical(store: Store, selections: Sequence[Selection]) -> Quantities:
    for selection in selections:
        counts = identical_counts(store, selection).row(0, named=True)
        for statistic, column in (
            ("images-with-identical-captions", "images_with_repeats"),
            ("images-all-identical", "images_all_equal"),
        ):
            yield (selection.version.dataset, "", "", "", statistic), float(counts[column])


def _from_lower_bounds(
    known: Mapping[Quantity, float], here: Sequence[str], metrics: Sequence[str], words: Mapping[str, int]
) -> Quantities:
    """Yield the comparisons of lower bounds in section 5.1. `words` is the rounded mean length of captions."""

    def mean(dataset: str, metric: str, candidate: str) -> float:
        return known.get((dataset, metric, candidate, "caption", "mean"), math.nan)

    for dataset in here:
        for metric, gibberish in itertools.product(_BLEU, _GIBBERISH):
            ten, average = (mean(dataset, metric, f"{gibberish}-{length}") for length in ("10", "mean"))
            if words[dataset] != 10:
                shorter = average - ten if words[dataset] < 10 else ten - average
                yield (dataset, metric, gibberish, "caption", "shorter-above-longer"), shorter
        for candidate in ("intra", "inter"):
            margins = [mean(dataset, metric, candidate) - mean(dataset, metric, CORPUS) for metric in metrics]
            yield (dataset, "", candidate, "caption", "above-brown-lowest"), min(margins)
    drawn = [dataset for dataset in here if math.isfinite(mean(dataset, "bleu-1", "inter"))]
    for metric in _BLEU if drawn else ():
        above = [mean(dataset, metric, "inter") > mean(dataset, metric, "intra") for dataset in drawn]
        yield ("", metric, "intra", "caption", "share-with-inter-above-intra"), fmean(above)


def _from_five(known: Mapping[Quantity, float], here: Sequence[str], metrics: Sequence[str]) -> Quantities:
    """Yield the figures of section 4.1 with five descriptions per image, on the datasets with many more."""
    for dataset, metric in itertools.product((name for name in here if name in _MANY), metrics):
        five = known[dataset, metric, "human-five-captions", "caption", "mean"]
        rise = known[dataset, metric, "human", "caption", "mean"] - five
        yield (dataset, metric, "human", "caption", "rise-with-references"), rise
        others = [known[name, metric, "human", "caption", "mean"] for name in here if name not in _MANY]
        if others:
            beyond = max(min(others) - five, five - max(others), 0.0)
            yield (dataset, metric, "human-five-captions", "caption", "distance-from-the-others"), beyond


def pooled(store: Store, datasets: Sequence[str], progress: Progress) -> Quantities:
    """Score CIDEr with the document frequencies of all datasets together (section 3, note 7)."""
    if len(datasets) < 2:
        return
    every = select_all(store, datasets, tokenizer=_PROFILE, progress=progress)
    with frequencies.together(every) as idf_mode:
        rows = bounds(
            store, *datasets, metrics=[f"cider:idf={idf_mode}"], candidates=("human",), tokenizer=_PROFILE,
            progress=progress,
        ).frame  # fmt: skip
    for name, mean in rows.filter(level="caption").select("dataset", "mean").iter_rows():
        yield (name, "cider", "human-pooled-idf", "caption", "mean"), mean


def _from_correlations(rows: pl.DataFrame, here: Sequence[str], metrics: Sequence[str]) -> Quantities:
    """Yield how far ρ lies above τ, with which ROUGE each BLEU correlates best, and how much τ drops per caption."""
    drops: dict[str, float] = {}
    for dataset in here:
        taus, of_captions, rhos = (
            _pairs(rows, dataset, level, statistic)
            for level, statistic in (("image", "kendall-b"), ("caption", "kendall-b"), ("image", "spearman"))
        )
        if not taus:
            continue
        above = min(rhos[pair] - tau for pair, tau in taus.items())
        yield (dataset, "", "human", "image", "spearman-above-kendall-b-lowest"), above
        best = [taus[bleu, "rouge-su4"] > taus[bleu, rouge] for bleu in _BLEU for rouge in _OTHER_ROUGES]
        yield (dataset, "", "human", "image", "share-best-with-rouge-su4"), fmean(best)
        by_pair = {pair: tau - of_captions[pair] for pair, tau in taus.items()}
        drops[dataset] = fmean(by_pair.values())
        if "meteor" in metrics:
            own = fmean(drop for pair, drop in by_pair.items() if "meteor" in pair)
            others = fmean(drop for pair, drop in by_pair.items() if "meteor" not in pair)
            yield (dataset, "meteor", "human", "caption", "drop"), own
            yield (dataset, "meteor", "human", "caption", "drop-beyond-the-other-metrics"), own - others
    few = [drop for dataset, drop in drops.items() if dataset not in _MANY]
    for dataset in (name for name in drops if name in _MANY and few):
        yield (dataset, "", "human", "caption", "drop-beyond-the-others"), drops[dataset] - fmean(few)


def _pairs(rows: pl.DataFrame, dataset: str, level: str, statistic: str) -> dict[tuple[str, str], float]:
    chosen = rows.filter(dataset=dataset, level=level, statistic=statistic).drop_nulls("value")
    return {(a, b): value for a, b, value in chosen.select("metric_a", "metric_b", "value").iter_rows()}
