"""Recompute the figures of Wang & Gaizauskas 2016 on their datasets in the store."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from statistics import fmean

import polars as pl

from auditor import parameters as p
from auditor.called import not_stored
from auditor.model import Progress, Selection
from auditor.papers.figures import Paper, Quantities, Quantity
from auditor.papers.measured import Measured
from auditor.scoring import frequencies
from auditor.scoring.candidate_sets import CORPUS
from auditor.scoring.registry import requests
from auditor.scoring.single_captions import SINGLE_CAPTION
from auditor.store.captions import select_all
from auditor.store.connection import Store
from auditor.store.versions import images, log, resolve_all
from auditor.studies.bounds import bounds
from auditor.studies.correlate import correlate
from auditor.studies.duplicates import identical_counts
from auditor.studies.profile import profile

METRICS = (
    "bleu-1", "bleu-2", "bleu-3", "bleu-4", "rouge-1", "rouge-l", "rouge-w-1.2", "rouge-su4",
    "meteor", "cider", "cider-d",
)  # fmt: skip

_PROFILE = "bare"

_BLEU = ("bleu-1", "bleu-2", "bleu-3", "bleu-4")

_GIBBERISH = ("gibberish", "gibberish-brown")

_MANY = ("pascal50s", "abstract50s")

_TO_OBTAIN = ("pascal1k", "vlt2k", "imageclef2015")

_COLUMNS = ("mean", "sd", "median", "min", "max")


def measure(store: Store, paper: Paper, seed: int, progress: Progress) -> Measured:
    """Measure bounds, correlations, sizes and identical captions of the paper's datasets in the store.

    `inter` samples from the paper's datasets in the store, without related ones.
    """
    here = [name for name in paper.datasets if log(store, name)]
    missing = [name for name in paper.datasets if name not in here]
    lacking = {name: not_stored(name, "fetch" if name in _TO_OBTAIN else "ingest") for name in missing}
    if not log(store, CORPUS):
        lacking |= dict.fromkeys(here, not_stored(CORPUS))
    if not here:
        return Measured({}, lacking)
    metrics = [request.label for request in requests(None) if request.label in METRICS]
    selections = resolve_all(store, here)
    whole = bounds(store, *here, metrics=metrics, seed=seed, progress=progress)
    many = [name for name in here if name in _MANY]
    five = _five(store, many, metrics, seed, progress) if many else {}
    related = correlate(store, *here, metrics=metrics, statistics=("kendall-b", "spearman"), progress=progress)
    lengths = profile(store, *here, tokenizer=_PROFILE).frame.filter(statistic="asl")
    words = dict(lengths.select("dataset", "value").iter_rows())
    quantities: dict[Quantity, float] = dict(_cells(whole.frame))
    quantities.update(_sizes(store, selections))
    quantities.update(_from_lower_bounds(quantities, here, metrics, words))
    quantities.update(_from_five(quantities, five, here, metrics))
    quantities.update(correlation_quantities(related.frame, here, metrics))
    quantities.update(pooled(store, here, progress))
    left_out = [metric for metric in METRICS if metric not in metrics]
    return Measured(
        quantities,
        lacking,
        selections,
        whole.signatures,
        absent=dict(_equal_lengths(words)),
        notes=(
            *whole.found("metric-not-installed", SINGLE_CAPTION),
            *(f"{metric} is not installed: its figures are not answerable" for metric in left_out),
        ),
    )


def of_metrics(store: Store, paper: Paper, metrics: p.Metrics, seed: int, progress: Progress) -> Quantities:
    """Measure the bounds of further metrics."""
    here = [name for name in paper.datasets if log(store, name)]
    if here:
        yield from _cells(bounds(store, *here, metrics=metrics, seed=seed, progress=progress).frame)


def _cells(frame: pl.DataFrame) -> Quantities:
    for row in frame.iter_rows(named=True):
        for column in _COLUMNS:
            if row[column] is not None:
                yield (row["dataset"], row["metric"], row["candidate"], row["level"], column), row[column]


def _five(
    store: Store, datasets: Sequence[str], metrics: Sequence[str], seed: int, progress: Progress
) -> dict[tuple[str, str], float]:
    """Return upper bounds with five captions per image, sampled by the seed, by dataset and metric."""
    rows_of_bounds = bounds(
        store, *datasets, metrics=metrics, seed=seed, candidates=("human",), references=4, progress=progress
    ).frame
    rows = rows_of_bounds.filter(level="caption").select("dataset", "metric", "mean")
    return {(dataset, metric): mean for dataset, metric, mean in rows.iter_rows()}


def _sizes(store: Store, selections: Sequence[Selection]) -> Quantities:
    for selection in selections:
        name, captions = selection.version.dataset, images(store, selection)["captions"]
        counts = identical_counts(store, selection).row(0, named=True)
        for statistic, value in (
            ("images", len(captions)),
            ("captions-per-image", captions.mean()),
            ("captions-per-image-least", captions.min()),
            ("images-with-identical-captions", counts["images_with_repeats"]),
            ("images-all-identical", counts["images_all_equal"]),
        ):
            yield (name, "", "", "", statistic), float(value)  # type: ignore[arg-type]


def _from_lower_bounds(
    known: Mapping[Quantity, float], here: Sequence[str], metrics: Sequence[str], words: Mapping[str, float]
) -> Quantities:
    """Yield the comparisons of lower bounds in section 5.1. `words` is the mean length of captions."""

    def mean(dataset: str, metric: str, candidate: str) -> float:
        return known.get((dataset, metric, candidate, "caption", "mean"), math.nan)

    for dataset in here:
        for metric, gibberish in itertools.product(_BLEU, _GIBBERISH):
            ten, average = (mean(dataset, metric, f"{gibberish}-{length}") for length in ("10", "mean"))
            if round(words[dataset]) != 10:
                shorter = average - ten if words[dataset] < 10 else ten - average
                yield (dataset, metric, gibberish, "caption", "shorter-above-longer"), shorter
        for candidate in ("intra", "inter"):
            margins = [mean(dataset, metric, candidate) - mean(dataset, metric, CORPUS) for metric in metrics]
            yield (dataset, "", candidate, "caption", "above-brown-lowest"), min(margins)
    drawn = [dataset for dataset in here if math.isfinite(mean(dataset, "bleu-1", "inter"))]
    for metric in _BLEU if drawn else ():
        above = [mean(dataset, metric, "inter") > mean(dataset, metric, "intra") for dataset in drawn]
        yield ("", metric, "intra", "caption", "share-with-inter-above-intra"), fmean(above)


def _equal_lengths(words: Mapping[str, float]) -> Iterator[tuple[Quantity, str]]:
    """Yield the quantities without a value, since gibberish of ten words and of average length is the same."""
    for dataset, length in words.items():
        if round(length) == 10:
            reason = "captions have ten words on average: gibberish of ten and of average length are the same"
            for metric, gibberish in itertools.product(_BLEU, _GIBBERISH):
                yield (dataset, metric, gibberish, "caption", "shorter-above-longer"), reason


def _from_five(
    known: Mapping[Quantity, float],
    five: Mapping[tuple[str, str], float],
    here: Sequence[str],
    metrics: Sequence[str],
) -> Quantities:
    """Yield the figures of section 4.1 with five descriptions per image, on the datasets with many more."""
    upper = {
        (name, metric): value
        for (name, metric, candidate, level, statistic), value in known.items()
        if (candidate, level, statistic) == ("human", "caption", "mean")
    }
    for dataset in (name for name in here if name in _MANY):
        for metric in metrics:
            rise = upper[dataset, metric] - five[dataset, metric]
            yield (dataset, metric, "human", "caption", "rise-with-references"), rise
            yield (dataset, metric, "human-five-captions", "caption", "mean"), five[dataset, metric]
            others = [upper[name, metric] for name in here if name not in _MANY]
            if others:
                beyond = max(min(others) - five[dataset, metric], five[dataset, metric] - max(others), 0.0)
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


_ROUGE = ("rouge-1", "rouge-l", "rouge-w-1.2", "rouge-su4")

_CIDER = ("cider", "cider-d")

_LEVELS = ("image", "caption")

Taus = dict[tuple[str, str], float]


def correlation_quantities(rows: pl.DataFrame, datasets: Sequence[str], metrics: Sequence[str]) -> Quantities:
    """Yield every pair's τ at both levels, and the paper's summaries of groups of pairs.

    `rows` are those of `correlate`, with `kendall-b` and `spearman`; pairs are in the order of `metrics`.
    """
    drops: dict[str, float] = {}
    for dataset in datasets:
        by_level = {level: _pairs(rows, dataset, level, "kendall-b") for level in _LEVELS}
        if not by_level["image"]:
            continue
        for level, taus in by_level.items():
            for (a, b), tau in taus.items():
                yield (dataset, f"{a} {b}", "human", level, "kendall-b"), tau
            yield (dataset, "", "human", level, "kendall-b-average"), fmean(taus.values())
        yield from _per_image(rows, dataset, by_level["image"])
        by_pair = {pair: by_level["image"][pair] - by_level["caption"][pair] for pair in by_level["image"]}
        drops[dataset] = fmean(by_pair.values())
        if "meteor" in metrics:
            own = [drop for pair, drop in by_pair.items() if "meteor" in pair]
            others = [drop for pair, drop in by_pair.items() if "meteor" not in pair]
            yield (dataset, "meteor", "human", "caption", "drop"), fmean(own)
            yield (dataset, "meteor", "human", "caption", "drop-beyond-the-other-metrics"), fmean(own) - fmean(others)
    few = [drop for dataset, drop in drops.items() if dataset not in _MANY]
    for dataset in (name for name in drops if name in _MANY and few):
        yield (dataset, "", "human", "caption", "drop-beyond-the-others"), drops[dataset] - fmean(few)


def _pairs(rows: pl.DataFrame, dataset: str, level: str, statistic: str, column: str = "value") -> Taus:
    chosen = rows.filter(pl.col(column).is_not_null(), dataset=dataset, level=level, statistic=statistic)
    return {(a, b): value for a, b, value in chosen.select("metric_a", "metric_b", column).iter_rows()}


def _per_image(rows: pl.DataFrame, dataset: str, taus: Taus) -> Quantities:
    def of(metric: str, statistic: str) -> Quantity:
        return (dataset, metric, "human", "image", statistic)

    spearman = _pairs(rows, dataset, "image", "spearman")
    yield of("", "p-highest"), max(_pairs(rows, dataset, "image", "kendall-b", "p").values())
    yield of("", "spearman-above-kendall-b-lowest"), min(spearman[pair] - tau for pair, tau in taus.items())
    groups: dict[str, Callable[[str, str], bool]] = {
        "": lambda a, b: True,
        "bleu-1 others": lambda a, b: a == "bleu-1" and b not in _BLEU,
        "rouge meteor-cider": lambda a, b: a in _ROUGE and b in ("meteor", *_CIDER),
        "rouge meteor": lambda a, b: a in _ROUGE and b == "meteor",
        "rouge cider": lambda a, b: a in _ROUGE and b in _CIDER,
    }
    for name, belongs in groups.items():
        values = [tau for pair, tau in taus.items() if belongs(*pair)]
        if values:
            yield of(name, "kendall-b-lowest"), min(values)
            yield of(name, "kendall-b-highest"), max(values)
            yield of(name, "kendall-b-average"), fmean(values)
    beaten = [taus[bleu, "rouge-su4"] > taus[bleu, rouge] for bleu in _BLEU for rouge in _ROUGE if rouge != "rouge-su4"]
    yield of("", "share-best-with-rouge-su4"), fmean(beaten)
