"""Check datasets against the gates that `datasets.toml` declares."""

from __future__ import annotations

import dataclasses
import math
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import polars as pl

from auditor import config as declarations
from auditor import parameters as p
from auditor.asked import face
from auditor.asking import question
from auditor.called import not_stored
from auditor.errors import MetricError, UsageError
from auditor.findings import declare
from auditor.model import Gate, Progress, Selection, silent
from auditor.result import Finding, Result, Said, Severity, Table, program
from auditor.result.views import with_values
from auditor.scoring.registry import left_out
from auditor.steps import Steps
from auditor.store import kept
from auditor.store.captions import Captions, chosen_tokenizer
from auditor.store.connection import Store
from auditor.store.versions import log, resolve, resolve_all
from auditor.studies.check.gates import Demand, Demands, located, understood, written
from auditor.studies.check.measures import Measure, MeasureRequest
from auditor.studies.check.statements import TIMEOUT, Answer, answers
from auditor.studies.findings.study import BaselineFile

PASSED, FAILED, UNANSWERED = "passed", "failed", "not answerable"

#: The columns of a result. `limit` is as written in `file`; for SQL, `value` is the number of rows.
ROWS: Mapping[str, type[pl.DataType]] = {
    "dataset": pl.String, "version": pl.String, "split": pl.String, "gate": pl.String, "metric": pl.String,
    "statistic": pl.String, "value": pl.Float64, "low": pl.Float64, "high": pl.Float64, "limit": pl.Float64,
    "verdict": pl.String, "reason": pl.String, "file": pl.String, "signature": pl.String,
}  # fmt: skip

#: The columns with numbers, which a table shows in their unit.
_NUMBERS = ("value", "low", "high", "limit")

_Row = dict[str, Any]

Checked = Annotated[
    str, p.Parameter("Datasets to check; default: all that have gates.", metavar="DATASET…", optional=True)
]

Strict = Annotated[bool, p.Parameter("Count gates that are not answerable as failed.")]

Timeout = Annotated[float, p.Parameter("Time limit of an SQL gate, in seconds.", least=0)]


@face(verdicts=True, located=located)
@question
def check(
    store: Store,
    *refs: Checked,
    gates: Sequence[Gate] | None = None,
    strict: Strict = False,
    timeout: Timeout = TIMEOUT,
    known: BaselineFile = None,
    config: p.ConfigFile = None,
    progress: Progress = silent,
) -> Result:
    """Check datasets against limits set in datasets.toml.

    Compares each dataset with its gates. By default, it checks every dataset of captions, and others that declare
    gates. docs/ci.md lists the gates. A gate passes if the statistic equals its limit. Drift is measured against
    `drift.against`, by default the previous version. Gates on findings leave out those in the file of `--baseline`.

    How to read it: one row per gate: passed, failed, or not answerable (no such split, no earlier version, nothing to
    measure), with the reason. The exit code is 1 if a gate fails, and with `--strict` also if one cannot be answered.

    With -o FILE.html, the page also has the values of each gate in other versions, if they were checked.

    Limits: a gate knows only its number. Choose limits from a version that you have inspected.

    Raises `UsageError` if no gate applies, or for an unknown gate. Raises `SqlError` for a statement that the engine
    refuses or that takes longer than `timeout` seconds.

    Example: auditor check flickr8k
    """
    declared = declarations.sources(config)
    declare(declared.checks)
    wanted = understood(declarations.gates(config if isinstance(config, Path) else None) if gates is None else gates)
    selections, absent = _selections(store, refs, wanted)
    stated = answers(store, wanted.statements, selections, timeout)
    rows: list[_Row] = []
    by_all_metrics = any(demand.rule.by_metric and demand.metric is None for demand in wanted.demands)
    notes: list[Said] = [*left_out(None)] if by_all_metrics else []
    demands = {selection: _of(wanted.demands, selection.version.dataset) for selection in selections}
    steps = Steps(progress, [demand.gate.name for of_dataset in demands.values() for demand in of_dataset])
    for selection in selections:
        dataset = selection.version.dataset
        against = wanted.since.get(dataset, wanted.since.get(None))
        tokenizer, choice_notes = chosen_tokenizer(store, [selection, against])
        ignored = {**wanted.ignored.get(None, {}), **wanted.ignored.get(dataset, {})}
        captions = Captions(store, selection, tokenizer)
        request = MeasureRequest(captions, declared, steps, against=against, ignored=ignored, known=known)
        rows_of_dataset = [*_measured(request, steps.over(demands[selection])), *_stated(stated, selection)]
        notes += choice_notes if rows_of_dataset else []
        notes += [f"{selection.label}: {kind} is ignored: {reason}" for kind, reason in ignored.items()]
        if refs and not rows_of_dataset:
            notes.append(f"{selection.label}: no gate is declared for this dataset")
        rows += rows_of_dataset
    rows += [*_absent(wanted, absent), *_stated(stated, None)]
    if not rows:
        none = "no gate applies: [check] is for datasets of captions, but the store has none"
        raise UsageError(f"{' '.join(refs)}: no gate is declared for it in datasets.toml" if refs else none)
    frame = pl.DataFrame(rows, schema=ROWS, orient="row")
    if strict:
        why = pl.when(verdict=UNANSWERED).then(pl.format(f"{UNANSWERED}: {{}}", "reason")).otherwise("reason")
        frame = frame.with_columns(pl.col("verdict").replace(UNANSWERED, FAILED), reason=why)
    tables = (_table(frame), *(answer.table for answer in stated if answer.rows.height))
    summary, settings = _summary(frame), str((wanted.since, wanted.ignored, known))
    return Result(
        "check",
        frame,
        selections=selections,
        signatures=dict(frame.drop_nulls("signature").unique("signature", maintain_order=True)
                        .select(pl.coalesce("metric", "statistic"), "signature").iter_rows()),
        tables=tables,
        said=(summary, *notes),
        holds=FAILED not in frame["verdict"],
        page=(*tables, *history(store, selections, frame, settings)),
        headline=f"Gates: {summary.sentence}",
    ).led_by("gates")  # fmt: skip


