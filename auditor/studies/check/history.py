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
