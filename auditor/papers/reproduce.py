"""Do the published figures come out again? Each is compared with ours: within its band, outside, or not answerable."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated

import polars as pl

from auditor import parameters as p
from auditor.errors import UsageError
from auditor.model import Progress, silent
from auditor.papers import known, paper, yours
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
from auditor.papers.measured import Measured, Study, kept
from auditor.result import Finding, Result, Table, findings_in, notes_in
from auditor.store.connection import Store
from auditor.text import tokenizer_of

Papers = Annotated[
    str, p.Parameter("elliott2014, wang2016, …; see --all for every one.", metavar="PAPER…", optional=True)
]

Metrics = Annotated[
    Sequence[p.MetricName] | None,
    p.Parameter(
        "Metric that gets a row in the published tables, also python:MODULE.FUNCTION or sql:FILE. Repeat for more.",
        "metric",
        "m",
        typed=list[str] | None,
        completes="metric",
    ),
]

Candidates = Annotated[
    Sequence[str] | None,
    p.Parameter("System output that gets a row in the published tables; repeat for more.", completes="dataset"),
]

AllPapers = Annotated[bool, p.Parameter("Every paper whose figures are here.", "all")]


def reproduce(
    store: Store,
    *papers: Papers,
    metrics: Metrics = None,
    candidates: Candidates = None,
    all_papers: AllPapers = False,
    seed: p.Seed = 1,
    progress: Progress = silent,
) -> Result:
    """Compare published figures with ours.

    Measures again what papers print, and says whether all lie within their bands: the rounding of the print, or wider
    for a sampling error or another reason, which is given. Exit code 1 where one lies outside.

    How to read it: `published` is the printed figure, `ours` the measured one; verdict within says that ours lies in
    the band, outside that it does not. Not answerable says what is missing: data that nobody can have, or a definition
    that the paper does not give. As a page (-o board.html) every claim has a row with a link of its own, its band and
    how that was chosen, the versions and the signature; papers, verdicts and datasets can be picked.

    With `metrics` or `candidates` the published tables get rows of your own, measured as the paper measures its own.
    Their verdict is yours.

    Limits: it needs the papers' own data, which `auditor ingest` must have read. A figure outside is no error of either
    side by itself: docs/reproduction.md says why some differ.

    Raises `UsageError` for a paper that is not here, or has no table of metrics or systems; `MissingExtraError` for one
    whose tokenizer is not installed.

    Example: auditor reproduce miltenburg2018 --candidates mine
    """
    if bool(papers) == all_papers:
        raise UsageError(f"name papers, or all of them with --all; known are {', '.join(known())}")
    read = [paper(name) for name in papers or known()]
    for profile in dict.fromkeys(profile for reading in read for profile in reading.tokenizers):
        tokenizer_of(profile)(pl.Series([""]))
    asked = {"metrics": metrics, "candidates": candidates}
    yours.check(read, asked)
    store.keeps_drawn = False
    measured = [kept(_study(reading.name), store, reading, seed, progress) for reading in read]
    rows = pl.concat(_rows(paper, result) for paper, result in zip(read, measured, strict=True))
    said = [note for result in measured for note in result.notes]
    own = [yours.rows_of(store, reading, asked, rows.filter(paper=reading.name), seed, progress) for reading in read]
    further = [row for of_paper, _ in own for row in of_paper]
    of_yours = {name: rows.schema[name] for name in ("paper", *KEYS, "value", "verdict")}
    return Result(
        "reproduce",
        pl.concat([rows, pl.DataFrame(further, schema=of_yours)], how="diagonal") if further else rows,
        selections=tuple(dict.fromkeys(selection for result in measured for selection in result.selections)),
        signatures={label: text for result in measured for label, text in result.signatures.items()},
        tables=tuple(
            table
            for paper, result, (_, added) in zip(read, measured, own, strict=True)
            for table in (*added, *_tables(paper, rows.filter(paper=paper.name)), *result.tables)
        ),
        notes=notes_in(said),
        findings=(*findings_in(said), *(_verdict(paper, rows) for paper in read)),
        holds=OUTSIDE not in rows["verdict"],
        page=page(read, rows),
        headline=headline(rows),
    )


def _study(name: str) -> Study:
    """Return what measures a paper."""
    study: Study = known()[name].load().measure
    return study


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
    """Return the quantity of a check, compared as it says, or why there is none."""
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
    """Name what the second quantity has otherwise."""
    return " ".join(b for a, b in zip(check.of, check.to or (), strict=True) if a != b)


def _tables(paper: Paper, rows: pl.DataFrame) -> list[Table]:
    ends = pl.format("{} to {}", pl.col("value_low").round(4), pl.col("value_high").round(4))
    outside = rows.filter(verdict=OUTSIDE).select(
        "item", "says", "dataset", "metric", "compared", "band", pl.col("value").alias("ours"),
        ends.alias("interval over images"), pl.col("reason").alias("why"),
    )  # fmt: skip
    if outside["interval over images"].is_null().all():
        outside = outside.drop("interval over images")
    wider = (
        rows.filter(pl.col("wider_because").is_not_null())
        .group_by("wider_because", maintain_order=True)
        .agg(checks=pl.len(), items=pl.col("item").unique(maintain_order=True).str.join(" "))
    )
    unanswered = (
        rows.filter(verdict=UNANSWERED)
        .group_by("reason", maintain_order=True)
        .agg(pl.col("dataset").first(), checks=pl.len(), items=pl.col("item").unique(maintain_order=True).str.join(" "))
    )
    made = [Table(f"{paper.citation}: published and ours", _statements(rows), name="statements")]
    if outside.height:
        made.append(Table("outside their bands", outside, name="outside"))
    if wider.height:
        made.append(
            Table(
                "bands that are not the print's rounding",
                wider.select("checks", "items", why="wider_because"),
                name="wider-bands",
            )
        )
    if unanswered.height:
        made.append(
            Table("not answerable", unanswered.select("dataset", "checks", "items", "reason"), name="not-answerable")
        )
    return made


def _statements(rows: pl.DataFrame) -> pl.DataFrame:
    """Put each published statement in a row: the band of its checks, the least and the most of ours, how many hold."""
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
    """Count checks, and the statements they are of; remarks are of neither."""
    of_paper = rows.filter(paper=paper.name)
    counted = of_paper.filter(pl.col("verdict") != REMARK)
    checks = dict(counted["verdict"].value_counts().iter_rows())
    of_statements = statements(of_paper)
    said = dict(of_statements["verdict"].value_counts().iter_rows())
    number = of_paper.height - counted.height
    remarks = "1 remark, which measures a statement in a second way, is"
    if number > 1:
        remarks = f"{number} remarks, which measure statements in a second way, are"
    return Finding(
        "published-figures",
        f"{paper.name}: {counted.height} checks, {_counts(checks)}; they are of {of_statements.height} published"
        f" statements, {_counts(said)}" + (f"; {remarks} not counted" if number else ""),
        {"paper": paper.name},
        {verdict: checks.get(verdict, 0) for verdict in (WITHIN, OUTSIDE, UNANSWERED)},
        counted.height,
        "error" if OUTSIDE in checks else "info",
    )


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{counts.get(verdict, 0)} {verdict}" for verdict in (WITHIN, OUTSIDE, UNANSWERED))