def _selections(store: Store, refs: Sequence[str], wanted: Demands) -> tuple[tuple[Selection, ...], set[str]]:
    """Return the selections to check, and the datasets that have gates but are not in the store."""
    if refs:
        return resolve_all(store, refs), set()
    named = {gate.dataset for gate in (*wanted.statements, *(demand.gate for demand in wanted.demands))}
    stored = store.query("select dataset, kind from dataset order by dataset")
    names = [name for name, kind in stored.iter_rows() if name in named or (None in named and kind == "captions")]
    return tuple(resolve(store, name) for name in names), {name for name in named if name} - {*names}


def _of(demands: Sequence[Demand], dataset: str) -> list[Demand]:
    """Return the gates of a dataset; they replace those for all datasets."""
    chosen: dict[tuple[str, ...], Demand] = {}
    for owner in (None, dataset):
        chosen |= {demand.gate.keys: demand for demand in demands if demand.gate.dataset == owner}
    return [*chosen.values()]


def _measured(request: MeasureRequest, demands: Iterable[Demand]) -> list[_Row]:
    """Check the gates of one selection; a study that several gates use runs once."""
    known: dict[tuple[Measure, str | None], pl.DataFrame | str] = {}
    rows: list[_Row] = []
    for demand in demands:
        key = demand.rule.measure, demand.metric
        if key not in known:
            try:
                known[key] = demand.rule.measure(dataclasses.replace(request, metric=demand.metric))
            except (MetricError, UsageError) as error:
                known[key] = str(error)
        measured, facts = known[key], _gate_facts(demand.gate, request.captions.selection)
        why = measured if isinstance(measured, str) else "nothing to measure"
        of_gate = [] if isinstance(measured, str) else measured.filter(statistic=demand.statistic).rows(named=True)
        rows += [facts | _answered(demand, row) for row in of_gate] or [facts | _without(demand, why)]
    return rows


def _gate_facts(gate: Gate, selection: Selection | None) -> _Row:
    written = {"gate": gate.name, "file": str(gate.file)}
    if selection is None:
        return {"dataset": gate.dataset, **written}
    version = selection.version
    return {"dataset": version.dataset, "version": version.version, "split": selection.split, **written}


def _without(demand: Demand, reason: str) -> _Row:
    facts = {"statistic": demand.statistic, "metric": demand.metric, "limit": demand.limit}
    return facts | {"verdict": UNANSWERED, "reason": reason}


