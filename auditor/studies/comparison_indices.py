"""The indices of Wang & Gaizauskas 2016 for one dataset: bounds, their ratio and difference, and how sure they are."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

import numpy as np
import polars as pl

from auditor.model import Progress, Selection
from auditor.statistics.resampling import (
    Floats,
    ImageSums,
    image_sums,
    jackknife_error,
    left_out_means,
    percentile_interval,
    resampled_means,
)

#: What the mean of each candidate's scores is called.
BOUNDS: Mapping[str, str] = {"human": "upper", "intra": "intra", "inter": "inter", "brown": "brown"}

#: What is made of the bounds.
INDICES = ("homogeneity", "specificity")

#: Every statistic, in the order in which results show them.
STATISTICS = (*BOUNDS.values(), *INDICES)


@dataclass(frozen=True)
class Index:
    """One statistic of one dataset by one metric. `resampled` has its value in each resample."""

    label: str
    metric: str
    statistic: str
    value: float
    interval: tuple[float, float] | None
    se: float | None
    higher_is_first: bool
    resampled: Floats = field(repr=False)


@dataclass(frozen=True)
class Indices:
    """Every index of one dataset. `captions` is their mean number an image."""

    found: tuple[Index, ...]
    captions: float
    notes: tuple[str, ...]
    sums: ImageSums = field(repr=False)


def indices(
    selection: Selection,
    scores: pl.DataFrame,
    errors: Collection[str],
    seed: int,
    resamples: int,
    confidence: float,
    progress: Progress,
) -> Indices:
    """Make the indices of scores, as `score_candidates` gives them. `errors` are the metrics that count errors."""
    label, sums = selection.label, image_sums(scores)
    key = (seed, selection.version.dataset, selection.version.version, selection.split)
    drawn = resampled_means(sums, resamples if sums.images > 1 else 0, key, progress, f"{label}: resampling images")
    left_out = left_out_means(sums)
    found, undefined, open_ended = [], [], []
    for metric in dict.fromkeys(metric for _, metric in sums.columns):
        of_metric = [place for place, (_, name) in enumerate(sums.columns) if name == metric]
        names = [BOUNDS[sums.columns[place][0]] for place in of_metric]
        values, resampled, without = (
            derived(dict(zip(names, means[..., of_metric].T, strict=True)), is_error=metric in errors)
            for means in (sums.means, drawn, left_out)
        )
        for statistic in filter(values.__contains__, STATISTICS):
            if not np.isfinite(values[statistic]):
                undefined.append(metric)
                continue
            interval = percentile_interval(resampled[statistic], confidence)
            if len(drawn) and interval is None:
                open_ended.append(metric)
            found.append(
                Index(
                    label,
                    metric,
                    statistic,
                    float(values[statistic]),
                    interval,
                    jackknife_error(without[statistic]),
                    statistic not in BOUNDS.values() or metric not in errors,
                    resampled[statistic],
                )
            )
    notes = []
    if undefined:
        notes.append(f"{label}: no homogeneity by {', '.join(undefined)}: it would divide by 0")
    if open_ended:
        notes.append(f"{label}: no interval of homogeneity by {', '.join(open_ended)}: some resamples divide by 0")
    if resamples and sums.images == 1:
        notes.append(f"{label}: no intervals: there is one image only")
    human = sums.counts[:, 0]
    return Indices(tuple(found), float(human.sum() / np.count_nonzero(human)), tuple(notes), sums)


def derived(bounds: Mapping[str, Floats], *, is_error: bool) -> dict[str, Floats]:
    """Derive what can be had of the bounds of one metric, elementwise. What divides by 0 is not a number."""
    derived = dict(bounds)
    if "intra" in bounds:
        share, whole = (bounds["upper"], bounds["intra"]) if is_error else (bounds["intra"], bounds["upper"])
        with np.errstate(invalid="ignore", divide="ignore"):
            derived["homogeneity"] = np.where(whole > 0, share / whole, np.nan)
        if "inter" in bounds:
            own, others = bounds["intra"], bounds["inter"]
            derived["specificity"] = others - own if is_error else own - others
    return derived
