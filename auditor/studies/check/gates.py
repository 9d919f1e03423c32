"""The gates: study, statistic and comparison of each. To add a gate, add a line to `GATES`."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import polars as pl

from auditor import parameters as p
from auditor.config.checks import lines_of
from auditor.errors import MetricError, UsageError
from auditor.findings import KINDS
from auditor.model import Gate
from auditor.result import SEVERITIES, Result
from auditor.scoring.registry import request_of_file
from auditor.statistics.cards import explained
from auditor.store.connection import Store
from auditor.studies.check import measures
from auditor.studies.check.measures import Measure

SQL = "sql"

#: The setting with the version or dataset that drift is measured against.
AGAINST = ("drift", "against")

#: The table of accepted kinds of findings, each with the reason.
IGNORE = "ignore"

#: The gate with a severity as its limit, and the severities by number.
MAX_SEVERITY = "findings.max_severity"

_SEVERITIES = SEVERITIES[::-1]

#: Writes a value of a unit with so many digits: others as a number.
_WRITE: Mapping[str, Callable[[float, int], str]] = {
    "": lambda value, digits: f"{int(value):,}" if value.is_integer() else f"{value:.{digits}g}",
    "share": lambda value, digits: f"{100 * value:.{digits - 1}g}%",
    "severity": lambda value, _: _SEVERITIES[int(value)],
}


@dataclass(frozen=True)
class GateRule:
    """The rule of a gate. The limit is compared with the `end` (value, low, high) of a `statistic` of `measure`.

    A gate `by_metric` applies to all metrics, or to the metric after the first part of its name. A
    gate `by_kind` applies to the kind of finding after the first part of its name.
    """

    measure: Measure
    statistic: str
    end: str = "value"
    by_metric: bool = False
    by_kind: bool = False


GATES: Mapping[str, GateRule] = {
    "images.min": GateRule(measures.sizes, "images"),
    "captions_per_image.min": GateRule(measures.sizes, "captions-per-image-min"),
    "captions_per_image.max": GateRule(measures.sizes, "captions-per-image-max"),
    "length.asl.min": GateRule(measures.sizes, "asl"),
    "length.asl.max": GateRule(measures.sizes, "asl"),
    "empty.max": GateRule(measures.sizes, "empty"),
    "duplicates_within_image.max": GateRule(measures.repetition, "within-image"),
    "duplicates_within_image.exact.max": GateRule(measures.repetition, "within-image-exact"),
    "duplicates_across_images.max": GateRule(measures.repetition, "across-images"),
    "duplicates_across_images.exact.max": GateRule(measures.repetition, "across-images-exact"),
    "leakage.max": GateRule(measures.repetition, "leakage"),
    "leakage.exact.max": GateRule(measures.repetition, "leakage-exact"),
    "msttr.min": GateRule(measures.diversity, "ttr-1"),
    "templated.max": GateRule(measures.templates, "templated"),
    "outliers.max": GateRule(measures.outliers, "misplaced"),
    "homogeneity.high.max": GateRule(measures.homogeneity, "homogeneity", end="high", by_metric=True),
    "choices.blind.max": GateRule(measures.blind_choices, "best-blind"),
    MAX_SEVERITY: GateRule(measures.faults, "severity"),
    "findings.max": GateRule(measures.faults, "share", by_kind=True),
    "drift.js.max": GateRule(measures.drift, "js"),
    "drift.js-2.max": GateRule(measures.drift, "js-2"),
    "drift.js-opening.max": GateRule(measures.drift, "js-opening"),
}


def written(statistic: str, *values: float | None) -> list[str | None]:
    """Write values of a statistic in its unit, with more digits if they look equal."""
    card = explained(statistic)
    unit = "share" if statistic in KINDS else card.unit if card else ""
    write, words = _WRITE.get(unit, _WRITE[""]), list[str | None]()
    for digits in (4, 6, 17):
        words = [None if value is None else write(value, digits) for value in values]
        if len({*words}) == len({*values}):
            break
    return words


@dataclass(frozen=True)
class Demand:
    """A parsed gate: its rule, its limit, and the metric or the kind of finding that it names."""

    gate: Gate
    rule: GateRule
    limit: float
    metric: str | None = None
    kind: str | None = None

    @property
    def statistic(self) -> str:
        """The compared statistic: that of the rule, or the kind of finding."""
        return self.kind or self.rule.statistic

    @property
    def words(self) -> str:
        """How the statistic is compared with the limit."""
        return "at least" if self.gate.keys[-1] == "min" else "at most"

    def holds(self, value: float) -> bool:
        """Return whether a value is within its limit."""
        return value >= self.limit if self.gate.keys[-1] == "min" else value <= self.limit


@dataclass(frozen=True)
class Demands:
    """Every parsed gate: those of `GATES`, and statements.

    Also, by dataset, the version or dataset that its drift is measured against (`since`), and the accepted kinds of
    findings, each with the reason (`ignored`).
    """

    demands: tuple[Demand, ...]
    statements: tuple[Gate, ...]
    since: Mapping[str | None, str]
    ignored: Mapping[str | None, Mapping[str, str]]


def understood(gates: Sequence[Gate]) -> Demands:
    """Parse gates. Raises `UsageError` for no gates, an unknown gate, and a limit that is not a number."""
    demands = [_demand(gate) for gate in gates if gate.keys[0] not in (SQL, IGNORE) and gate.keys != AGAINST]
    statements = [gate for gate in gates if gate.keys[0] == SQL]
    if not demands and not statements:
        raise UsageError(
            "no gates are declared; add them to datasets.toml, under [check] for all datasets or [NAME.check] for one, "
            "such as captions_per_image.min = 5"
        )
    since = {gate.dataset: _against(gate) for gate in gates if gate.keys == AGAINST}
    ignored: dict[str | None, dict[str, str]] = {}
    for gate in (gate for gate in gates if gate.keys[0] == IGNORE):
        kind = ".".join(gate.keys[1:])
        if kind not in KINDS:
            raise _wrong(gate, "unknown kind of finding; docs/findings.md lists all kinds")
        if not isinstance(gate.limit, str) or not gate.limit.strip():
            raise _wrong(gate, 'expected a reason, such as "read by hand on 1 May"')
        ignored.setdefault(gate.dataset, {})[kind] = gate.limit
    return Demands(tuple(demands), tuple(statements), since, ignored)


def located(store: Store, result: Result, places: Mapping[str, str], config: p.ConfigFile) -> Result:
    """Add column `line`: that of each gate in its file, if the file writes it in one."""
    lines = {file: lines_of(Path(file)) for file in result.frame["file"].unique()}
    found = [
        lines[file].get(f"{dataset}.check.{gate}", lines[file].get(f"check.{gate}"))
        for file, dataset, gate in result.frame.select("file", "dataset", "gate").iter_rows()
    ]
    return replace(result, frame=result.frame.with_columns(line=pl.Series(found, dtype=pl.UInt32)))


def _demand(gate: Gate) -> Demand:
    if gate.keys[0] == "findings" and gate.name != MAX_SEVERITY:
        if len(gate.keys) != 3 or gate.keys[1] not in KINDS or gate.keys[2] != "max":
            raise _wrong(gate, f"expected {MAX_SEVERITY} or findings.KIND.max, KIND as in docs/findings.md")
        return Demand(gate, GATES["findings.max"], _number(gate), kind=gate.keys[1])
    rule, metric = GATES.get(gate.name), None
    if rule is None:
        first, *between, end, bound = gate.keys if len(gate.keys) > 3 else ("", "", "", "")
        rule = GATES.get(f"{first}.{end}.{bound}")
        metric = ".".join(between)
    if rule is None or (metric is not None and not rule.by_metric):
        raise UsageError(f"{gate.where}: unknown gate {gate.name}; use {', '.join(_known())}")
    if gate.name == MAX_SEVERITY:
        if gate.limit not in _SEVERITIES:
            raise _wrong(gate, f'expected "info", "notice" or "warning", not {gate.limit!r}')
        return Demand(gate, rule, float(_SEVERITIES.index(gate.limit)))
    return Demand(gate, rule, _number(gate), _metric(gate, metric))


def _wrong(gate: Gate, what: str) -> UsageError:
    return UsageError(f"{gate.where}: {gate.name}: {what}")


def _number(gate: Gate) -> float:
    limit = gate.limit
    if isinstance(limit, bool) or not isinstance(limit, int | float) or not math.isfinite(limit):
        raise _wrong(gate, f"expected a number, not {limit!r}")
    return float(limit)


def _metric(gate: Gate, metric: str | None) -> str | None:
    if metric is None:
        return None
    try:
        return request_of_file(metric).label
    except MetricError as error:
        raise _wrong(gate, f"{error}") from error


def _against(gate: Gate) -> str:
    if not isinstance(gate.limit, str) or not gate.limit:
        raise _wrong(gate, 'expected a version or a dataset, such as "flickr8k@v1"')
    return gate.limit


def _known() -> list[str]:
    plain = [name for name, rule in GATES.items() if not rule.by_kind]
    named = [name.replace(".", ".METRIC.", 1) for name, rule in GATES.items() if rule.by_metric]
    of_kind = [name.replace(".", ".KIND.", 1) for name, rule in GATES.items() if rule.by_kind]
    return [*plain, *named, *of_kind, ".".join(AGAINST), f"{IGNORE}.KIND", "[[check.sql]]"]
