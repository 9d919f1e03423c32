"""How far the scores of human captions and of captions of another image overlap: homogeneity, caption by caption."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import polars as pl

from auditor.arrays import np
from auditor.result import Figure, Sentence, Table, joined
from auditor.result.views import EMPTY, View
from auditor.statistics.resampling import GIVER, Floats
from auditor.studies.compare.indices import Indices

#: The statistic of the rows.
OVERLAP = "overlap"

_INDEX = "homogeneity"

#: The candidates, with what a figure adds to the name of a dataset.
_NAMES = {"human": "", "intra": ", another image"}

#: Steps of a drawn distribution for each mean score of human captions, the means that are drawn, counts per score of 1.
_STEPS, _MOST, _FINE = 8, 3, 1000

_TABLE = View(
    Table(
        "overlap of scores: captions of the image, captions of another", EMPTY, (OVERLAP,), "metric", name=OVERLAP,
        caption="miss rate plus false-alarm rate at the best cut-off, for human captions against captions of another "
        "image. 0: a cut-off separates them; 1: their scores are the same",
    ),
    columns=("metric", "dataset", OVERLAP),
)  # fmt: skip


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
    both, found = scores.filter(pl.col("candidate").is_in([*_NAMES])), list[Overlap]()
    for metric in metrics:
        counts = both.group_by("candidate", score=(pl.col(metric) * _FINE).floor()).agg(captions=pl.len())
        found.append(Overlap(label, metric, _overlap(own[metric].to_numpy(), other[metric].to_numpy()), counts))
    return found


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


def disagreement(measured: Sequence[Overlap], indices: Sequence[Indices]) -> tuple[Sentence, ...]:
    """Report the metrics by which overlap and homogeneity order the datasets differently, and what each answers."""
    wholes = {(one.label, one.metric): one.value for each in indices for one in each.indices if one.statistic == _INDEX}
    known = [(one.metric, one.label, one.value, wholes.get((one.label, one.metric))) for one in measured]
    frame = pl.DataFrame(known, schema=["metric", "label", OVERLAP, _INDEX], orient="row").drop_nulls()
    both = pl.col(OVERLAP, _INDEX).rank("min", descending=True).over("metric").cast(pl.Int64)
    apart = frame.with_columns(both).filter(pl.col(OVERLAP) != pl.col(_INDEX))
    if apart.is_empty():
        return ()
    difference = (pl.col(OVERLAP) - pl.col(_INDEX)).abs()
    metric, label, overlap, index = apart.sort(difference, descending=True, maintain_order=True).row(0)
    metrics = joined(apart["metric"].unique(maintain_order=True).to_list())
    said = (
        f"overlap and homogeneity order the datasets differently by {metrics}. Overlap asks how often a caption of "
        f"another image scores like a human one: {label} is number {overlap} ({metric}). Homogeneity asks how high it "
        f"scores on average: there it is number {index}."
    )
    return (Sentence(said, "caveat"),)


def table(measured: Sequence[Overlap]) -> tuple[Table, ...]:
    """Return the overlaps by metric and dataset."""
    metrics = list(dict.fromkeys(one.metric for one in measured))
    placed = sorted(measured, key=lambda one: (metrics.index(one.metric), -one.value))
    rows = [(one.metric, one.label, one.value) for one in placed]
    return tuple(_TABLE.of(pl.DataFrame(rows, schema=["metric", "dataset", OVERLAP], orient="row")))


def figures(measured: Sequence[Overlap]) -> Iterator[Figure]:
    """Draw the distributions of each dataset, human captions above."""
    for number, label in enumerate(dict.fromkeys(one.label for one in measured), 1):
        own = [one for one in measured if one.label == label]
        said = ", ".join(f"{one.metric} {one.value:.0%}" for one in own)
        yield Figure(
            f"scores-{number}", f"Scores of {label}: overlap {said}", "lines", pl.concat(map(_shares, own)), x="score",
            y="share", series="metric", x_label="score / mean score of a human caption", y_label="share of captions",
            dashed=_NAMES["intra"],
            caption="Above 0, solid: human captions. Below, dashed: another image; the mean is homogeneity.",
        )  # fmt: skip


def _shares(one: Overlap) -> pl.DataFrame:
    """Return the share of captions at each step of the score, below 0 for captions of another image."""
    counts, captions = one.counts.with_columns(pl.col("score") + 0.5), pl.col("captions")
    mean = counts.filter(candidate="human").select((pl.col("score") * captions).sum() / captions.sum()).item()
    step = (pl.col("score") / mean * _STEPS).floor().clip(0, _MOST * _STEPS).cast(pl.Int64)
    steps = pl.DataFrame({"candidate": [*_NAMES]}).join(pl.DataFrame({"step": range(_MOST * _STEPS + 1)}), how="cross")
    full = steps.join(counts.group_by("candidate", step=step).agg(captions.sum()), on=["candidate", "step"], how="left")
    share, name = captions.fill_null(0) / captions.sum().over("candidate"), pl.col("candidate").replace_strict(_NAMES)
    return full.sort("candidate", "step").select(
        (one.metric + name).alias("metric"), score=(pl.col("step") + 0.5) / _STEPS,
        share=pl.when(candidate="human").then(share).otherwise(-share),
    )  # fmt: skip
