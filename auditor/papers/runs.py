"""Measure what a paper declares: its runs of studies, and the cells of their rows that are its quantities."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from statistics import fmean
from typing import Any

import polars as pl

from auditor import parameters as p
from auditor.asked import arguments, options_of
from auditor.called import call, not_stored
from auditor.model import Progress
from auditor.papers.figures import KEYS, Paper, Quantities, Quantity, Run
from auditor.papers.measured import Measured
from auditor.result import Result
from auditor.scoring.registry import METRICS, lacking, requests
from auditor.store.connection import Store
from auditor.store.versions import log
from auditor.studies import STUDIES

#: What one quantity says of several values.
_OVER: Mapping[str, Callable[[Sequence[float]], float]] = {"lowest": min, "highest": max, "average": fmean}


def measure(store: Store, paper: Paper, seed: int, progress: Progress) -> Measured:
    """Measure a paper that has no Python."""
    return declared(store, paper, seed, progress)[0]


def of_metrics(store: Store, paper: Paper, metrics: p.Metrics, seed: int, progress: Progress) -> Quantities:
    """Measure the cells of further metrics, by the runs that add them."""
    labels = {request.label for request in requests(metrics)}
    for run in (run for run in paper.runs.values() if run.adds):
        options = {name: value for name, value in run.options.items() if name not in run.without}
        for result in _results(store, paper, run, options | {"metrics": metrics, "seed": seed}, progress):
            for of, value in cells(run, result):
                if {*of[KEYS.index("metric")].split(" ")} <= labels:
                    yield of, value


def declared(
    store: Store, paper: Paper, seed: int, progress: Progress, unable: Collection[str] = (), **given: Any
) -> tuple[Measured, dict[str, list[Result]]]:
    """Measure the cells of all runs, with the results by the name of the run.

    Metrics that are not installed or `unable` are left out. `given` are further options of every run.
    """
    results = {}
    for name, run in paper.runs.items():
        options = {**({"seed": seed} if run.drawn else {}), **run.options, **given}
        if "metrics" in run.options:
            options["metrics"] = [metric for metric in installed(run) if metric not in unable]
        results[name] = [*_results(store, paper, run, options, progress)]
    every = [(paper.runs[name], result) for name, of_run in results.items() for result in of_run]
    quantities: dict[Quantity, float] = {}
    scorers = {check.of[KEYS.index("metric")] for check in paper.checks}
    signatures: dict[str, str] = {}
    for run, result in every:
        quantities.update(cells(run, result))
        of = f"{result.selections[0].version.dataset}: " if run.each else ""
        signed = result.signatures if run.signed else {}
        signatures |= {f"{of}{name}": text for name, text in signed.items() if run.each or name in scorers}
    measured = Measured(
        derived(paper, quantities),
        not_here(store, paper),
        tuple(dict.fromkeys(selection for _, result in every for selection in result.selections)),
        signatures,
        tuple(dict.fromkeys(note for run, result in every if run.signed for note in result.notes)),
    )
    return measured, results


def not_here(store: Store, paper: Paper) -> dict[str, str]:
    """Return why datasets cannot be measured: they or their references are not in the store, or of another kind."""
    reasons = {name: _why_not_here(store, paper, name) for name in paper.datasets}
    return {name: why for name, why in reasons.items() if why}


def _why_not_here(store: Store, paper: Paper, name: str) -> str | None:
    versions, needed = log(store, name), paper.needs.get(name)
    how = paper.made.get(name) or f"`{call('ingest', name)}`"
    if needed and not log(store, needed) and (versions or name in paper.made):
        return not_stored(needed, _verb(paper, needed)) + ("" if versions else f"; nor is {name}: {how}")
    if not versions:
        return f"{name} is not in the store: {how}" if name in paper.made else not_stored(name, _verb(paper, name))
    of_choices = any(run.study == "choices" and name in run.refs for run in paper.runs.values())
    if of_choices and versions[0].kind != "choices":
        return f"{name} contains {versions[0].kind}, not forced-choice items: {how}"
    return None


def _verb(paper: Paper, name: str) -> str:
    return "fetch" if name in paper.obtained else "ingest"


def derived(paper: Paper, quantities: Mapping[Quantity, float]) -> dict[Quantity, float]:
    """Add what a paper derives from quantities: each SELECT returns `value` and the parts of a name that have words."""
    every = dict(quantities)
    schema: dict[str, type[pl.DataType]] = {**dict.fromkeys(KEYS, pl.String), "value": pl.Float64}
    for select in paper.derived:
        known = pl.DataFrame([(*of, value) for of, value in every.items()], schema=schema, orient="row")
        rows = pl.SQLContext(quantities=known, eager=True).execute(select).drop_nulls("value")
        every |= {tuple(row.get(key, "") for key in KEYS): float(row["value"]) for row in rows.iter_rows(named=True)}
    return every


def cells(run: Run, result: Result) -> Quantities:
    """Yield the cells of a result's rows, or of those of its tables, that are quantities."""
    for each in run.cells:
        rows = result.table(each["table"]).frame if "table" in each else result.frame
        if "over" in each:
            gathered: dict[Quantity, list[float]] = {}
            for of, value in _of_rows(each, rows):
                gathered.setdefault(of, []).append(value)
            for (*parts, statistic), values in gathered.items():
                yield from (((*parts, f"{statistic}-{word}"), _OVER[word](values)) for word in each["over"])
        else:
            yield from _of_rows(each, rows)


