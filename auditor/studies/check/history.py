"""The values of gates in all versions of a dataset that were checked: the store keeps them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import polars as pl

from auditor.model import Selection
from auditor.result import Table, program
from auditor.store import kept
from auditor.store.connection import Store
from auditor.store.versions import log
from auditor.studies.check.gates import written

_RELATION = "gate_value"


def history(store: Store, selections: Sequence[Selection], frame: pl.DataFrame, settings: str) -> Iterator[Table]:
    """Keep the values of gates, and yield a table of each dataset with several versions: a row per gate.

    `settings` are what a value depends on, in addition to the captions. Statements can change, and are left out.
    """
    measured = frame.drop_nulls("value").filter(pl.col("statistic") != "rows")
    for selection in selections:
        rows = selection.rows_of(measured).select("gate", "metric", "statistic", "limit", "value")
        logged = sorted(log(store, selection.version.dataset), key=lambda version: version.seq)
        keys = {
            (one.seq, gate, metric): kept.key(
                store, replace(selection, version=one), params={"gate": [gate, metric, settings, program()]}
            )
            for one in logged
            for gate, metric in rows.select("gate", "metric").iter_rows()
        }
        for gate, metric, _, _, value in rows.iter_rows():
            entry = keys[selection.version.seq, gate, metric]
            kept.put(store, selection, _RELATION, entry, pl.DataFrame({"value": [value]}, schema={"value": pl.Float64}))
        held = kept.get(store, dict.fromkeys(keys.values(), _RELATION))
        if len(logged) > 1 and rows.height:
            shown = [
                {"gate": " ".join(filter(None, [gate, metric])), "limit": written(statistic, limit)[0]}
                | {f"v{one.seq}": _value(statistic, held.get(keys[one.seq, gate, metric])) for one in logged}
                for gate, metric, statistic, limit, _ in rows.iter_rows()
            ]
            yield Table(f"{selection.label}: values in each version", pl.DataFrame(shown), name="history")


def _value(statistic: str, kept_rows: pl.DataFrame | None) -> str | None:
    return "not measured" if kept_rows is None else written(statistic, kept_rows["value"][0])[0]
