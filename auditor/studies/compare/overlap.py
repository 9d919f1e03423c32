"""How far the scores of human captions and of captions of another image overlap: homogeneity, caption by caption."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from operator import itemgetter

import polars as pl

from auditor.arrays import np
from auditor.result import Figure, Table
from auditor.statistics.resampling import GIVER, Floats
from auditor.studies.compare.indices import Indices

#: The statistic of the rows.
OVERLAP = "overlap"

_INDEX = "homogeneity"

#: The candidates, with what a figure adds to the name of a dataset.
_NAMES = {"human": "", "intra": ", another image"}

#: Bars of a distribution, and counts per unit of a score that they are made of.
_BINS, _FINE = 24, 200


@dataclass(frozen=True)
class Overlap:
    """The overlap of a dataset by one metric, and the numbers of captions by candidate and score."""

    label: str
    metric: str
    value: float
    counts: pl.DataFrame = field(repr=False)


def overlaps(label: str, scores: pl.DataFrame) -> list[Overlap]:
    """Measure the overlap by each metric: 1 minus the largest distance of both distribution functions.

    It is the least sum of two shares over all thresholds: human captions below, and others above. If two densities
    cross once, it is the area that they share.
    """
    own, other = (scores.filter(candidate=name) for name in _NAMES)
    metrics = [name for name in scores.columns if name not in ("candidate", "image", "slot", GIVER)]
    if own.is_empty() or other.is_empty():
        return []
    return [
        Overlap(
            label,
            metric,
            _overlap(own[metric].to_numpy(), other[metric].to_numpy()),
            scores.filter(pl.col("candidate").is_in([*_NAMES]))
            .group_by("candidate", score=(pl.col(metric) * _FINE).floor())
            .agg(captions=pl.len()),
        )
        for metric in metrics
    ]


def _overlap(own: Floats, other: Floats) -> float:
    values = np.unique(np.concatenate([own, other]))
    reached = (np.searchsorted(np.sort(part), values, side="right") / len(part) for part in (own, other))
    return round(1 - float(np.abs(np.subtract(*reached)).max()), 12)


def rows(measured: Sequence[Overlap], signatures: Mapping[str, str], seed: int) -> pl.DataFrame:
    """Return one row per dataset (its `label`) and metric. A share of captions has no interval."""
    columns = {"label": pl.String, "metric": pl.String, "value": pl.Float64, "signature": pl.String}
    values = [(one.label, one.metric, one.value, signatures[one.metric]) for one in measured]
    frame = pl.DataFrame(values, schema=columns, orient="row")
    return frame.with_columns(statistic=pl.lit(OVERLAP), seed=pl.lit(seed, pl.Int64))


def contradictions(measured: Sequence[Overlap], indices: Sequence[Indices]) -> list[str]:
    """Return a sentence on the metrics by which overlap and homogeneity order the datasets differently."""
    wholes = {(one.label, one.metric): one.value for each in indices for one in each.indices if one.statistic == _INDEX}
    orders: dict[str, list[tuple[float, float]]] = {}
    for one in measured:
        if (value := wholes.get((one.label, one.metric))) is not None:
            orders.setdefault(one.metric, []).append((one.value, value))
    metrics = [
        metric for metric, pairs in orders.items() if [*map(pairs.index, sorted(pairs))]
        != [*map(pairs.index, sorted(pairs, key=itemgetter(1)))]
    ]  # fmt: skip
    if not metrics:
        return []
    return [
        f"overlap and homogeneity order the datasets differently by {', '.join(metrics)}. Homogeneity asks how high "
        "captions of another image score on average, overlap how often one scores like a caption of the image"
    ]


def table(measured: Sequence[Overlap]) -> tuple[Table, ...]:
    """Return the overlaps by metric and dataset."""
    if not measured:
        return ()
    metrics = list(dict.fromkeys(one.metric for one in measured))
    placed = sorted(measured, key=lambda one: (metrics.index(one.metric), -one.value))
    frame = pl.DataFrame(
        [(one.metric, one.label, one.value) for one in placed], schema=["metric", "dataset", OVERLAP], orient="row"
    )
    caption = (
        "the least sum of two shares over all thresholds of a score: human captions below, and captions of another "
        "image above. 0: a threshold separates them; 1: their scores are the same"
    )
    title = "overlap of scores: captions of the image, captions of another"
    return (Table(title, frame, (OVERLAP,), sections="metric", caption=caption, name=OVERLAP),)


def figures(measured: Sequence[Overlap]) -> tuple[Figure, ...]:
    """Draw the distributions of each metric, with the same scale for every dataset."""
    return tuple(
        _figure(metric, [one for one in measured if one.metric == metric])
        for metric in dict.fromkeys(one.metric for one in measured)
    )


def _figure(metric: str, measured: Sequence[Overlap]) -> Figure:
    every = pl.concat(one.counts.with_columns(label=pl.lit(one.label), overlap=one.value) for one in measured)
    lows = every.sort("score").with_columns(reached=pl.col("captions").cum_sum() / pl.col("captions").sum())
    most = max(float(lows.filter(pl.col("reached") >= 0.995)["score"].min() or 0), _BINS)  # type: ignore[arg-type]
    width = most / _BINS
    by = ["label", "candidate", "overlap"]
    bins = (
        every.with_columns(bin=(pl.col("score") / width).floor().clip(0, _BINS).cast(pl.Int64))
        .group_by(*by, "bin").agg(pl.col("captions").sum())
    )  # fmt: skip
    full = every.select(by).unique(maintain_order=True).join(pl.DataFrame({"bin": range(_BINS + 1)}), how="cross")
    name = pl.col("label") + pl.col("candidate").replace_strict(_NAMES)
    frame = (
        full.join(bins, on=[*by, "bin"], how="left")
        .with_columns(share=pl.col("captions").fill_null(0) / pl.col("captions").sum().over(by), dataset=name)
        .with_columns(score=pl.col("bin") * width / _FINE)
        .sort("label", pl.col("candidate") != "human", "bin", maintain_order=True)
        .select("dataset", "score", "share")
    )
    said = "; ".join(f"{one.label} {one.value:.0%}" for one in measured)
    return Figure(
        f"scores-{metric.partition(':')[0]}", f"Scores by {metric}: overlap {said}", "lines", frame, x="score",
        y="share", series="dataset", x_label=metric, y_label="share of captions", dashed=_NAMES["intra"],
        caption="Solid: human captions of an image. Dashed: captions of another image.",
    )  # fmt: skip
