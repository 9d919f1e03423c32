"""Which words came and went between two selections, and how did the lengths of captions move?"""

from __future__ import annotations

import polars as pl
import polars.selectors as cs

from auditor.model import Result, Selection, Table
from auditor.store import ngrams
from auditor.store.connection import Store
from auditor.store.workspace import Workspace
from auditor.studies.drift_summary import summary

#: How deep `diff` looks, beside `drift`, one number a statistic: the SELECT that does, the relation it reads of each
#: side, and the SELECT that gives that.
DEPTHS = {
    "vocabulary": ("vocabulary_drift", "token", "token_at_work"),
    "lengths": ("length_drift", "reference", "reference"),
}

SUMMARY = "drift"

_SHOWN_WORDS = 50
_COUNTS = ("captions", "length-min", "length-max", "captions-of-one-word")


def drift(store: Store, a: Selection, b: Selection, depth: str, text_profile: str, title: str) -> tuple[Result, bool]:
    """Say how words (depth `vocabulary`) or lengths (`lengths`) moved from `a` to `b`, and whether anything did.

    `a` and `b` may be of one dataset or of two. Columns are those of `sql/versions/vocabulary_drift.sql` and
    `length_drift.sql`; at depth `drift` one number a statistic, see `drift_summary`.
    """
    if depth == SUMMARY:
        return summary(store, a, b, text_profile, title)
    name, relation, made_by = DEPTHS[depth]
    for side, selection in (("a", a), ("b", b)):
        ngrams.workspace(store, selection, text_profile).bind(f"{relation}_{side}", made_by)
    rows = Workspace(store).rows(name)
    shown = f"{title}, text profile {text_profile}"
    tables, notes, changed = (_words if depth == "vocabulary" else _lengths)(rows, shown)
    return Result("diff", rows, selections=(a, b), tables=tables, notes=notes), changed


def _words(rows: pl.DataFrame, title: str) -> tuple[tuple[Table, ...], tuple[str, ...], bool]:
    more = rows.height - _SHOWN_WORDS
    caption = f"{more:,} more words: --json or -o FILE has them" if more > 0 else None
    tables = (Table(title, rows.head(_SHOWN_WORDS), caption=caption),)
    if rows.is_empty():
        return tables, ("the same words, equally often",), False
    counts = dict(rows["change"].value_counts().iter_rows())
    told = ", ".join(f"{counts.get(change, 0):,} {change}" for change in ("new", "gone", "more", "less"))
    return tables, (f"words: {told}",), True


def _lengths(rows: pl.DataFrame, title: str) -> tuple[tuple[Table, ...], tuple[str, ...], bool]:
    changed = bool((rows["difference"] != 0).any())
    is_count = pl.col("statistic").is_in(_COUNTS)
    tables = (
        Table(title, rows.filter(is_count).cast({cs.numeric(): pl.Int64})),
        Table("lengths in tokens", rows.filter(~is_count)),
    )
    return tables, () if changed else ("as many captions, of the same lengths",), changed
