"""Curves over numbers of references: mean, stability, reliability, and the smallest detectable difference."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from statistics import fmean

import numpy as np
import polars as pl
from numpy.typing import NDArray

from auditor.metrics.known import KnownPairs
from auditor.model import Progress
from auditor.scoring.by_reference_count import ReferenceOrder, each_number
from auditor.scoring.registry import MetricRequest
from auditor.statistics.cards import cards_of
from auditor.statistics.correlation import at_level, correlate
from auditor.statistics.summary import exact
from auditor.store.captions import Captions

#: The maximum of held-out captions per image: more would hardly change the means.
_HELD_OUT = 5

#: The Spearman's rho with scores against all references from which a ranking is stable.
_STABLE = 0.95

#: The size of a second test set for detectable differences.
_IMAGES = 1000

_SHARE = "detectable-share"

STATISTICS = tuple(cards_of("references"))

#: (metric, statistic) -> a value, or null.
_Values = dict[tuple[str, str], float | None]

#: (metric, references or null, statistic) -> a value for each draw, or null.
CurveStatistics = dict[tuple[str, int | None, str], list[float | None]]


def measure(
    captions: Captions,
    metrics: Sequence[MetricRequest],
    most: int,
    draws: int,
    seed: int,
    progress: Progress,
) -> tuple[CurveStatistics, dict[str, int]]:
    """Measure every draw. Returns the values, and their numbers of captions and images."""
    measured: CurveStatistics = {}
    counted: dict[str, int] = {}
    labels = [metric.label for metric in metrics]

    def scored(order: ReferenceOrder, at: Sequence[int]) -> list[pl.DataFrame]:
        """Score by number of references, with images and captions in the same order in each frame."""
        return list(each_number(captions, [], metrics, order, at, progress, pairs))

    for draw in range(draws):
        pairs = KnownPairs()
        order = ReferenceOrder(most, seed + draw, "loo", held_out=_HELD_OUT)
        frames = scored(order, range(1, most + 1))
        others = scored(ReferenceOrder(most, seed + draw, "loo", True, _HELD_OUT), range(1, most // 2 + 1))
        last = _last_two(order.places(captions), order.captions)
        counted = {"captions": frames[-1].height, "images": frames[-1]["image"].n_unique()}
        for done, (k, scores) in enumerate(enumerate(frames, 1)):
            progress(f"{captions.label}: comparing numbers of references", done, most)
            values: _Values = dict(_means(scores, labels))
            if k < most:
                values |= _agreement("stability", scores, frames[-1], labels)
                values |= _detectable(scores, last, labels)
                values |= {(label, _SHARE): _share(values, label) for label in labels}
            if k <= len(others):
                values |= _agreement("reliability", scores, others[k - 1], labels)
            for (metric, statistic), value in values.items():
                measured.setdefault((metric, k, statistic), []).append(value)
        for metric in labels:
            for statistic, value in sufficient(measured, metric, most, draw).items():
                measured.setdefault((metric, None, statistic), []).append(value)
    return measured, counted


def _means(scores: pl.DataFrame, labels: Sequence[str]) -> Iterator[tuple[tuple[str, str], float | None]]:
    sums = scores.select(exact(pl.col(labels)).sum().cast(pl.Float64) / 1e12 / pl.len())
    for label in labels:
        yield (label, "mean"), sums[label].item()


def _agreement(statistic: str, scores: pl.DataFrame, others: pl.DataFrame, labels: Sequence[str]) -> _Values:
    """Correlate scores with others of the same captions, and their means by image; null if either is constant.

    A caption without a score on both sides, since a drawn reference is too long, is left out.
    """
    values: _Values = {}
    key = ["image", "slot"]
    scores, others = scores.join(others, on=key, how="semi"), others.join(scores, on=key, how="semi")
    pairs = [(label, f"{label} of others") for label in labels]
    for level, coefficient, name in (("caption", "spearman", statistic), ("image", "kendall-b", f"{statistic}-image")):
        ours, theirs = (at_level(frame.select("image", *labels), level) for frame in (scores, others))
        both = ours.hstack(theirs.rename(dict(pairs)))
        found = correlate(both, (coefficient,), pairs)["value"]
        values |= {(label, name): value for label, value in zip(labels, found, strict=True)}
    return values


def _last_two(places: pl.DataFrame, captions: int) -> pl.DataFrame:
    """Return the last two captions of each image in the order. Columns: image, slot, side (0 or 1)."""
    side = captions - pl.col("place").cast(pl.Int64)
    return places.select("image", "slot", side=side).filter(pl.col("side").is_between(0, 1))


def _detectable(scores: pl.DataFrame, last: pl.DataFrame, labels: Sequence[str]) -> _Values:
    """Compare two captions of each image, neither a reference of the other, as two equally good systems."""
    sides = scores.join(last, on=["image", "slot"]).sort("image", "side").partition_by("side", maintain_order=True)
    if len(sides) < 2:
        return {}
    first, second = sides
    values: _Values = {}
    for label in labels:
        differences = (first[label] - second[label]).to_numpy()
        values[label, "detectable"] = detectable(differences)
        values[label, f"detectable-{_IMAGES}"] = detectable(differences, _IMAGES)
    return values


def _share(values: _Values, label: str) -> float | None:
    """Divide a detectable difference by the mean, which makes numbers of references comparable; null without one."""
    difference, mean = values.get((label, f"detectable-{_IMAGES}")), values[label, "mean"]
    return difference / mean if difference is not None and mean else None


def sufficient(measured: CurveStatistics, metric: str, most: int, draw: int | None) -> dict[str, float | None]:
    """Return the sufficient numbers of references, by one draw or by the means of all."""

    def curve(statistic: str, end: int) -> list[float]:
        each = [measured[metric, k, statistic] for k in range(1, end + 1)]
        known = [[value for value in values if value is not None] for values in each]
        if any(len(valid) < len(values) for valid, values in zip(known, each, strict=True)):
            return []
        return [values[draw] if draw is not None else fmean(values) for values in known]

    means, stability = curve("mean", most), curve("stability", most - 1)
    return {
        "knee": knee(means),
        "enough": saturation_point(means),
        "stable": lasting([*stability, 1.0], _STABLE) if stability else None,
    }


#: A mean rises with references if it changes by this share of itself; it is saturated at this share of the change.
RISING, RISEN = 0.05, 0.95

#: Normal quantiles of a two-sided test at 5% and of a power of 80%.
_Z_TEST, _Z_POWER = 1.959963984540054, 0.8416212335729143


def rises(curve: Sequence[float]) -> bool:
    """Return whether a curve's ends differ by at least a twentieth of the larger of them."""
    return abs(curve[-1] - curve[0]) >= RISING * max(abs(curve[0]), abs(curve[-1])) > 0