def _answered(demand: Demand, measured: _Row) -> _Row:
    value = measured[demand.rule.end]
    if value is None or not math.isfinite(value):
        missing = "it has no value" if measured["value"] is None else "it has no interval or no finite value"
        return measured | _without(demand, measured["reason"] or missing) | {"metric": measured["metric"]}
    name = demand.statistic if measured["metric"] is None else f"{demand.statistic} by {measured['metric']}"
    name = name if demand.rule.end == "value" else f"{name}, the {demand.rule.end} end of its interval,"
    is_value, limit = written(demand.statistic, value, demand.limit)
    sentence = f"{name} is {is_value}, expected {demand.words} {limit}"
    sentence += f": {measured['reason']}" if measured["reason"] else ""
    verdict = {"verdict": PASSED, "reason": None} if demand.holds(value) else {"verdict": FAILED, "reason": sentence}
    return measured | verdict | {"limit": demand.limit}


def _stated(stated: Sequence[Answer], selection: Selection | None) -> Iterator[_Row]:
    """Yield a row for each statement about a selection, or about the whole store."""
    for answer in stated:
        if answer.selection == selection:
            verdict = PASSED if answer.rows.is_empty() else FAILED
            counted = {"statistic": "rows", "value": float(answer.rows.height), "limit": 0.0}
            yield _gate_facts(answer.gate, selection) | counted | {"verdict": verdict, "reason": answer.reason}


def _absent(wanted: Demands, absent: Collection[str]) -> Iterator[_Row]:
    """Yield a row for each gate of a dataset that is not in the store."""
    of_demands = ((demand.gate, _without(demand, "")) for demand in wanted.demands)
    for gate, facts in (*of_demands, *((gate, {"limit": 0.0, "verdict": UNANSWERED}) for gate in wanted.statements)):
        if gate.dataset in absent:
            yield _gate_facts(gate, None) | facts | {"reason": not_stored(str(gate.dataset))}


def _table(frame: pl.DataFrame) -> Table:
    """Return the table of gates: a screen shows the first rows, so failed and unanswered gates come first."""
    frame = frame.sort(*(pl.col("verdict") != verdict for verdict in (FAILED, UNANSWERED)), maintain_order=True)
    numbers = [written(*row) for row in frame.select("statistic", *_NUMBERS).iter_rows()]
    shown = frame.select(
        pl.concat_str(pl.col("dataset").fill_null("the store"), "split", separator=":", ignore_nulls=True), "gate",
        "metric", *pl.DataFrame(numbers, dict.fromkeys(_NUMBERS, pl.String), orient="row"), "verdict", "reason",
    )  # fmt: skip
    shown = with_values(shown, "metric", "low", "high", "reason")
    return Table("gates", shown, sections="dataset", name="gates", sentences=("reason",) if "reason" in shown else ())


def _summary(frame: pl.DataFrame) -> Finding:
    counts = Counter(frame["verdict"])
    counted = {verdict: counts[verdict] for verdict in (PASSED, FAILED, UNANSWERED)}
    sentence = ", ".join(f"{number:,} {verdict}" for verdict, number in counted.items())
    severity: Severity = "error" if counted[FAILED] else "notice" if counted[UNANSWERED] else "info"
    return Finding("gates", sentence, values=counted, n=frame.height, severity=severity)


_RELATION = "gate_value"


def history(store: Store, selections: Sequence[Selection], frame: pl.DataFrame, settings: str) -> Iterator[Table]:
    """Keep the values of gates, and yield a table of each dataset with several versions: a row per gate.

    `settings` are what a value depends on, in addition to the captions. Statements can change, and are left out.
    """
    measured = frame.drop_nulls("value").filter(pl.col("statistic") != "rows")
    for selection in selections:
        rows, shown = selection.rows_of(measured).select("gate", "metric", "statistic", "limit", "value"), []
        logged = sorted(log(store, selection.version.dataset), key=lambda version: version.seq)
        for gate, metric, statistic, limit, value in rows.iter_rows():
            params = {"gate": [gate, metric, settings, program()]}
            keys = {one.seq: kept.key(store, replace(selection, version=one), params=params) for one in logged}
            kept.put(store, selection, _RELATION, keys[selection.version.seq], pl.DataFrame({"value": [float(value)]}))
            held = kept.get(store, dict.fromkeys(keys.values(), _RELATION))
            values = {seq: held[key]["value"][0] if key in held else None for seq, key in keys.items()}
            named = {"gate": " ".join(filter(None, [gate, metric])), "limit": written(statistic, limit)[0]}
            told = {f"v{seq}": written(statistic, one)[0] or "not measured" for seq, one in values.items()}
            shown.append({**named, **told})
        if len(logged) > 1 and shown:
            yield Table(f"{selection.label}: values in each version", pl.DataFrame(shown), name="history")
