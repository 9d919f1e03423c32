"""What is a metric, what can be set, where does it come from, how is it cited?"""

from __future__ import annotations

import polars as pl

from auditor.errors import MetricError
from auditor.metrics.card import Metric
from auditor.model import Result, Table
from auditor.registry import METRICS, request


def metric_cards(name: str | None = None) -> Result:
    """Describe every metric in a line, or one in full. Raises `MetricError` for a name that is none."""
    if name is None:
        rows = [
            {"metric": metric.name, "version": metric.version, "summary": metric.summary, "source": metric.source}
            for metric in METRICS.values()
        ]
        table = pl.DataFrame(rows).select("metric", "summary")
        return Result("metrics", pl.DataFrame(rows), tables=(Table("metrics", table),))
    if name not in METRICS:
        raise MetricError(f"{name}: no such metric; known are {', '.join(METRICS)}")
    metric = METRICS[name]
    facts = pl.DataFrame(
        {
            "property": ["summary", "references", "edge cases", "source", "counts", "version", "bibtex"],
            "value": [
                metric.summary,
                metric.references,
                metric.edge_cases,
                metric.source,
                f"sql/metrics/{metric.counts}.sql",
                str(metric.version),
                metric.bibtex,
            ],
        }
    )
    signature = str(request(name).signature("bare", "loo"))
    return Result(
        "metrics",
        facts,
        signatures={name: signature},
        tables=(Table(name, facts), Table(f"parameters: -m {name}:PARAMETER=VALUE,…", _parameters(metric))),
    )


def _parameters(metric: Metric) -> pl.DataFrame:
    return pl.DataFrame(
        [
            {
                "parameter": name,
                "default": str(parameter.default).lower(),
                "may be": ", ".join(parameter.words) or parameter.range,
                "meaning": parameter.meaning,
            }
            for name, parameter in metric.parameters.items()
        ]
    )
