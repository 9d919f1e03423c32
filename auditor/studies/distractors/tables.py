"""What is said of items beside the items: how many of each task, what each rule left out, an example."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl

from auditor.model import Selection
from auditor.result import Table, listed


def without_items(selection: Selection, made: pl.DataFrame, asked: Mapping[str, str]) -> tuple[str, ...]:
    """Say which tasks have no items, and why; `asked` says of each task whether it mentions a person or a scene."""
    said = []
    for kind, what in (("person", "names people"), ("scene", "is a scene")):
        rows = {name: made.filter(part=name)["dropped"] for name, of in asked.items() if of == kind}
        if unmentioned := [name for name, dropped in rows.items() if dropped.is_empty()]:
            fewer = " beside others" if unmentioned == ["switch-people"] else ""
            said.append(f"{listed(unmentioned, len(unmentioned))}: no phrase of {selection.label} {what}{fewer}")
        if left_out := [name for name, dropped in rows.items() if len(dropped) and not dropped.null_count()]:
            said.append(f"{listed(left_out, len(left_out))}: rules leave out every item of {selection.label}")
    return tuple(said)


def counts(selection: Selection, made: pl.DataFrame, asked: Sequence[str]) -> Table:
    """Count the items of each task, and what each rule left out."""
    order = pl.col("task").replace_strict({name: place for place, name in enumerate(asked)}, return_dtype=pl.Int64)
    counted = (
        made.group_by(pl.col("part").alias("task"), pl.col("dropped").alias("rule"))
        .agg(pl.len().alias("items"))
        .with_columns(pl.when(pl.col("rule").is_null()).then(pl.lit("kept")).otherwise(pl.lit("dropped")).alias("is"))
        .sort(order, pl.col("rule").is_not_null(), -pl.col("items").cast(pl.Int64), "rule")
        .select("task", "is", "items", "rule")
    )
    return Table(
        f"items of {selection.label}",
        counted,
        caption="dropped: left out by the first rule that holds",
        name="counts",
        sections="task",
    )


def examples(frame: pl.DataFrame) -> Table:
    """Show the first item of each task."""
    shown = frame.group_by("part", maintain_order=True).agg(pl.col("image", "right", "wrong").first())
    more = frame.height - shown.height
    return Table(
        "an item of each task",
        shown.rename({"part": "task"}),
        caption=f"{more:,} more: -o FILE.csv or FILE.jsonl writes them" if more > 0 else None,
        beside=("right", "wrong"),
        name="examples",
    )
