"""How many references are enough? Scores captions against one other caption, two, … (leave-one-out).

`auditor agree` measures agreement with votes at each number of references.
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
from auditor.store.captions import Captions, select_all, selections_of
from auditor.store.connection import Store
from auditor.studies.references import tables
from auditor.studies.references.curves import STATISTICS, CurveStatistics, measure, sufficient
from auditor.text import AUTO

#: Without `most`, the number of references leaves out this share of the images.
_LEFT_OUT = 0.1


Most = Annotated[
    int | None, p.Parameter("Highest number of references; default: as many as 90% of the images have.", least=1)
]

Draws = Annotated[int, p.Parameter("Number of random orders of references, each with a new seed.", least=1)]


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

    Each caption is scored against one other caption of its image, then two, and so on up to `most`. Their order
    is drawn by the seed, `draws` times. Statistics by metric and number of references k:

    - `mean`: of the scores of held-out captions, at most five per image;
    - `stability`: Spearman's ρ of their scores with those against `most` references;
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
    notes: list[Said] = [
        *left_out(metrics),
        *alone,
        *(note for captions in every for note in as_references(captions.selection)),
    ]
    parts, shown = [], []
    for captions in every:
        selection = captions.selection
        number, some_left_out = _most(captions, most)
        whole = ReferenceOrder(number, seed, "loo").first(captions, number)
        usable, unscored = scorable(whole, requested, metrics)
        measured, counted = measure(captions, usable, number, draws, seed, progress)
        signed = signatures(usable, captions.tokenizer, References("loo", number, seed))
        rows = _rows(selection, usable, measured, counted, draws, signed)
        parts.append(rows)
        shown.append((selection, rows, number))
        notes += [
            *some_left_out,
            *unscored,
            *too_long(captions),
            *tables.notes(selection, rows, number),
        ]
    return Result(
        "references",
        pl.concat(parts),
        selections=selections_of(every),
        signatures=signatures(requested, chosen.tokenizer, References("loo", most, seed if most else None)),
        tables=tuple(table for arguments in shown for table in tables.tables(*arguments)),
        figures=tuple(figure for selection, rows, _ in shown for figure in tables.figures(selection, rows)),
        notes=(*chosen.notes, *notes_in(notes)),
        findings=findings_in(notes),
    )


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
    return most, [
        Finding("too-few-captions", sentence, about(selection), values, len(captions), "notice")
    ] if few else []


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
