"""Compounds and prepositional phrases of van Miltenburg, Elliott & Vossen 2018, section 4; what section 5.1 asks for.

The authors' tagger is en_core_web_sm 2.0 of 2017; here it is the pipeline that is installed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import polars as pl

from auditor.errors import MissingExtraError
from auditor.model import Progress
from auditor.papers.figures import Paper, Quantity
from auditor.papers.measured import Measured
from auditor.result import Said
from auditor.store.connection import Store
from auditor.studies.syntax import syntax

_STATISTIC = "as-published"

_COUNTS = ("compounds-", "prepositional-depth-")

_TYPES = ("compound-types-2", "prepositional-types-1")

#: What section 5.1 proposes to measure, by the names of tables.
_PROPOSED = ("parts-of-speech", "complexity", "rare")


def composition(
    store: Store, paper: Paper, systems: Sequence[str], called: Mapping[str, str], progress: Progress
) -> Measured:
    """Measure table 3 and figure 7, and the tables that section 5.1 proposes; why not, where no pipeline is installed.

    `called` says what people's captions are called in checks, by dataset. Histograms are of a parallel list.
    """
    try:
        measured = syntax(store, *systems, *called, progress=progress)
    except MissingExtraError as error:
        return Measured({}, absent={check.of: str(error) for check in paper.checks if _is_composition(check.of)})
    rows = measured.frame.with_columns(pl.col("dataset").replace(dict(called)))
    lists = dict(rows.filter(statistic=_TYPES[0]).select("dataset", "lists").iter_rows())
    quantities: dict[Quantity, float] = {}
    intervals: dict[Quantity, tuple[float, float]] = {}
    for one in rows.drop_nulls("value").iter_rows(named=True):
        of = (one["dataset"], one["statistic"], "", "", _STATISTIC)
        if _is_composition(of):
            is_count = one["statistic"].startswith(_COUNTS)
            quantities[of] = one["count"] / lists[one["dataset"]] if is_count else one["value"]
            if one["low"] is not None and not is_count:
                intervals[of] = (one["low"], one["high"])
    shown = [replace(table, name=f"section-5.1/{table.name}") for table in measured.tables if table.name in _PROPOSED]
    signatures = {name: measured.signatures[name] for name in ("compound-ratio", "preposition-ratio", *_TYPES)}
    said: list[Said] = [*measured.notes, *measured.findings]
    return Measured(quantities, signatures=signatures, notes=tuple(said), tables=tuple(shown), intervals=intervals)


def is_of_all_images(metric: str) -> bool:
    """Say whether a quantity of people's captions grows with the images, so that a part of them does not tell it."""
    return metric.startswith(_COUNTS) or metric in _TYPES


def _is_composition(of: Quantity) -> bool:
    return is_of_all_images(of[1]) or of[1] in ("compound-ratio", "preposition-ratio")
