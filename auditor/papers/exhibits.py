"""Figures and tables in the shape of a paper's own, also with your rows: a metric or a system, measured as it does.

`PAPER.toml` lists which measured quantities they show.
"""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Any

import polars as pl

from auditor import parameters as p
from auditor.errors import UsageError
from auditor.model import Progress
from auditor.papers import known
from auditor.papers import paper as read
from auditor.papers.bands import in_print
from auditor.papers.figures import KEYS, Exhibit, Paper, Quantity
from auditor.papers.measured import Measured
from auditor.result import Figure, Table
from auditor.store.connection import Store

#: The value of a cell that was not measured.
_ABSENT = "–"

_NUMBERS = {"value": pl.Float64, "low": pl.Float64, "high": pl.Float64}


def check_drawn(arguments: Mapping[str, Any]) -> None:
    """Raise `UsageError` if no figure of the papers can be drawn, before anything is measured."""
    drawn = [name for name in known() if any(exhibit.kind != "table" for exhibit in read(name).exhibits)]
    papers = arguments["papers"] or drawn
    if not {*papers} & {*drawn} and {*papers} <= {*known()}:
        raise UsageError(
            f"{' '.join(papers)}: no figure to draw; use {', '.join(drawn)}, or -o FILE.tex for the tables"
        )


def figures(paper: Paper, measured: Measured) -> Iterator[Figure]:
    """Draw the paper's figures from the quantities that were measured."""
    for exhibit in paper.exhibits:
        rows = _rows(exhibit, measured)
        if exhibit.kind == "table" or rows.is_empty():
            continue
        parts = rows.partition_by(exhibit.each, maintain_order=True) if exhibit.each else [rows]
        for number, part in enumerate(parts, 1):
            yield _figure(paper, exhibit, measured, part, f"-{number}" if exhibit.each else "")


def tables(paper: Paper, measured: Measured) -> Iterator[Table]:
    """Return the paper's tables with the decimals that it prints; a cell that was not measured has a dash."""
    for exhibit in paper.exhibits:
        rows = _rows(exhibit, measured)
        if exhibit.kind != "table" or rows.is_empty():
            continue
        columns = {x: _called(paper, x) for x in rows.select(exhibit.x).unique(maintain_order=True).iter_rows()}
        cells = {
            (row[exhibit.by], tuple(row[x] for x in exhibit.x)): _number(paper, exhibit, row)
            for row in rows.iter_rows(named=True)
        }
        patterns = exhibit.of[KEYS.index(exhibit.by)]
        found = rows[exhibit.by].unique(maintain_order=True).to_list()
        asked = [name for each in patterns for name in (fnmatch.filter(found, each) if "*" in each else [each])]
        frame = {"": [_called(paper, (name,)) for name in asked]}
        frame |= {column: [cells.get((name, x), _ABSENT) for name in asked] for x, column in columns.items()}
        title = f"{paper.citation}: {exhibit.title}, recomputed. {_footnote(paper, exhibit, rows) or ''}".rstrip()
        yield Table(title, pl.DataFrame(frame), name=f"{paper.name}/{exhibit.name}")


def _number(paper: Paper, exhibit: Exhibit, row: Mapping[str, Any]) -> str:
    """Write a number with the decimals that the paper prints for it, or at most for its metric."""
    if exhibit.digits is not None:
        return f"{row['value']:.{exhibit.digits}f}"
    checks = [check for check in paper.checks if check.printed and check.of[1::3] == (row["metric"], row["statistic"])]
    own = [check.printed for check in checks if check.of == tuple(row[key] for key in KEYS)]
    longest = max((check.printed or "" for check in checks), key=len, default=None)
    return in_print(own[0] if own else longest, row["value"], more=0)


def _rows(exhibit: Exhibit, measured: Measured) -> pl.DataFrame:
    """Return the quantities that match the patterns of an exhibit, in the order of these."""
    found = []
    for named, value in measured.quantities.items():
        places = [
            next((place for place, pattern in enumerate(patterns) if fnmatch.fnmatchcase(str(part), pattern)), -1)
            for part, patterns in zip(named, exhibit.of, strict=True)
        ]
        if -1 not in places:
            first, _, second = named[1].partition(" ")
            found.append((places, (*named, first, second, value, *measured.intervals.get(named, (None, None)))))
    schema = dict.fromkeys((*KEYS, "first", "second"), pl.String) | _NUMBERS
    return pl.DataFrame([row for _, row in sorted(found, key=itemgetter(0))], schema=schema, orient="row")


def _figure(paper: Paper, exhibit: Exhibit, measured: Measured, rows: pl.DataFrame, number: str) -> Figure:
    x, by = exhibit.x[0], exhibit.by
    titles = [exhibit.title, *(_called(paper, (str(rows[key][0]),)) for key in exhibit.each)]
    if exhibit.rho:
        named = tuple(exhibit.rho.get(key, rows[key][0]) for key in KEYS)
        titles += [f"ρ = {measured.quantities[named]:.3f}"] if named in measured.quantities else []
    position = pl.col(x).str.extract(r"(\d+)").cast(pl.Int64) if exhibit.kind == "lines" else _names(paper, x)
    bounded = rows["low"].null_count() < rows.height and exhibit.kind != "heatmap"
    heat = exhibit.kind == "heatmap"
    return Figure(
        f"{paper.name}-{exhibit.name}{number}",
        ", ".join(titles),
        exhibit.kind,  # type: ignore[arg-type]
        rows.select(position.alias(x), _names(paper, by).alias(by), *_NUMBERS),
        x,
        by if heat else "value",
        None if heat else by,
        value="value" if heat else None,
        low="low" if bounded else None,
        high="high" if bounded else None,
        x_label=exhibit.x_label,
        y_label=exhibit.y_label,
        log_x=exhibit.log_x,
        span=(0, 1) if by == "second" else None,
        caption=_footnote(paper, exhibit, rows),
    )


def _names(paper: Paper, key: str) -> pl.Expr:
    return pl.col(key).replace(dict(paper.called))


def _called(paper: Paper, parts: tuple[str, ...]) -> str:
    return " ".join(paper.called.get(part, part) for part in parts)


def _footnote(paper: Paper, exhibit: Exhibit, rows: pl.DataFrame) -> str | None:
    """Name what was not measured, and the parameters of metrics that have the paper's names."""
    absent, named = list[str](), list[str]()
    for key in dict.fromkeys((*exhibit.x, exhibit.by)):
        asked = exhibit.of[KEYS.index(key)] if key in KEYS else ()
        absent += [_called(paper, (name,)) for name in asked if "*" not in name and name not in rows[key]]
        settings = [name for name in rows[key].unique(maintain_order=True) if re.search("[:=]", name)]
        named += [f"{paper.called[name]} is {name}." for name in settings if name in paper.called]
    missing = [f"Not measured: {', '.join(absent)}."] if absent else []
    return " ".join(filter(None, [exhibit.note, *missing, *named])) or None


#: The verdict of your row, for which the paper prints no figure.
YOURS = "yours"

#: For metrics and systems: the function of a paper's module that measures them, the key that names them, the option.
_WAYS = {"metrics": ("of_metrics", "metric", "-m"), "candidates": ("of_candidates", "dataset", "--candidates")}

Requested = Mapping[str, Sequence[p.MetricName] | None]


def check_yours(papers: Sequence[Paper], requested: Requested) -> None:
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
