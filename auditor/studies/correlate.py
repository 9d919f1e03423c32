"""Correlations between metrics, per image and per caption (Wang & Gaizauskas 2016, section 4.2)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Annotated

import polars as pl

from auditor import parameters as p
from auditor.asked import face
from auditor.asking import question
from auditor.errors import UsageError
from auditor.metrics.given import asked_with
from auditor.model import Progress, Selection, silent
from auditor.result import Figure, Result, Said, Table, folded
from auditor.result.views import EMPTY, View, filled, labeled
from auditor.scoring.candidates import HUMAN
from auditor.scoring.registry import References, left_out, requests
from auditor.scoring.scores import scorable, score_candidates, signatures, together, too_few_captions, too_long
from auditor.scoring.single_captions import referenced, without_references
from auditor.statistics.correlation import FEWEST, LEVELS, STATISTICS, at_level, constants
from auditor.statistics.correlation import correlate as correlate_scores
from auditor.statistics.significance import SMALLEST_P
from auditor.store.captions import select_all, selections_of, stamp, stepwise
from auditor.store.connection import Store
from auditor.text import AUTO

#: How many of the strongest and of the weakest pairs a table shows.
_EXTREMES = 5

_PAIR = ("metric_a", "metric_b")


Statistics = Annotated[
    Sequence[str] | None,
    p.Parameter("kendall-b, spearman or pearson; default: all three.", "statistic", choices=STATISTICS),
]


@face(draws=True)
@question
def correlate(
    store: Store,
    *refs: p.Refs,
    metrics: p.Metrics = None,
    scores: p.GivenScores = None,
    tokenizer: p.Tokenizer = AUTO,
    split: p.Split = None,
    references: p.References = None,
    seed: p.Seed = 1,
    statistics: Statistics = None,
    progress: Progress = silent,
) -> Result:
    """Correlate metrics, per image and per caption.

    Correlates every pair of metrics over the leave-one-out scores of captions, and over their means by image: Kendall's
    τ-b, Spearman's ρ, Pearson's r, each with p.

    How to read it: at 1, both metrics order captions in the same way, and one of them is enough. At 0, they measure
    different things. Correlations by image are usually higher than by caption.

    Limits: metrics that agree with each other may disagree with human ratings: see `auditor agree`. Captions of an
    image are not independent, so p is too small. With thousands of captions, it is always small.

    With `--scores FILE`, scores that were computed elsewhere are metrics too: see `auditor agree`.

    Source: Wang & Gaizauskas 2016, section 4.2.

    Raises `UsageError` for fewer than two metrics.

    Example: auditor correlate flickr8k:test -m cider -m rouge-l --statistic kendall-b
    """
    chosen = [name for name in STATISTICS if not statistics or name in statistics]
    metrics = asked_with(metrics, scores)
    requested = requests(metrics)
    if len(requested) < 2:
        raise UsageError("correlate needs two or more metrics; add another -m, or leave out -m for all")
    against = References("loo", references, seed)
    selected = select_all(store, refs, split, tokenizer, progress=progress)
    every, alone = referenced(selected, against, requested)
    named, names, notes = list[tuple[str, pl.DataFrame]](), [], list[Said]((*left_out(metrics), *alone))
    for captions, steps in stepwise(every, progress):
        selection, drawn = captions.selection, against.select(captions)
        usable, unscored = scorable(drawn, requested, metrics)
        scored = score_candidates(drawn, [HUMAN], usable, steps)
        part, absent = _correlations(selection, scored, [metric.label for metric in usable], chosen, steps)
        named.append((captions.label, part))
        used = [metric for metric in usable if _is_in(part, metric.label)]
        names.append(signatures(used, captions.tokenizer, against))
        size = f" and no score; {scored.height:,} captions of {scored['image'].n_unique():,} images are scored"
        notes += [*unscored, *too_few_captions(captions, against), *without_references(captions, size)]
        notes += [*too_long(captions), *absent, *_largest_p(selection, part)]
        del scored
    rows = pl.concat(part for _, part in named)
    used = [metric for metric in requested if _is_in(rows, metric.label)]
    errors = ", ".join(metric.label for metric in used if metric.metric.lower_is_better)
    signs = [f"{errors}: counts errors, so agreement with other metrics is a negative correlation"] if errors else []
    count = f"{rows.filter(p=SMALLEST_P).height:,} of {rows.height:,}"
    smallest = f"p of {SMALLEST_P:.1e} ({count}) is an upper bound: doubles cannot be smaller"
    signed, labels = together(names), labeled(selections_of(every), rows)
    signatures_of = {f"signature_{side}": pl.col(f"metric_{side}").replace_strict(signed) for side in "ab"}
    return Result(
        "correlate",
        rows.with_columns(**signatures_of),
        selections=selections_of(every),
        signatures=signed,
        tables=folded((*(table for pair in named for table in _tables(*pair)), *_ranges(labels))),
        figures=tuple(figure for pair in named for figure in _heatmaps(*pair)),
        lead=tuple(sentence for pair in named for sentence in _lead(*pair)),
        notes=selected[0].notes,
        said=(*notes, *signs, *([smallest] if SMALLEST_P in rows["p"] else [])),
    )


def _lead(label: str, rows: pl.DataFrame) -> list[str]:
    """Return which metrics agree most and least, per caption."""
    first = rows.filter(level="caption", statistic=rows["statistic"].first()).drop_nulls("value").sort("value")
    if first.height < 2:
        return [f"{label}: too few correlations per caption to compare metrics."]
    least, most = (first.row(index, named=True) for index in (0, -1))
    pairs = [f"{row['metric_a']} and {row['metric_b']} ({row['value']:.2f})" for row in (most, least)]
    return [f"{label}: by {most['statistic']} per caption, {pairs[0]} agree most, {pairs[1]} least."]


def _is_in(rows: pl.DataFrame, label: str) -> bool:
    return bool(rows.filter(pl.any_horizontal(pl.col(_PAIR) == label)).height)


def _correlations(
    selection: Selection, scores: pl.DataFrame, labels: Sequence[str], statistics: Sequence[str], progress: Progress
) -> tuple[pl.DataFrame, list[str]]:
    parts, notes = [], []
    for done, level in enumerate(LEVELS):
        progress(f"{selection.label}: correlating per {level}", done, len(LEVELS))
        values = at_level(scores.select("image", *labels), level)
        rows = stamp(selection, correlate_scores(values, statistics)).with_columns(level=pl.lit(level))
        last = ("version", "split")
        parts.append(rows.select("dataset", "level", pl.exclude("dataset", "level", *last), *last))
        if values.height < FEWEST:
            few = f"{values.height} with scores, fewer than {FEWEST}"
            notes.append(f"{selection.label}: no correlations per {level}: {few}")
        elif constant := constants(values):
            names = ", ".join(constant)
            notes.append(f"{selection.label}: no correlations of {names} per {level}, because all values are equal")
    return pl.concat(parts), notes


def _largest_p(selection: Selection, rows: pl.DataFrame) -> Iterator[str]:
    largest = rows.drop_nulls("p").sort("p", descending=True, maintain_order=True).head(1)
    for highest, statistic, a, b, level in largest.select("p", "statistic", *_PAIR, "level").iter_rows():
        said = f"the largest p is {highest:.1e} ({statistic} of {a} and {b} per {level})"
        yield f"{selection.label}: {said if highest > SMALLEST_P else f'no p is above {highest:.1e}'}"


#: A statistic as lower triangles: a row for each metric but the first, a column for each but the last.
_MATRICES = View(
    Table("{statistic} of {label}, per {level}", EMPTY, name="matrix"),
    each="level",
    pivot=("metric_a", "metric_b", "value"),
    columns=(pl.col("metric_b").alias(""), pl.exclude("metric_b")),
)


def _tables(label: str, rows: pl.DataFrame) -> Iterator[Table]:
    statistic = str(rows["statistic"].first())
    yield from filled([_MATRICES], rows.filter(statistic=statistic), label)
    yield from _extremes(label, rows, statistic)


def _extremes(label: str, rows: pl.DataFrame, statistic: str) -> Iterator[Table]:
    """Rank pairs by the absolute value of their first statistic; if there are many, show both ends."""
    pair = ["level", *_PAIR]
    values = rows.pivot("statistic", index=pair, values="value")
    every_p = rows.with_columns(pl.format("p of {}", "statistic")).pivot("statistic", index=pair, values="p")
    known = values.join(every_p, on=pair, maintain_order="left").drop_nulls(statistic)
    rank = pl.col(statistic).abs().rank("min", descending=True).over("level").cast(pl.Int64)
    order = pl.col("level").cast(pl.Enum(LEVELS))
    ranked = known.with_columns(rank=rank).sort(order, "rank", maintain_order=True)
    position = pl.int_range(pl.len()).over("level")
    ends = ranked.filter((position < _EXTREMES) | (position >= pl.len().over("level") - _EXTREMES))
    if ends.height:
        yield Table(
            f"strongest and weakest pairs of {label}" if ends.height < ranked.height else f"pairs of {label}",
            ends.select("level", "rank", pl.exclude("level", "rank")),
            sections="level",
            caption=f"by the absolute value of {statistic}; p treats captions and images as independent",
            name="pairs",
        )


def _ranges(rows: pl.DataFrame) -> Iterator[Table]:
    """Yield the range of the first statistic of every pair of metrics over several datasets."""
    if rows["dataset"].n_unique() < 2:
        return
    statistic = str(rows["statistic"].first())
    value, by_value = pl.col("value"), pl.col("dataset").sort_by("value")
    known = rows.filter(statistic=statistic).drop_nulls("value")
    ranges = known.group_by("level", *_PAIR, maintain_order=True).agg(
        selections=pl.len().cast(pl.Int64),
        low=value.min(),
        lowest=by_value.first(),
        high=value.max(),
        highest=by_value.last(),
    )
    for level in LEVELS:
        yield Table(f"range of {statistic} per {level}", ranges.filter(level=level).drop("level"), name="ranges")


def _heatmaps(label: str, rows: pl.DataFrame) -> Iterator[Figure]:
    """Draw the first statistic of every pair, in both orders; the diagonal is 1 by definition."""
    statistic = str(rows["statistic"].first())
    shown = rows.filter(pl.col("statistic") == statistic).select("level", *_PAIR, "value")
    is_signed = (shown["value"] < 0).any()
    span = (-1.0, 1.0) if is_signed else (0.0, 1.0)
    for level in LEVELS:
        name, title = re.sub(r"[^\w.-]+", "-", f"correlation-{label}-{level}"), f"{statistic} of {label}, per {level}"
        square = _square(shown.filter(level=level).drop("level"))
        yield Figure(name, title, "heatmap", square, "metric_a", "metric_b", value="value", span=span)


def _square(pairs: pl.DataFrame) -> pl.DataFrame:
    metrics = pl.concat([pairs["metric_a"], pairs["metric_b"]]).unique(maintain_order=True)
    own = pl.DataFrame({"metric_a": metrics, "metric_b": metrics}).with_columns(value=1.0)
    order = {name: index for index, name in enumerate(metrics)}
    turned = pairs.select(metric_a="metric_b", metric_b="metric_a", value="value")
    return pl.concat([own, pairs, turned]).sort(pl.col(_PAIR).replace_strict(order, return_dtype=pl.Int64))
