"""Do the published figures come out again? Each is compared with ours: within its band, outside, or not answerable."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import polars as pl

from auditor.model import Progress, Result, Selection, Table, silent
from auditor.published import KEYS, Check, Paper, Quantity, paper, papers
from auditor.store.connection import Store

WITHIN, OUTSIDE, UNANSWERED = "within", "outside", "not answerable"


@dataclass(frozen=True)
class Measured:
    """What a paper's study measured: quantities by name; why there is nothing of some datasets, or no such quantity."""

    quantities: Mapping[Quantity, float]
    lacking: Mapping[str, str] = field(default_factory=dict)
    selections: tuple[Selection, ...] = ()
    signatures: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    absent: Mapping[Quantity, str] = field(default_factory=dict)
    tables: tuple[Table, ...] = ()


Study = Callable[[Store, Paper, int, Progress], Measured]


def reproduce(
    store: Store, names: Sequence[str] | None = None, seed: int = 1, progress: Progress = silent
) -> tuple[Result, bool]:
    """Compare the figures of papers, or of all papers that are here, with ours; say whether all lie within their bands.

    Raises `UsageError` for a paper that is not here.
    """
    read = [paper(name) for name in names or papers()]
    measured = [_study(one.name)(store, one, seed, progress) for one in read]
    rows = pl.concat(_rows(one, found) for one, found in zip(read, measured, strict=True))
    result = Result(
        "reproduce",
        rows,
        selections=tuple(dict.fromkeys(one for found in measured for one in found.selections)),
        signatures={label: text for found in measured for label, text in found.signatures.items()},
        tables=tuple(
            table
            for one, found in zip(read, measured, strict=True)
            for table in (*_tables(one, rows.filter(paper=one.name)), *found.tables)
        ),
        notes=(*(note for found in measured for note in found.notes), *(_verdict(one, rows) for one in read)),
    )
    return result, OUTSIDE not in rows["verdict"]


def _study(name: str) -> Study:
    """Find what measures the figures of a paper: the module of its name."""
    study: Study = importlib.import_module(f"auditor.studies.{name}").measure
    return study


def _rows(one: Paper, found: Measured) -> pl.DataFrame:
    rows = [_row(one, check, found) for check in one.checks]
    numbers = dict.fromkeys(("low", "high", "value"), pl.Float64)
    return pl.DataFrame(rows, infer_schema_length=None, schema_overrides=numbers)


def _row(one: Paper, check: Check, found: Measured) -> dict[str, object]:
    value, reason = _value(check, found)
    verdict = UNANSWERED if value is None else WITHIN if check.holds(value) else OUTSIDE
    return {
        "paper": one.name,
        "item": check.item,
        "section": check.section,
        "says": check.says,
        **dict(zip(KEYS, check.of, strict=True)),
        "compared": check.compared if check.to is None else f"{check.compared} {_against(check)}",
        "band": check.band,
        "low": check.low,
        "high": check.high,
        "value": value,
        "verdict": verdict,
        "reason": check.why if verdict == OUTSIDE else reason,
    }


def _value(check: Check, found: Measured) -> tuple[float | None, str | None]:
    """Give the quantity of a check, compared as it says, or why there is none."""
    values = [found.quantities.get(named) for named in (check.of, check.to) if named is not None]
    for value, named in zip(values, (check.of, check.to), strict=False):
        if value is None and named is not None:
            return None, found.absent.get(named) or found.lacking.get(named[0], "not measured")
    of, *to = [value for value in values if value is not None]
    if not to:
        return of, None
    if check.compared == "ratio":
        return (of / to[0], None) if to[0] else (None, "the other quantity is 0")
    return round(of - to[0], 12), None


def _against(check: Check) -> str:
    """Name what the second quantity has otherwise."""
    return " ".join(b for a, b in zip(check.of, check.to or (), strict=True) if a != b)


def _tables(one: Paper, rows: pl.DataFrame) -> list[Table]:
    shown = rows.group_by("item", "section", "says", maintain_order=True).agg(
        pl.when(pl.col("band").n_unique() == 1)
        .then(pl.col("band").first())
        .otherwise(pl.lit("each its own"))
        .alias("band"),
        pl.col("value").min().alias("ours, least"),
        pl.col("value").max().alias("ours, most"),
        within=(pl.col("verdict") == WITHIN).sum(),
        of=(pl.col("verdict") != UNANSWERED).sum(),
    )
    verdict = (
        pl.when(pl.col("of") == 0)
        .then(pl.lit(UNANSWERED))
        .when(pl.col("of") == 1)
        .then(pl.when(pl.col("within") == 1).then(pl.lit(WITHIN)).otherwise(pl.lit(OUTSIDE)))
        .otherwise(pl.format("{} of {} within", "within", "of"))
    )
    outside = rows.filter(verdict=OUTSIDE).select(
        "item", "says", "dataset", "metric", "compared", "band", ours="value", why="reason"
    )
    unanswered = (
        rows.filter(verdict=UNANSWERED)
        .group_by("reason", maintain_order=True)
        .agg(pl.col("dataset").first(), checks=pl.len(), items=pl.col("item").unique(maintain_order=True).str.join(" "))
    )
    made = [Table(f"{one.citation}: published and ours", shown.with_columns(verdict=verdict).drop("within", "of"))]
    if outside.height:
        made.append(Table("outside their bands", outside))
    if unanswered.height:
        made.append(Table("not answerable", unanswered.select("dataset", "checks", "items", "reason")))
    return made


def _verdict(one: Paper, rows: pl.DataFrame) -> str:
    found = dict(rows.filter(paper=one.name)["verdict"].value_counts().iter_rows())
    counts = [found.get(verdict, 0) for verdict in (WITHIN, OUTSIDE, UNANSWERED)]
    return (
        f"{one.name}: {sum(counts)} checks of {len({(c.item, c.says) for c in one.checks})} published statements: "
        f"{counts[0]} within, {counts[1]} outside, {counts[2]} not answerable"
    )
