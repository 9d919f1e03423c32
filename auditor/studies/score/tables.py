"""Tables of scores: means, intervals, and the captions least similar to their references."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import polars as pl

from auditor.metrics.card import Metric
from auditor.metrics.together import Together, mean_of
from auditor.model import Selection
from auditor.result import Table
from auditor.scoring.registry import MetricRequest
from auditor.statistics.paired_systems import Resampling, Score, beside_first
from auditor.statistics.summary import summarize

_LEAST = 10


def summary_table(
    described: Selection,
    system: Selection | None,
    scores: pl.DataFrame,
    metrics: Sequence[MetricRequest],
    *,
    distinct: bool,
) -> Table:
    """Return the summary over captions: those of a system, or of the dataset itself."""
    labels = [metric.label for metric in metrics]
    summary = pl.concat(
        summarize(scores.filter(variant=variant).select("image", *labels))
        .filter(pl.col("level") == "caption")
        .select("metric", *([pl.lit(variant).alias("variant")] if distinct else []), pl.exclude("metric", "level"))
        for variant in scores["variant"].unique(maintain_order=True)
    ).sort(pl.col("metric").replace_strict({label: index for index, label in enumerate(labels)}), maintain_order=True)
    if system is None:
        return Table(f"scores of the captions of {described.label}", summary, name="scores")
    cider = [metric for metric in metrics if metric.metric.name in ("cider", "cider-d")]
    raw = [metric.label for metric in cider if metric.settings["scale"] == "raw"]
    bleu = [label for label in labels if label.startswith("bleu")]
    notes = []
    if raw:
        notes.append(
            f"{', '.join(raw)}: scale raw, at most 1; pycocoevalcap uses scale=x10, and papers print 100 times that"
        )
    if bleu:
        notes.append(f"{', '.join(bleu)}: means over captions; papers print BLEU of all captions as one text")
    title = f"scores of the captions of {system.label} against those of {described.label}"
    return Table(title, summary, caption="; ".join(notes) or None, name="scores")


def means_table(selection: Selection, scores: pl.DataFrame, labels: Sequence[str], resampling: Resampling) -> Table:
    """Return the means of several systems side by side, with differences from the first.

    `scores` has columns system, image and the metrics.
    """
    key = (selection.pinned_name, resampling.seed)
    rows = []
    for label in labels:
        mean = mean_of(_column(label))
        sums = {
            str(system): mean.sums(of_system, {})
            for (system,), of_system in scores.group_by("system", maintain_order=True)
        }
        means = beside_first(sums, _of_sums(mean), resampling, key)
        rows.append(means.with_columns(metric=pl.lit(label)))
    frame = pl.concat(rows).select("metric", "candidate", "n", pl.exclude("metric", "candidate", "n", "against"))
    title = f"means of the systems over the captions of {selection.label}"
    return Table(title, frame, sections="metric", caption=resampling.caption(next(iter(sums))), name="means")


def _column(label: str) -> Callable[[pl.DataFrame, Mapping[str, Any]], pl.Series]:
    return lambda scores, _: scores[label]


def _of_sums(mean: Together) -> Score:
    return lambda sums: mean.score(sums, {})


def least_alike_table(named: pl.DataFrame, label: str, metric: Metric, *, is_system: bool, of: str = "") -> Table:
    """Return the captions with the lowest scores; `of` names the system if there are several."""
    least = named.sort(label, "image", "slot", descending=[metric.lower_is_better, False, False]).head(_LEAST)
    others = "references" if is_system else "others"
    what = "least similar to their image" if metric.sees_images else f"least similar to the {others} of their image"
    reason = "does not match its image" if metric.sees_images else f"shares nothing with the {others}"
    of_last = pl.col(label) == least[label].tail(1).first() if least.height else pl.lit(False)
    equal = named.filter(of_last).height - least.filter(of_last).height
    return Table(
        f"the {least.height} captions {of}{what}, by {label}",
        least.select("image", "slot", label, "text"),
        caption=f"a caption that {reason} may describe another image"
        + (f"; {equal:,} more have the same score as the last" if equal else ""),
        name="least-alike",
    )
