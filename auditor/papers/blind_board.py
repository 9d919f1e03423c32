"""Score every benchmark in the store without its images: one page with the rules and learners that solve it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import polars as pl

from auditor import config
from auditor.called import not_stored
from auditor.model import Progress
from auditor.papers.figures import Paper
from auditor.papers.measured import Measured
from auditor.papers.runs import declared
from auditor.result import Result, Table
from auditor.store.connection import Store
from auditor.store.versions import log
from auditor.studies.choices import of_all_items

#: Scorers of a benchmark by column; of several, the best. A constant answer is in the column best constant answer.
_COLUMNS = {
    "length": ("shorter", "longer", "fewer-words"),
    "answer": ("answer-prior",),
    "position": ("position-prior",),
    "option n-grams": ("option-ngrams",),
    "question n-grams": ("question-ngrams",),
    "learnt": ("learnt",),
    "word-bag ceiling": ("bag-of-words",),
}

_WORST = ("error", "warning", "notice")

_SHARE = 3


def measure(store: Store, paper: Paper, seed: int, progress: Progress) -> Measured:
    """Measure the accuracy of all blind scorers on the benchmarks in the store, declared or not."""
    stored = {version.dataset for version in log(store) if version.kind == "choices"}
    there = [*(name for name in paper.datasets if name in stored), *sorted(stored - {*paper.datasets})]
    blind = replace(paper.runs["blind"], refs=there)
    measured, results = declared(store, replace(paper, runs={"blind": blind}), seed, progress)
    known = [*paper.datasets, *(name for name, one in config.sources(None).items() if one.kind == "choices")]
    return replace(
        measured,
        lacking={name: not_stored(name) for name in known if name not in there},
        notes=(),
        tables=tuple(_tables(dict(zip(there, results["blind"], strict=True)))) if there else (),
    )


def _tables(results: dict[str, Result]) -> Iterator[Table]:
    board = pl.DataFrame([_row(name, result) for name, result in results.items()], infer_schema_length=None)
    shares = tuple((column, _SHARE) for column, kind in board.schema.items() if kind == pl.Float64)
    yield Table(
        "benchmarks, solved without their images",
        board,
        bars=("best blind",),
        caption="shares of all items. Length: the best of three rules. Learners are tested on the nine tenths of the "
        "images after the first, each by the tenths before it. Found: the worst finding of `auditor choices`, in any "
        "part; none if no scorer is significantly and .05 better than chance. Blind-fair: items on which none is. In "
        "POPE, yes and no are balanced, a control of constant answers, but its questions name the frequent objects. "
        "See TsT (arXiv 2511.04655), Udandarao et al. 2025, issue 10 of sugar-crepe and issue 5314 of mteb",
        digits=shares,
        name="board",
    )
    best = pl.concat(result.frame.with_columns(benchmark=pl.lit(name)) for name, result in results.items()).filter(
        pl.col("scorer") == pl.col("best_blind"), pl.col("part") != "blind-fair"
    )
    yield Table(
        "by part",
        best.with_columns(
            pl.col("expected").alias("chance"),
            pl.col("majority").alias("best constant answer"),
            items=pl.col("n") + pl.col("missing"),
        ).select("benchmark", "part", "items", "chance", "best constant answer", "scorer", "accuracy", "low", "high"),
        caption="the best of all blind scorers, which looks slightly better than it is; intervals are over images",
        digits=tuple((column, _SHARE) for column in ("chance", "best constant answer", "accuracy", "low", "high")),
        filters=("benchmark",),
        name="board-parts",
    )


def _row(name: str, result: Result) -> dict[str, object]:
    whole = of_all_items(result.frame)
    accuracy = dict(whole.select("scorer", "accuracy").iter_rows())
    best = whole.filter(pl.col("scorer") == pl.col("best_blind")).row(0, named=True)
    found = {finding.severity for finding in result.findings if finding.kind.startswith("benchmark-decided-by-")}
    fair = result.table("fair").frame
    known = {
        column: max((accuracy[scorer] for scorer in scorers if accuracy.get(scorer) is not None), default=None)
        for column, scorers in _COLUMNS.items()
    }
    return {
        "benchmark": name, "items": fair["items"][-1], "chance": best["expected"],
        "best constant answer": best["majority"], **known, "best blind": best["accuracy"],
        "by": best["scorer"], "found": next((worst for worst in _WORST if worst in found), "none"),
        "blind-fair": fair["kept"][-1],
    }  # fmt: skip
