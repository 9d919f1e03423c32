"""Compare each published figure with the recomputed one: within its band, outside, or not answerable."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

import polars as pl

from auditor import parameters as p
from auditor.asked import face
from auditor.asking import question
from auditor.errors import UsageError
from auditor.model import Progress, silent
from auditor.papers import exhibits, known, paper
from auditor.papers.board import (
    OUTSIDE,
    REMARK,
    UNANSWERED,
    WITHIN,
    headline,
    page,
    signature_of,
    statements,
    versions_of,
)
from auditor.papers.figures import KEYS, Check, Paper
from auditor.papers.measured import Measured, kept
from auditor.result import Finding, Result, Table
from auditor.result.views import with_values
from auditor.steps import Steps
from auditor.store.connection import Store
from auditor.text import tokenizer_of

Papers = Annotated[str, p.Parameter("Paper, such as elliott2014 or wang2016.", metavar="PAPER…", optional=True)]

Metrics = Annotated[
    Sequence[p.MetricName] | None,
    p.Parameter(
        "Metric to add to the published tables, also python:MODULE.FUNCTION or sql:FILE. Repeat for more.",
        "metric",
        "m",
        typed=list[str] | None,
        completes="metric",
    ),
]

Candidates = Annotated[
    Sequence[str] | None,
    p.Parameter("System output to add to the published tables. Repeat for more.", completes="dataset"),
]

AllPapers = Annotated[bool, p.Parameter("Reproduce every paper.", "all")]


@face(draws=True, undrawn=exhibits.check_drawn)
@question
def reproduce(
    store: Store,
    *papers: Papers,
    metrics: Metrics = None,
    candidates: Candidates = None,
    all_papers: AllPapers = False,
    seed: p.Seed = 1,
    progress: Progress = silent,
) -> Result:
    """Recompute the figures of published papers.

    Each recomputed figure should lie within the band of the printed one. A band is what rounds to the printed figure.
    Some bands are wider, for a sampling error or for another reason that the output names. The exit code is 1 if a
    figure lies outside its band.

    How to read it: `published` is the printed figure, `ours` the recomputed one. The verdict is within if ours lies in
    the band, outside if it does not. It is not answerable if data or a definition is missing; the reason names which.
    The page (-o board.html) has a linked row for each claim. The row has the band and how it was chosen, the versions
    and the signature. You can filter the rows by paper, verdict and dataset.

    `-o FIGURE.pdf` (or .svg, .png) draws the paper's figures from our numbers, a file each, with the paper's names.
    `-o TABLE.tex` writes its table. Both name what was not measured.

    With `--metric` or `--candidates`, the published tables get your rows, with the verdict yours.

    Limits: the papers' own data must be in the store; import it with `auditor ingest`. A figure outside its band does
    not prove an error on either side. docs/reproduction.md explains the differences.

    Raises `UsageError` for an unknown paper, or one without a table of metrics or systems; `MissingExtraError` for one
    whose tokenizer is not installed.

    Example: auditor reproduce miltenburg2018 --candidates mine
    """
    if bool(papers) == all_papers:
        raise UsageError(f"name one or more papers, or use --all; known are {', '.join(known())}")
    read = _readable(papers or known())
    rows_to_add = {"metrics": metrics, "candidates": candidates}
    exhibits.check_yours(read, rows_to_add)
    store.keeps_drawn = False
    steps = Steps(progress, [reading.name for reading in read] * (1 + any(rows_to_add.values())))
    measured = [kept(known()[reading.name].load().measure, store, reading, seed, steps) for reading in steps.over(read)]
    compared = [_rows(reading, result) for reading, result in zip(read, measured, strict=True)]
    rows = pl.concat(compared)
    added = steps.over(read) if any(rows_to_add.values()) else read
    every = [
        _Reproduced(reading, result, published, *exhibits.rows_of(store, reading, rows_to_add, published, seed, steps))
        for reading, result, published in zip(added, measured, compared, strict=True)
    ]
    notes = [note for result in measured for note in result.notes]
    return Result(
        "reproduce",
        _with_yours(rows, every),
        selections=tuple(dict.fromkeys(selection for result in measured for selection in result.selections)),
        signatures={label: text for result in measured for label, text in result.signatures.items()},
        tables=tuple(table for each in every for table in each.tables()),
        figures=tuple(figure for each in every for figure in exhibits.figures(each.paper, each.measured)),
        exhibits=tuple(table for each in every for table in exhibits.tables(each.paper, each.measured)),
        said=(*notes, *(_verdict(reading, rows) for reading in read)),
        holds=OUTSIDE not in rows["verdict"],
        page=(
            *(table for result in measured for table in result.tables if table.name.startswith("board")),
            *page(read, rows),
        ),
        headline=headline(rows),
    ).led_by("published-figures")


@dataclass(frozen=True)
class _Reproduced:
    """What was measured for a paper, the rows of its checks, and the rows and tables with the user's own."""

    paper: Paper
    measured: Measured
    rows: pl.DataFrame
    rows_of_yours: Sequence[Mapping[str, object]]
    tables_of_yours: Sequence[Table]

    def tables(self) -> tuple[Table, ...]:
        return (*self.tables_of_yours, *_tables(self.paper, self.rows), *self.measured.tables)


