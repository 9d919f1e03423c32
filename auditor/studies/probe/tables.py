"""Tables, figures and findings of `auditor probe`: the relative changes of each metric."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from auditor.model import Selection
from auditor.result import Figure, Finding, Table, about

#: A metric is gamed if more than this share of captions gains.
_MOST = 0.5

_SHOWN = ("n", "changed", "replaced", "words")


def tables(selections: Sequence[Selection], rows: pl.DataFrame) -> tuple[Table, ...]:
    """Return the tables of `probe` by selection: the changes, and their effect on each score."""
    made = []
    for selection in selections:
        own = selection.rows_of(rows)
        made += [
            Table(
                f"changes of the captions of {selection.label}",
                own.unique("component", maintain_order=True).select("probe", "component", *_SHOWN),
                bars=("changed",),
                caption="changed: share of the scored captions that changed, or whose reference did; "
                "replaced: mean words replaced in a changed reference; words: mean words left in a caption",
                name="components",
            ),
            Table(
                f"relative change of the mean scores of {selection.label}",
                own.pivot("component", index="metric", values="relative", maintain_order=True),
                caption="-0.5: the mean score is halved; for ter, lower is better, so an increase is a loss",
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
                    caption="these changes do not improve a caption: a metric that increases can be gamed",
                    name="gained",
                )
            )
    return tuple(made)


def figures(selections: Sequence[Selection], rows: pl.DataFrame) -> tuple[Figure, ...]:
    """Draw a heatmap of metric × component for each selection."""
    made = []
    for index, selection in enumerate(selections, 1):
        number = f"-{index}" if len(selections) > 1 else ""
        made.append(
            Figure(
                f"probe{number}",
                f"Relative change of mean scores, {selection.label}",
                "heatmap",
                selection.rows_of(rows).select("component", "metric", "relative"),
                x="component",
                y="metric",
                value="relative",
                x_label="removed or changed component",
                y_label="metric",
                span=(-1.0, 1.0),
            )
        )
    return tuple(made)


def findings(selections: Sequence[Selection], rows: pl.DataFrame) -> list[Finding]:
    """Return which metric reacts most and least to each component, and components without effect."""
    findings = list[Finding]()
    for selection in selections:
        own = selection.rows_of(rows)
        for (named,), part in own.group_by("component", maintain_order=True):
            component = str(named)
            if part["changed"].item(0) == 0:
                sentence = f"{selection.label}: {component} changed no caption"
                findings.append(Finding("component-without-effect", sentence, about(selection, component=component)))
            elif part["relative"].drop_nulls().len() > 1:
                ordered = part.drop_nulls("relative").sort(pl.col("relative").abs(), maintain_order=True)
                most, least = ordered.row(-1, named=True), ordered.row(0, named=True)
                sentence = f"{selection.label}: {component} moves {_change(most)} most, {_change(least)} least"
                values = {
                    "most": most["metric"],
                    "most_relative": most["relative"],
                    "least": least["metric"],
                    "least_relative": least["relative"],
                }
                findings.append(
                    Finding("component-effect", sentence, about(selection, component=component), values, most["n"])
                )
            findings += _gamed(selection, component, part)
    return findings


def _gamed(selection: Selection, component: str, part: pl.DataFrame) -> list[Finding]:
    """Report metrics that score most captions higher although they are not better."""
    gamed = part.filter(pl.col("probe") == "gaming", pl.col("gained") > _MOST)
    metrics = ", ".join(f"{row['metric']} ({row['gained']:.0%} of captions)" for row in gamed.iter_rows(named=True))
    if not metrics:
        return []
    values = dict(gamed.select("metric", "gained").iter_rows())
    where = about(selection, component=component)
    return [
        Finding("gamed-metric", f"{selection.label}: {component} games {metrics}", where, values, severity="warning")
    ]


def _change(row: dict[str, float]) -> str:
    return f"{row['metric']} ({row['relative']:+.1%})"
