"""Your rows in a published table: a metric or a system, measured as the paper measures its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl

from auditor import parameters as p
from auditor.errors import UsageError
from auditor.model import Progress
from auditor.papers import known
from auditor.papers.figures import KEYS, Paper, Quantity
from auditor.result import Table
from auditor.store.connection import Store

#: The verdict of your row, for which the paper prints no figure.
YOURS = "yours"

#: For metrics and systems: the function of a paper's module that measures them, the key that names them, the option.
_WAYS = {"metrics": ("of_metrics", "metric", "-m"), "candidates": ("of_candidates", "dataset", "--candidates")}

Requested = Mapping[str, Sequence[p.MetricName] | None]


def check(papers: Sequence[Paper], requested: Requested) -> None:
    """Raise `UsageError` if a paper has no such table, before anything is measured."""
    for what, names in requested.items():
        function, _, option = _WAYS[what]
        able = [name for name in known() if hasattr(known()[name].load(), function)]
        unable = next((paper.name for paper in papers if paper.name not in able), None) if names else None
        if unable:
            raise UsageError(f"{option}: {unable} prints no table of {what}; add rows to {', '.join(able)}")


def rows_of(
    store: Store, paper: Paper, requested: Requested, published: pl.DataFrame, seed: int, progress: Progress
) -> tuple[list[dict[str, object]], list[Table]]:
    """Measure the requested rows; return them, and tables with the published figures, best first."""
    rows, tables = list[dict[str, object]](), list[Table]()
    for what, names in requested.items():
        if not names:
            continue
        function, named, _ = _WAYS[what]
        measured = dict(getattr(known()[paper.name].load(), function)(store, paper, names, seed, progress))
        quantities = {of: value for of, value in measured.items() if of[KEYS.index(named)]}
        tables.append(_table(paper, published, quantities, named))
        rows += [
            {"paper": paper.name, **dict(zip(KEYS, of, strict=True)), "value": value, "verdict": YOURS}
            for of, value in quantities.items()
        ]
    return rows, tables


def _table(paper: Paper, published: pl.DataFrame, quantities: Mapping[Quantity, float], named: str) -> Table:
    others = [key for key in KEYS if key != named]
    yours = pl.DataFrame(
        [(*of, None, value, YOURS) for of, value in quantities.items()],
        schema={**dict.fromkeys(KEYS, pl.String), "printed": pl.String, "ours": pl.Float64, "row": pl.String},
        orient="row",
    )
    theirs = (
        published.filter(pl.col("compared") == "value", pl.col("printed").is_not_null())
        .join(yours, on=others, how="semi")
        .sort(pl.col("printed").str.len_chars(), descending=True, maintain_order=True)
        .unique(KEYS, keep="first", maintain_order=True)
        .select(*KEYS, "printed", ours="value", row=pl.lit("published"))
    )
    rows = pl.concat([theirs, yours.join(theirs, on=others, how="semi")])
    of = pl.concat_str(others, separator=" ").str.replace_all(r"\s+", " ").str.strip_chars()
    return Table(
        f"{paper.citation}: the published table with your row",
        rows.select(of.alias("of"), named, "printed", "ours", "row").sort(
            "of", "ours", descending=[False, True], nulls_last=True, maintain_order=True
        ),
        sections="of",
        caption="your rows are measured as the paper measures its own, with the same data and definitions",
        name="with-yours",
    )
