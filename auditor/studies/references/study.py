"""How many references are enough? Scores captions against one other caption, two, … (leave-one-out).

`auditor agree` measures agreement with votes at each number of references.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import fmean
from typing import Annotated

import polars as pl

from auditor import parameters as p
from auditor.asked import face
from auditor.asking import question
from auditor.errors import MetricError
from auditor.model import Progress, Selection, silent
from auditor.result import Figure, Finding, Result, Said, Table, about, counted
from auditor.scoring.by_reference_count import ReferenceOrder
from auditor.scoring.references import as_references
from auditor.scoring.registry import MetricRequest, References, left_out, requests
from auditor.scoring.scores import scorable, signatures, too_long, with_reasons
from auditor.scoring.single_captions import referenced
from auditor.store.captions import Captions, select_all, selections_of, stamp, stepwise
from auditor.store.connection import Store
from auditor.studies.references.curves import STATISTICS, CurveStatistics, measure, sufficient
from auditor.text import AUTO

#: Without `most`, the number of references leaves out this share of the images.
_LEFT_OUT = 0.1


Most = Annotated[
    int | None, p.Parameter("Highest number of references; default: as many as 90% of the images have.", least=1)
]

Draws = Annotated[int, p.Parameter("Number of random orders of references, each with a new seed.", least=1)]


@face(draws=True)
@question
def enough_references(
    store: Store,
    *refs: p.Refs,
    most: Most = None,
    draws: Draws = 3,
    metrics: p.Metrics = None,
    tokenizer: p.Tokenizer = AUTO,
    split: p.Split = None,
    seed: p.Seed = 1,
    progress: Progress = silent,
) -> Result:
    """Find how many references are enough.

    Each caption is scored against one other caption of its image, then two, and so on up to `--most`. Their order
    is drawn by the seed, `--draws` times. Statistics by metric and number of references k:

    - `mean`: of the scores of held-out captions, at most five per image;
    - `stability`: Spearman's ρ of their scores with those against `--most` references;
    - `stability-image`: Kendall's τ-b of their means by image;
    - `reliability`, `reliability-image`: the same between scores against k references and against k others;
    - `detectable`: the smallest difference between two systems that these images can show (two-sided 5%, power 80%);
    - `detectable-1000`: the same for 1,000 images; `detectable-share`: that as a share of the mean;
    - `knee`: where the mean bends; `enough`: the first k with 95% of its rise; `stable`: the first k with a stability
      of 0.95.

    How to read it: collect references until reliability stops rising, or the detectable difference is smaller than the
    one you expect. `low` and `high` are the minimum and maximum over the draws.

    Limits: results show how stable scores are, not how right. Curves end at what the dataset has. With five captions
    per image there are four references, and reliability goes up to two.

    Source: the question is that of Vedantam et al. 2015. `auditor agree` measures agreement with raters at each number
    of references.

    Raises `MetricError` if no image has `most` + 1 captions.

    Example: auditor references pascal50s -m cider -m meteor --most 40
    """
    requested = requests(metrics)
    selected = select_all(store, refs, split, tokenizer, progress=progress)
    every, alone = referenced(selected, References("loo"), requested)
    chosen = every[0]
    odd = (note for captions in every for note in as_references(captions.selection))
    notes: list[Said] = [*left_out(metrics), *alone, *odd]
    parts, tables, figures = [], list[Table](), list[Figure]()
    for captions, steps in stepwise(every, progress):
        selection = captions.selection
        number, some_left_out = _most(captions, most)
        whole = ReferenceOrder(number, seed, "loo").first(captions, number)
        usable, unscored = scorable(whole, requested, metrics)
        measured, counted = measure(captions, usable, number, draws, seed, steps)
        signed = signatures(usable, captions.tokenizer, References("loo", number, seed))
        rows = _rows(selection, usable, measured, counted, draws, signed)
        parts.append(with_reasons(rows, whole, requested))
        shown = shown_of(selection, rows, number)
        tables += shown[0]
        figures += shown[1]
        notes += [*some_left_out, *unscored, *too_long(captions), *_saturations(selection, rows, number)]
    return Result(
        "references",
        pl.concat(parts, how="diagonal"),
        selections=selections_of(every),
        signatures=signatures(requested, chosen.tokenizer, References("loo", most, seed if most else None)),
        tables=tuple(tables),
        figures=tuple(figures),
        notes=chosen.notes,
        said=notes,
    ).led_by("enough-references", "flat-mean", "stable-ranking")


def _most(described: Captions, requested: int | None) -> tuple[int, list[Finding]]:
    """Choose the number of references, and report how many images have too few captions."""
    selection, captions = described.selection, described.images()["captions"].sort()
    greatest = int(captions[-1])
    if requested is None:
        enough = captions.filter(captions > 1)
        most = int(enough[int(len(enough) * _LEFT_OUT)]) - 1
    else:
        most = requested
    if greatest <= most:
        raise MetricError(
            f"{selection.label}: no image has the {most + 1} captions that --most {most} needs; "
            f"the maximum is {greatest}, so use --most {greatest - 1} or less"
        )
    few = int((captions <= most).sum())
    subject = counted(few, "image has", "images have")
    sentence = f"{selection.label}: {subject} fewer than {most + 1} captions and no score"
    values = {"images": few, "captions_needed": most + 1}
    finding = Finding("too-few-captions", sentence, about(selection), values, len(captions), "notice")
    return most, [finding] if few else []


def _rows(
    selection: Selection,
    metrics: Sequence[MetricRequest],
    measured: CurveStatistics,
    counted: Mapping[str, int],
    draws: int,
    signed: Mapping[str, str],
) -> pl.DataFrame:
    most = max(k for _, k, _ in measured if k is not None)
    rows = []
    for (metric, k, statistic), each in measured.items():
        values = [value for value in each if value is not None]
        mean = fmean(values) if len(values) == len(each) else None
        if k is None:
            mean = sufficient(measured, metric, most, None)[statistic]
        of = "images" if statistic.endswith("-image") or statistic.startswith("detectable") else "captions"
        rows.append((metric, k, statistic, mean, min(values, default=None), max(values, default=None), counted[of]))
    order = {metric.label: index for index, metric in enumerate(metrics)}
    schema = dict(zip(("metric", "references", "statistic", "value", "low", "high", "n"), _TYPES, strict=True))
    made = pl.DataFrame(rows, schema=schema, orient="row").sort(
        pl.col("metric").replace_strict(order, return_dtype=pl.Int64),
        pl.col("statistic").cast(pl.Enum(STATISTICS)),
        "references",
        nulls_last=True,
    )
    signature = pl.col("metric").replace_strict(signed, return_dtype=pl.String).alias("signature")
    named = stamp(selection, made.with_columns(pl.lit(draws, pl.Int64).alias("draws")))
    return named.select("dataset", pl.exclude("dataset", "version", "split"), "version", "split", signature)


_TYPES = (pl.String, pl.UInt32, pl.String, pl.Float64, pl.Float64, pl.Float64, pl.Int64)

#: A table has a column for each number of references up to this, and for some higher ones.
_EVERY = 5

_STEP = 2 ** (1 / 2)

_SUFFICIENT = {"knee": "knee", "enough": "95% of rise", "stable": "stable"}

_MEANINGS = (
    "knee: more references add little after this; 95% of rise: the first number from which the mean "
    "has made 95% of its rise; stable: the first from which captions are ranked as with all references (rho .95)"
)

_CURVES = {
    "mean": ("mean", "mean score of held-out captions"),
    "stability": ("stability", "Spearman's rho of caption scores with those against all references"),
    "reliability": (
        "reliability",
        "Spearman's rho of caption scores against that many references, and against as many others",
    ),
    "detectable-share": ("difference", "smallest difference that 1,000 images can show, as a share of the mean"),
}


def shown_of(selection: Selection, rows: pl.DataFrame, most: int) -> tuple[list[Table], list[Figure]]:
    """Return the sufficient numbers and each curve, with a row per metric; the curves are drawn too."""
    label = selection.label
    tables = [Table(f"how many references are enough: {label}", _summary(rows, most), caption=_MEANINGS, name="enough")]
    figures = []
    for statistic, (name, title) in _CURVES.items():
        curve = rows.filter(pl.col("value").is_not_null(), statistic=statistic)
        numbers = curve["references"].unique().sort().to_list()
        if numbers:
            kept = curve.filter(pl.col("references").is_in(_shown(numbers)))
            wide = kept.pivot("references", index="metric", values="value", maintain_order=True)
            tables.append(Table(f"{title}, by number of references: {label}", wide, name="curve"))
        if len(numbers) > 1:
            file = re.sub(r"[^\w.-]+", "-", f"references-{name}-{label}")
            points = curve.select("metric", "references", "value", "low", "high")
            drawn = Figure(file, f"{title}: {label}", "lines", points, "references", "value", "metric", log_x=True)
            figures.append(replace(drawn, low="low", high="high", x_label="references", y_label=name))
    return tables, figures


def _summary(rows: pl.DataFrame, most: int) -> pl.DataFrame:
    """Return the sufficient numbers with both ends of the curve of the mean. Missing numbers are null."""
    single = rows.filter(pl.col("references").is_null())
    wide = single.pivot("statistic", index="metric", values="value", maintain_order=True).select(
        "metric", *(pl.col(name).cast(pl.Int64).alias(shown) for name, shown in _SUFFICIENT.items())
    )
    curve = rows.filter(pl.col("statistic") == "mean")
    means = {f"mean with {k}": pl.col("value").filter(pl.col("references") == k).first() for k in (1, most)}
    ends = curve.group_by("metric", maintain_order=True).agg(**means)
    return ends.join(wide, on="metric", maintain_order="left")


def _shown(numbers: Sequence[int]) -> list[int]:
    """Choose the columns that fit in a table: the first few, then some further apart, and the last."""
    kept = [number for number in numbers if number <= _EVERY]
    for number in numbers[len(kept) :]:
        if number >= round(kept[-1] * _STEP):
            kept.append(number)
    return kept if kept[-1] == numbers[-1] else [*kept[: len(kept) - (len(kept) > _EVERY)], numbers[-1]]


def _saturations(selection: Selection, rows: pl.DataFrame, most: int) -> list[Said]:
    """Return findings on how many references are enough, and notes on missing values."""
    if most == 1:
        return [f"{selection.label}: with two captions per image there is only one reference, so no curve"]
    reported = list[Said]()
    single = rows.filter(pl.col("references").is_null())
    rising = single.filter(pl.col("statistic") == "enough", pl.col("value").is_not_null())
    if not rising.is_empty():
        listed = "; ".join(f"{k} for {metrics}" for k, metrics in _grouped(rising))
        words = f"{selection.label}: references that give 95% of the mean's rise from 1 to {most}: {listed}"
        reported.append(Finding("enough-references", words, about(selection), _by_metric(rising), most))
    flat = single.filter(pl.col("statistic") == "enough", pl.col("value").is_null())["metric"].to_list()
    if flat:
        subject = f"{selection.label}: {', '.join(flat)}"
        words = f"{subject}: the mean hardly changes with the number of references (by less than 5%)"
        reported.append(Finding("flat-mean", words, about(selection, metric=", ".join(flat)), n=most))
    stable = single.filter(pl.col("statistic") == "stable", pl.col("value").is_not_null())
    if not stable.is_empty():
        listed = "; ".join(f"{k if k < most else 'no fewer'} for {metrics}" for k, metrics in _grouped(stable))
        words = f"{selection.label}: references that rank captions like all {most} (rho .95): {listed}"
        reported.append(Finding("stable-ranking", words, about(selection), _by_metric(stable), most))
    absent = rows.filter(pl.col("value").is_null(), pl.col("references").is_not_null())
    for statistic in absent["statistic"].unique(maintain_order=True):
        names = absent.filter(pl.col("statistic") == statistic)["metric"].unique(maintain_order=True)
        why = "there are too few scores, or all are equal"
        reported.append(f"{selection.label}: {', '.join(names)}: no {statistic} for some numbers of references: {why}")
    return reported


def _by_metric(rows: pl.DataFrame) -> dict[str, str | float | None]:
    return dict(rows.select("metric", "value").iter_rows())


def _grouped(rows: pl.DataFrame) -> list[tuple[int, str]]:
    """Group the metrics by sufficient number of references."""
    grouped = rows.group_by(pl.col("value").cast(pl.Int64), maintain_order=True).agg(pl.col("metric").str.join(", "))
    return [(int(k), metrics) for k, metrics in grouped.sort("value").iter_rows()]
