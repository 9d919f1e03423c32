"""What is a metric or a statistic, which parameters and which source does it have, how is it cited?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated

import polars as pl

from auditor import parameters as p
from auditor.asking import question
from auditor.metrics.card import Metric
from auditor.ranges import in_words
from auditor.result import Result, Table
from auditor.scoring.registry import METRICS, References, defaults_of, lacking, request
from auditor.statistics.cards import Statistic, explained
from auditor.statistics.syntax import TYPES
from auditor.store.sqlfiles import catalogue

_PARAMETER: Mapping[str, pl.DataType] = {
    **dict.fromkeys(("property", "parameter", "default"), pl.String()),
    "choices": pl.List(pl.String()),
    **dict.fromkeys(("range", "meaning"), pl.String()),
}

_LISTED = ("version", "summary", "kind", "range", "sensitivity", "source")

#: The column for how far a score depends on the number of references.
_SENSITIVE = "sensitive to references"


Name = Annotated[str | None, p.Parameter("Explain this metric; default: list all.", metavar="NAME", completes="metric")]


@question
def metric_cards(name: Name = None) -> Result:
    """List the metrics, or explain one.

    Lists all metrics, one per line. With NAME, it prints the metric's card: what it compares, its range, its parameters
    with their defaults, edge cases, source and citation.

    How to read it: set a parameter as in -m cider-d:sigma=4. It then appears in the signature of every number.

    A Python function can be a metric: -m python:MODULE.FUNCTION, or @auditor.metric in Python. The module is installed
    or in the working folder. The function gets a candidate and the list of its references, as written, and returns a
    number.

    A SELECT in a file can be a metric: -m sql:FILE. It reads only `candidates`, a table with columns id BIGINT, text
    VARCHAR and reference_texts VARCHAR[]. It returns one row per candidate, for example `select id, len(text) as score
    from candidates`. Scores of your own metrics are not stored in the view scores.

    Limits: a metric that needs a package names it. It is not a default unless the package is installed.

    Raises `MetricError` for an unknown name.

    Example: auditor metrics cider-d
    """
    if name is None:
        facts = {field: [getattr(metric, field) for metric in METRICS.values()] for field in _LISTED}
        rows = pl.DataFrame({"metric": [*METRICS], **facts})
        table = rows.select("metric", "summary", pl.col("sensitivity").alias(_SENSITIVE))
        lead = (f"{table.height} metrics: `auditor metrics NAME` explains one.",)
        return Result("metrics", rows, tables=(Table("metrics", table, name="metrics"),), lead=lead)
    if name not in METRICS and (statistic := explained(name)):
        return _card(name, _of_statistic(statistic))
    metric = METRICS[name] if name in METRICS else request(name).metric
    card = _card(
        name,
        {
            "summary": metric.summary,
            "kind": metric.kind,
            "range": metric.range,
            "better": "lower" if metric.lower_is_better else "higher",
            "references": metric.references,
            _SENSITIVE: f"{metric.sensitivity}, with every parameter at its default",
            "edge cases": metric.edge_cases,
            "source": metric.source,
            "counts": f"sql/{catalogue()[metric.counts].place}" + (", aligned by a kernel" if metric.kernel else ""),
            "asked for by default": lacking(metric) or ("yes" if metric.default else "no"),
            "version": str(metric.version),
            "bibtex": metric.bibtex,
        },
    )
    signature = str(defaults_of(metric).signature("bare", References()))
    parameters = _parameters(metric)
    values = pl.coalesce(pl.col("choices").list.join(", "), "range").alias("values")
    shown = parameters.select("parameter", "default", values, "meaning")
    return replace(
        card,
        frame=pl.concat([card.frame, parameters], how="diagonal"),
        signatures={name: signature},
        tables=(*card.tables, Table(f"parameters: -m {name}:PARAMETER=VALUE,…", shown, name="parameters")),
    )


def _of_statistic(card: Statistic) -> dict[str, str]:
    facts = {"definition": card.definition, "range": in_words(card.ends)}
    if card.study == "diversity":
        facts["as published"] = card.published or "the same"
        facts["depends on the order of captions"] = "yes: the mean over random orders" if card.walks else "no"
    elif card.study != "syntax":
        over_shards = "adds up" if card.adds_up is True else f"not computed: {card.adds_up}"
        facts |= {"unit": card.unit, "better": card.better or "neither", "one value per": card.level}
        facts["over shards"] = over_shards
    elif card in TYPES.values():
        del facts["range"]
    facts["needs"] = f"{card.needs} data" if card.needs.endswith(("training", "evaluation")) else card.needs
    return facts | ({"source": card.source} if card.source else {}) | {"command": f"auditor {card.study}"}


def _card(name: str, facts: Mapping[str, str]) -> Result:
    frame = pl.DataFrame({"property": [*facts], "value": [*facts.values()]})
    lead = (f"{name}: {frame['value'][0]}.",)
    return Result("metrics", frame, tables=(Table(name, frame, name="metric"),), lead=lead)


def _parameters(metric: Metric) -> pl.DataFrame:
    """Return one row for each parameter; its values are a list of `choices` or a `range` of numbers."""
    rows = []
    for name, one in metric.parameters.items():
        ends = None if one.choices else one.range
        rows.append(("parameter", name, str(one.default).lower(), one.words or None, ends, one.meaning))
    return pl.DataFrame(rows, schema=_PARAMETER, orient="row")
