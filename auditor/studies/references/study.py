"""How many references are enough? Captions of a dataset against one of the others, against two, … (leave-one-out).

How often a metric agrees with people's votes at each number of references is asked of `auditor agree`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Annotated

import polars as pl

from auditor import parameters as p
from auditor.errors import MetricError
from auditor.model import Progress, Selection, silent
from auditor.result import Finding, Result, Said, about, counted, findings_in, notes_in
from auditor.scoring.by_reference_count import ReferenceOrder
from auditor.scoring.references import as_references
from auditor.scoring.registry import MetricRequest, References, left_out, requests
from auditor.scoring.scores import scorable, signatures, too_long
from auditor.scoring.single_captions import referenced
from auditor.store.captions import Captions, select_all
from auditor.store.connection import Store
from auditor.studies.references import tables
from auditor.studies.references.curves import STATISTICS, CurveStatistics, measure, sufficient
from auditor.text import AUTO

#: Without `most`: as many references as nine images in ten have.
_LEFT_OUT = 0.1


Most = Annotated[
    int | None, p.Parameter("Highest number of references; default: as many as nine images in ten have.", least=1)
]

Draws = Annotated[int, p.Parameter("Orders of references, one for each seed.", least=1)]


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

    Each caption is scored against one of the others of its image, against two, … up to `most`, in an order that a seed
    draws, `draws` times. Statistics by metric and number of references k:

    - `mean`: of the scores of held-out captions, at most five an image;
    - `stability`: Spearman's ρ of their scores with those against `most` references; `stability-image`: Kendall's τ-b
      of their means by image;
    - `reliability`, `reliability-image`: the same between scores against k references and against k others;
    - `detectable`: the smallest difference between two systems that as many images show (two-sided 5 %, power 80 %);
      `detectable-1000`: that 1,000 images show; `detectable-share`: the latter as a share of the mean;
    - `knee`, `enough`, `stable`: where the mean bends, the first k with 95 % of its rise, the first k from which
      stability is 0.95.

    How to read it: collect references until reliability stops rising or the detectable difference is smaller than what
    you hope to show. `low` and `high` are the least and greatest of the draws.

    Limits: it says how steady scores are, not how right. Curves end at what the dataset has: with five captions an
    image there are four references, and reliability goes to two.

    Source: the question is that of Vedantam et al. 2015; how often a metric agrees with people at each number is told
    by `auditor agree`.

    Raises `MetricError` where no image has `most` + 1 captions.

    Example: auditor references pascal50s -m cider -m meteor --most 40
    """
    requested = requests(metrics)
    every = {one.selection: one for one in select_all(store, refs, split, tokenizer, progress=progress)}
    selections, alone = referenced(store, tuple(every), References("loo"), requested)
    chosen = every[selections[0]]
    notes: list[Said] = [
        *left_out(metrics),
        *alone,
        *(note for selection in selections for note in as_references(selection)),
    ]
    parts, shown = [], []
    for selection in selections:
        captions = every[selection]
        number, some_left_out = _most(captions, most)
        whole = ReferenceOrder(number, seed, "loo").first(captions, number)
        some, unscored = scorable(store, whole.selection, requested, metrics)
        measured, counted = measure(captions, some, number, draws, seed, progress)
        signed = signatures(some, captions.tokenizer, References("loo", number, seed))
        rows = _rows(selection, some, measured, counted, draws, signed)
        parts.append(rows)
        shown.append((selection, rows, number))
        notes += [
            *some_left_out,
            *unscored,
            *too_long(captions),
            *tables.said(selection, rows, number),
        ]
    return Result(
        "references",
        pl.concat(parts),
        selections=selections,
        signatures=signatures(requested, chosen.tokenizer, References("loo", most, seed if most else None)),
        tables=tuple(table for one in shown for table in tables.tables(*one)),
        figures=tuple(figure for one, rows, _ in shown for figure in tables.figures(one, rows)),
        notes=(*chosen.notes, *notes_in(notes)),
        findings=findings_in(notes),
    )


def _most(asked_of: Captions, asked: int | None) -> tuple[int, list[Finding]]:
    """Decide on the number of references, and say how many images have too few captions for it."""
    selection, captions = asked_of.selection, asked_of.images()["captions"].sort()
    greatest = int(captions[-1])
    if asked is None:
        enough = captions.filter(captions > 1)
        most = int(enough[int(len(enough) * _LEFT_OUT)]) - 1
    else:
        most = asked
    if greatest <= most:
        raise MetricError(
            f"{selection.label}: no image has {most + 1} captions, which --most {most} needs; the most that any has is "
            f"{greatest}"
        )
    few = int((captions <= most).sum())
    subject = counted(few, "image has", "images have")
    told = f"{selection.label}: {subject} fewer than {most + 1} captions and no part in this"
    values = {"images": few, "captions_needed": most + 1}
    return most, [Finding("too-few-captions", told, about(selection), values, len(captions), "notice")] if few else []


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
    order = {metric.label: place for place, metric in enumerate(metrics)}
    schema = dict(zip(("metric", "references", "statistic", "value", "low", "high", "n"), _TYPES, strict=True))
    made = pl.DataFrame(rows, schema=schema, orient="row")
    return made.sort(
        pl.col("metric").replace_strict(order, return_dtype=pl.Int64),
        pl.col("statistic").cast(pl.Enum(STATISTICS)),
        "references",
        nulls_last=True,
    ).select(
        pl.lit(selection.version.dataset).alias("dataset"),
        pl.all(),
        pl.lit(draws, pl.Int64).alias("draws"),
        pl.lit(selection.version.version).alias("version"),
        pl.lit(selection.split, pl.String).alias("split"),
        pl.col("metric").replace_strict(signed, return_dtype=pl.String).alias("signature"),
    )


_TYPES = (pl.String, pl.UInt32, pl.String, pl.Float64, pl.Float64, pl.Float64, pl.Int64)