def _of_rows(each: Mapping[str, Any], rows: pl.DataFrame) -> Quantities:
    """Yield a quantity for each statistic of each row, by default of the row's dataset."""
    values = [pl.sql_expr(value).cast(pl.Float64).alias(f"value of {name}") for name, value in each["values"].items()]
    named = [{"dataset": "{dataset}", **each}.get(key, "") for key in KEYS[:-1]]
    for row in rows.filter(pl.sql_expr(each.get("where", "true"))).with_columns(values).iter_rows(named=True):
        parts = [part.format_map(row) for part in named]
        for name in each["values"]:
            if (value := row[f"value of {name}"]) is not None:
                yield (*parts, name), value


def _results(store: Store, paper: Paper, run: Run, given: Mapping[str, Any], progress: Progress) -> Iterator[Result]:
    """Ask a run's study about the datasets that are here; of the options that are `given`, those that it has."""
    study, absent = STUDIES[run.study].load(), not_here(store, paper)
    keywords = _keywords(study, run, given)
    needed = {name: (name, paper.needs.get(name, name)) for name in run.refs if name not in absent}
    refs = [name for name, both in needed.items() if all(log(store, one) for one in both)]
    for together in [[name] for name in refs] if run.each else [refs] if refs else []:
        yield study(store, *together, progress=progress, **keywords)


def _keywords(study: Callable[..., Result], run: Run, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of a study. A run can also set fields of the settings without an option."""
    known = {option.name: option for option in options_of(study) if not option.placed}
    values = {name: value for name, value in given.items() if name in known}
    _, keywords = arguments([known[name] for name in values], values)
    fields = {name: value for name, value in run.options.items() if name not in known}
    for key, record in keywords.items():
        own = {name: fields.pop(name) for name in [*fields] if hasattr(record, name)}
        keywords[key] = dataclasses.replace(record, **own) if own else record
    if fields:
        raise KeyError(*fields)
    return keywords


def installed(run: Run) -> list[str]:
    """List the metrics of a run that can be computed here."""
    return [name for name in run.options["metrics"] if lacking(METRICS[name.partition(":")[0]]) is None]


def not_installed(run: Run) -> list[str]:
    """Return notes on the metrics of a run that cannot be computed here."""
    left_out = [name for name in run.options["metrics"] if name not in installed(run)]
    return [f"{metric} is not installed: its figures are not answerable" for metric in left_out]