def _with_yours(rows: pl.DataFrame, every: Sequence[_Reproduced]) -> pl.DataFrame:
    """Return the rows of all checks, then the user's."""
    yours = [row for each in every for row in each.rows_of_yours]
    schema = {name: rows.schema[name] for name in ("paper", *KEYS, "value", "verdict")}
    return pl.concat([rows, pl.DataFrame(yours, schema=schema, orient="row")], how="diagonal") if yours else rows


def _readable(names: Iterable[str]) -> list[Paper]:
    """Read papers. Raises `MissingExtraError` for one whose tokenizer is not installed."""
    read = [paper(name) for name in names]
    for profile in dict.fromkeys(profile for reading in read for profile in reading.tokenizers):
        tokenizer_of(profile)(pl.Series([""]))
    return read


_WORDS = ("printed", "band", "wider_because", "reason", "remark_on", "chosen_by", "versions", "signature")


def _rows(paper: Paper, result: Measured) -> pl.DataFrame:
    rows = [_row(paper, check, result) for check in paper.checks]
    kinds: dict[str, type[pl.DataType]] = {"holds": pl.Boolean}
    kinds |= dict.fromkeys(("low", "high", "value", "value_low", "value_high"), pl.Float64)
    kinds |= dict.fromkeys(_WORDS, pl.String)
    return pl.DataFrame(rows, infer_schema_length=None, schema_overrides=kinds)


def _row(paper: Paper, check: Check, result: Measured) -> dict[str, object]:
    value, reason = (None, check.unanswerable) if check.unanswerable else _value(check, result)
    holds = None if value is None else check.holds(value)
    interval = (result.intervals.get(check.of) if value is not None and check.to is None else None) or (None, None)
    verdict = UNANSWERED if holds is None else WITHIN if holds else OUTSIDE
    return {
        "paper": paper.name,
        "item": check.item,
        "section": check.section,
        "says": check.says,
        **dict(zip(KEYS, check.of, strict=True)),
        "compared": check.compared if check.to is None else f"{check.compared} {_against(check)}",
        "printed": check.printed,
        "band": None if check.band is None else str(check.band),
        "low": None if check.band is None else check.band.low,
        "high": None if check.band is None else check.band.high,
        "wider_because": check.wider_because,
        "value": value,
        "value_low": interval[0],
        "value_high": interval[1],
        "holds": holds,
        "verdict": verdict if check.remark_on is None else REMARK,
        "reason": check.why if verdict == OUTSIDE else reason,
        "remark_on": check.remark_on,
        "chosen_by": check.chosen_by,
        "claim": f"{paper.name}-{check.claim}",
        "versions": versions_of(check, result.selections),
        "signature": signature_of(check, result.signatures),
    }


def _value(check: Check, result: Measured) -> tuple[float | None, str | None]:
    """Return the quantity of a check, compared as the check asks, or why it has none."""
    values = [result.quantities.get(named) for named in (check.of, check.to) if named is not None]
    for value, named in zip(values, (check.of, check.to), strict=False):
        if value is None and named is not None:
            return None, result.absent.get(named) or result.lacking.get(named[0], "not measured")
    of, *to = [value for value in values if value is not None]
    if not to:
        return of, None
    if check.compared == "ratio":
        return (of / to[0], None) if to[0] else (None, "the other quantity is 0")
    return round(of - to[0], 12), None


