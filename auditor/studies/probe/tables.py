"""What metrics react to, as people read it: relative changes side by side, a heatmap, and in plain words."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from auditor.model import Selection
from auditor.result import Figure, Finding, Table, about

#: The share of captions above which a metric that praises them is said to be gamed.
_MOST = 0.5

_SHOWN = ("n", "changed", "replaced", "words")


def tables(selections: Sequence[Selection], rows: pl.DataFrame) -> tuple[Table, ...]:
    """Arrange the rows of `probe` by selection: what changed, and by how much each score did."""
    made = []
    for selection in selections:
        own = selection.rows_of(rows)
        made += [
            Table(
                f"what was changed in {selection.label}",
                own.unique("component", maintain_order=True).select("probe", "component", *_SHOWN),
                bars=("changed",),
                caption="changed: share of the scored captions that changed, or met a changed reference; "
                "replaced: mean words in the changed reference; words: mean words left of a caption",
                name="components",
            ),
            Table(
                f"relative change of the mean scores of {selection.label}",
                own.pivot("component", index="metric", values="relative", maintain_order=True),
                caption="-0.5: the mean score is half of what it was; for ter, where lower is better, a rise is a loss",
                name="relative-change",
            ),
        ]
        games = own.filter(pl.col("probe") == "gaming")
        if games.height:
            shares = games.pivot("component", index="metric", values="gained", maintain_order=True)
            made.append(
                Table(
                    f"share of the captions of {selection.label} that score better",
                    shares,
                    caption="nothing was added that a caption should be praised for: a metric that rises can be gamed",
                    name="gained",
                )
            )
    return tuple(made)


def figures(selections: Sequence[Selection], rows: pl.DataFrame) -> tuple[Figure, ...]:
    """Draw metric × component for each selection."""
    made = []
    for place, selection in enumerate(selections, 1):
        number = f"-{place}" if len(selections) > 1 else ""
        made.append(
            Figure(
                f"probe{number}",
                f"Relative change of mean scores, {selection.label}",
                "heatmap",
                selection.rows_of(rows).select("component", "metric", "relative"),
                x="component",
                y="metric",
                value="relative",
                x_label="component taken away or changed",
                y_label="metric",
                span=(-1.0, 1.0),
            )
        )
    return tuple(made)


def findings(selections: Sequence[Selection], rows: pl.DataFrame) -> list[Finding]:
    """Return which metric reacts most to each component and which least, and what changed nothing."""
    told = list[Finding]()
    for selection in selections:
        own = selection.rows_of(rows)
        for (named,), part in own.group_by("component", maintain_order=True):
            component = str(named)
            if part["changed"].item(0) == 0:
                said = f"{selection.label}: {component} changed no caption"
                told.append(Finding("component-without-effect", said, about(selection, component=component)))
            elif part["relative"].drop_nulls().len() > 1:
                ordered = part.drop_nulls("relative").sort(pl.col("relative").abs(), maintain_order=True)
                most, least = ordered.row(-1, named=True), ordered.row(0, named=True)
                said = f"{selection.label}: {component} moves {_said(most)} most, {_said(least)} least"
                values = {
                    "most": most["metric"],
                    "most_relative": most["relative"],
                    "least": least["metric"],
                    "least_relative": least["relative"],
                }
                told.append(Finding("component-effect", said, about(selection, component=component), values, most["n"]))
            told += _gamed(selection, component, part)
    return told


def _gamed(selection: Selection, component: str, part: pl.DataFrame) -> list[Finding]:
    """Return which metrics praise most captions for what is no better."""
    fooled = part.filter(pl.col("probe") == "gaming", pl.col("gained") > _MOST)
    said = ", ".join(f"{row['metric']} ({row['gained']:.0%} of captions)" for row in fooled.iter_rows(named=True))
    if not said:
        return []
    values = dict(fooled.select("metric", "gained").iter_rows())
    where = about(selection, component=component)
    return [Finding("gamed-metric", f"{selection.label}: {component} games {said}", where, values, severity="warning")]


def _said(row: dict[str, float]) -> str:
    return f"{row['metric']} ({row['relative']:+.1%})"