def knee(curve: Sequence[float]) -> int | None:
    """Return the point, counted from 1, that is farthest above the chord from the first to the last point.

    Both axes are scaled to 0 … 1, so that a falling curve is read as a rising one. Of equally far points the first
    counts (Kneedle, Satopää et al. 2011, without smoothing). Null for a curve that does not rise, has fewer than three
    points, or is never above its chord.
    """
    if len(curve) < 3 or not rises(curve):
        return None
    along = np.linspace(0, 1, len(curve))
    above = ((np.array(curve) - curve[0]) / (curve[-1] - curve[0]) - along).round(12)
    farthest = int(np.argmax(above))
    return farthest + 1 if above[farthest] > 0 else None


def saturation_point(curve: Sequence[float]) -> int | None:
    """Return the first point, counted from 1, from which on at least 95% of the whole rise is reached.

    Null for a curve that does not rise.
    """
    if not rises(curve):
        return None
    return lasting([(value - curve[0]) / (curve[-1] - curve[0]) for value in curve], RISEN)


def lasting(values: Sequence[float], level: float) -> int | None:
    """Return the first point, counted from 1, from which on no value is below a level. Null if the last one is."""
    below = [number for number, value in enumerate(values, 1) if not value >= level - 1e-12]
    first = below[-1] + 1 if below else 1
    return first if first <= len(values) else None


def detectable(differences: NDArray[np.float64], images: int | None = None) -> float | None:
    """Return the difference between the means of two systems that a test finds four times in five.

    `differences` are those of two equally good candidates, by image. With their sd s and n images, a paired two-sided
    test at 5% has a power of 80% at (z_.975 + z_.8) s / sqrt(n). `images` is n for another set. Null for fewer than two
    images.
    """
    if len(differences) < 2:
        return None
    sd = float(np.std(differences, ddof=1))
    return (_Z_TEST + _Z_POWER) * sd / math.sqrt(images or len(differences))