def _against(check: Check) -> str:
    """Return the parts in which the second quantity differs from the first."""
    return " ".join(b for a, b in zip(check.of, check.to or (), strict=True) if a != b)


def _tables(paper: Paper, rows: pl.DataFrame) -> list[Table]:
    ends = pl.format("{} to {}", pl.col("value_low").round(4), pl.col("value_high").round(4))
    outside = rows.filter(verdict=OUTSIDE).select(
        "item", "says", "dataset", "metric", "compared", "band", pl.col("value").alias("ours"),
        ends.alias("interval over images"), pl.col("reason").alias("why"),
    )  # fmt: skip
    wider = _by_reason(rows.filter(pl.col("wider_because").is_not_null()), "wider_because").rename(
        {"wider_because": "why"}
    )
    unanswered = _by_reason(rows.filter(verdict=UNANSWERED), "reason")
    made = (
        Table("outside their bands", with_values(outside, "interval over images"), name="outside"),
        Table("bands wider than the rounding of the printed figure", wider.drop("dataset"), name="wider-bands"),
        Table("not answerable", unanswered, name="not-answerable", sentences=("reason",)),
    )
    every = Table(f"{paper.citation}: published and ours", _statements(rows), name="statements")
    return [every, *(table for table in made if table.frame.height)]


def _by_reason(rows: pl.DataFrame, reason: str) -> pl.DataFrame:
    """Count the checks of each reason. Columns: dataset (the first), checks, items, reason."""
    items = pl.col("item").unique(maintain_order=True).str.join(" ")
    counted = rows.group_by(reason, maintain_order=True).agg(pl.col("dataset").first(), checks=pl.len(), items=items)
    return counted.select("dataset", "checks", "items", reason)


def _statements(rows: pl.DataFrame) -> pl.DataFrame:
    """Return a row per published statement: its band, the least and most of ours, and how many checks hold."""
    shown = rows.group_by("item", "section", "says", maintain_order=True).agg(
        pl.when(pl.col("band").n_unique() == 1)
        .then(pl.col("band").first())
        .otherwise(pl.lit("each its own"))
        .alias("band"),
        pl.col("value").min().alias("ours, least"),
        pl.col("value").max().alias("ours, most"),
        pl.col("remark_on").first(),
        within=pl.col("holds").sum(),
        of=pl.col("holds").count(),
    )
    verdict = (
        pl.when(pl.col("of") == 0)
        .then(pl.lit(UNANSWERED))
        .when(pl.col("of") == 1)
        .then(pl.when(pl.col("within") == 1).then(pl.lit(WITHIN)).otherwise(pl.lit(OUTSIDE)))
        .otherwise(pl.format("{} of {} within", "within", "of"))
    )
    remark = pl.when(pl.col("remark_on").is_null()).then(pl.lit("")).otherwise(pl.lit("remark: "))
    return shown.with_columns(verdict=remark + verdict).drop("within", "of", "remark_on")


def _verdict(paper: Paper, rows: pl.DataFrame) -> Finding:
    """Count the checks of a paper and its statements, without remarks."""
    of_paper = rows.filter(paper=paper.name)
    counted = of_paper.filter(pl.col("verdict") != REMARK)
    checks = dict(counted["verdict"].value_counts().iter_rows())
    of_statements = statements(of_paper)
    by_verdict = dict(of_statements["verdict"].value_counts().iter_rows())
    remarks = of_paper.height - counted.height
    again = "1 remark, which measures a statement again"
    if remarks > 1:
        again = f"{remarks} remarks, which measure statements again"
    return Finding(
        "published-figures",
        f"{paper.name}: {counted.height} checks, {_counts(checks)}, for {of_statements.height} published statements, "
        f"{_counts(by_verdict)}" + (f". Not counted: {again}" if remarks else ""),
        {"paper": paper.name},
        {verdict: checks.get(verdict, 0) for verdict in (WITHIN, OUTSIDE, UNANSWERED)},
        counted.height,
        "error" if OUTSIDE in checks else "info",
    )


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{counts.get(verdict, 0)} {verdict}" for verdict in (WITHIN, OUTSIDE, UNANSWERED))
