"""The main numbers of one dataset, each among those of known sets: what its report shows before all else."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import polars as pl

from auditor.result import Result, Table
from auditor.result.portraits import HOMOGENEITY, MAIN
from auditor.scoring.registry import requests
from auditor.scoring.single_captions import lacking
from auditor.statistics import published
from auditor.studies.compare import PLACED, REFERENCES, TOKENIZER
from auditor.studies.report.request import ReportContext

_VALUE = ("value", "low", "high")

_CAPTION = (
    "human bound: score of a caption against the others of its image; homogeneity: that of a caption of another image, "
    "divided by the human bound; sameness: share of words that captions of two images have in common; diversity: "
    "different words per word, in segments of 1,000; section: the part of this report that has the number"
)


def placed_in(compared: Result | None) -> list[Table]:
    """Return the tables of a comparison that place datasets."""
    return [table for table in (compared.tables if compared else ()) if table.sample]


def first_numbers(context: ReportContext) -> tuple[Table, ...]:
    """Place the main numbers of a single dataset among reference marks, as far as its report has measured them.

    Marks have four references per caption, so scores with another number of references are shown without marks.
    """
    (selection, *others), rows = context.selections, list[dict[str, Any]]()
    if others or selection.version.kind == "choices":
        return ()
    known = published.rows(marks=True).filter(pl.col("version") != selection.version.version)
    for number, by, section, own, has_marks in (*_scores(context), *_of_words(context)):
        marks = known.filter(pl.col("metric").fill_null(by) == by, statistic=MAIN[number]).select("dataset", *_VALUE)
        marks = marks if has_marks and context.settings.tokenizer == TOKENIZER else marks.clear()
        every = [{"dataset": selection.label, **dict.fromkeys(_VALUE), **own}, *marks.to_dicts()]
        every.sort(key=lambda one: -(one["value"] or 0.0))
        rows += [{"number": number, "by": by, **one, "section": section} for one in every]
    numbers = dict.fromkeys(_VALUE, pl.Float64)
    frame = pl.DataFrame(rows, schema_overrides=numbers, orient="row", infer_schema_length=None)
    frame = frame.select("number", "by", "dataset", *_VALUE, "section", "^because$") if rows else frame
    table = replace(PLACED, name="main-numbers", frame=frame, bars=("value",), sections="number", caption=_CAPTION)
    return (replace(table, title=f"main numbers of {selection.label} beside published sets"),) if rows else ()


def _scores(context: ReportContext) -> Iterator[tuple[str, str, str, dict[str, Any], bool]]:
    """Yield human bound and homogeneity: metric, section, value or reason, and whether marks have the same sample."""
    (captions,), settings = context.every, context.settings
    bounds, compared = (context.results.get((study,)) for study in ("bounds", "compare"))
    if (why := lacking(captions)) or bounds is None:
        yield from ((name, "", "", {"because": why}, False) for name in [*MAIN][:2] if why)
        return
    names = [one.label for one in requests(settings.metrics) if not one.metric.lower_is_better]
    by = next((name for name in ("rouge-l", "bleu-4") if name in names), "".join(names[-1:]))
    scored = bounds.frame.filter(metric=by, level="caption").select("candidate", "mean").drop_nulls()
    human, other = map(dict(scored.iter_rows()).get, ("human", "intra"))
    references = settings.references or captions.images()["captions"].sum() / captions.images().height - 1
    if human:
        yield "human bound", by, "bounds", {"value": human}, round(references) == REFERENCES
    if compared:
        own = compared.frame.filter(version=captions.selection.version.version, metric=by, statistic=HOMOGENEITY)
        yield HOMOGENEITY, by, "comparison", own.select(*_VALUE).row(0, named=True), True
    elif human and other is not None:
        yield HOMOGENEITY, by, "bounds", {"value": other / human}, round(references) == REFERENCES


def _of_words(context: ReportContext) -> Iterator[tuple[str, str, str, dict[str, Any], bool]]:
    if measured := context.results.get(("diversity",)):
        for name, statistic in [*MAIN.items()][2:]:
            rows = measured.frame.filter(pl.col("position").is_null(), statistic=statistic)
            for *own, why in rows.select(*_VALUE, "reason").head(1).rows():
                known = dict(zip(_VALUE, own, strict=True)) if why is None else {"because": why}
                yield name, statistic, "diversity", known, why is None
