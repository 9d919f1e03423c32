"""Datasets placed on the scale of each metric, with their intervals, and in their order."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from string import ascii_lowercase
from typing import Any

from auditor.reports.html.plots import LETTER, color, dots, short
from auditor.result import Table

Written = Callable[[str], str]

_WIDE, _TALL, _LEFT, _RIGHT = 640.0, 40.0, 92.0, 420.0

_STEP = 17.0  # dots between two datasets in their order

_MOST = 10  # datasets whose order has room

_GREY = 6  # the color of reference marks

_HOW = (
    "Dot: score of captions of the wrong image, divided by that of captions of the right image (higher: more "
    "homogeneous). Line: 95% interval. Each row has a separate scale."
)

_JOINED = " Right: the order; joined datasets do not differ significantly."

_DIFFERS = " Order differs: a pair is the other way round by most metric families."

_FAMILY = " Both ROUGE metrics are one family."


def plot(table: Table, colors: Mapping[str, int], own: Sequence[str], write: Written) -> str:
    """Draw a row per metric. Datasets that are not among the page's `own` are reference marks, in grey."""
    index = table.bars[0]
    by_metric: dict[str, list[dict[str, Any]]] = {}
    for row in table.frame.iter_rows(named=True):
        by_metric.setdefault(str(row.get("metric", index)), []).append(row)
    shades = {name: colors.get(name, place) for place, name in enumerate(own)}
    others = dict.fromkeys(name for name in table.frame["dataset"] if name not in shades)
    letters = dict(zip(others, ascii_lowercase, strict=False))
    drawn = "".join(
        _row(metric, rows, index, number * _TALL, shades, letters, write)
        for number, (metric, rows) in enumerate(by_metric.items())
    )
    names = "".join(_name(name, shades[name], write) for name in own)
    marks = ", ".join(f"{letter} {name}" for name, letter in letters.items())
    names += _name(f"reference marks: {marks}", _GREY, write) if marks else ""
    how = (_HOW if index == "homogeneity" else "") + (_JOINED if "group" in table.frame.columns else "")
    how += _DIFFERS if "order" in table.frame.columns else ""
    how += _FAMILY if {"rouge-l", "rouge-su4"} <= by_metric.keys() else ""
    tall = _TALL * len(by_metric)
    return (
        f'<p class="caption">{names}{write(how)}</p>\n'
        f'<div class="scroll" tabindex="0" role="group" aria-label="{write(table.title)}"><svg class="plot placed"'
        f' viewBox="0 0 {_WIDE:g} {tall:g}" role="group" aria-label="{write(table.title)}">\n{drawn}</svg></div>\n'
    )


def _name(name: str, shade: int, write: Written) -> str:
    dot = f'<span class="dot {color(shade)}-box" aria-hidden="true"></span>'
    return f'<span class="named" dir="auto">{dot}{write(name)}</span> '


def _row(
    metric: str,
    rows: Sequence[Mapping[str, Any]],
    index: str,
    top: float,
    shades: Mapping[str, int],
    letters: Mapping[str, str],
    write: Written,
) -> str:
    most = max(max(row["high"] or 0.0, row[index]) for row in rows) or 1.0
    middle = top + 14

    def at(value: float) -> float:
        return _LEFT + max(value, 0.0) / most * (_RIGHT - _LEFT)

    scale = "".join(
        f'<path class="grid" d="M{dots(at(level))} {dots(middle - 4)}v8"/><text class="tick" text-anchor="middle"'
        f' x="{dots(at(level))}" y="{dots(middle + 19)}">{level:.2g}</text>'
        for level in (0.0, most / 2, most)
    )
    differs = any(row.get("order") for row in rows)
    beside = f'<text class="differs" x="0" y="{dots(middle + 17)}">order differs</text>' if differs else ""
    ordered = sorted(rows, key=lambda row: row["dataset"] in shades)  # the page's own are drawn over marks
    return (
        f'<text class="metric" x="0" y="{dots(middle + 4)}">{write(short(metric))}</text>{beside}'
        f'<path class="axis" d="M{dots(_LEFT)} {dots(middle)}H{dots(_RIGHT)}"/>{scale}\n'
        + "".join(_mark(row, index, at, middle, shades, write) for row in ordered)
        + "".join(_lettered(rows, index, at, middle, letters))
        + "".join(_order(rows, middle, shades, write))
    )


def _mark(
    row: Mapping[str, Any],
    index: str,
    at: Callable[[float], float],
    y: float,
    shades: Mapping[str, int],
    write: Written,
) -> str:
    shade, low, high = color(shades.get(row["dataset"], _GREY)), row["low"], row["high"]
    between = f" ({low:.3f} to {high:.3f})" if low is not None and high is not None else ""
    says = write(f"{row['dataset']}: {row[index]:.3f}{between}")
    band = f'<path class="spread {shade}" d="M{dots(at(low))} {dots(y)}H{dots(at(high))}"/>' if between else ""
    size = 5 if row["dataset"] in shades else 4
    dot = f'<circle class="{shade}" cx="{dots(at(row[index]))}" cy="{dots(y)}" r="{size}"/>'
    return f'<g class="mark"><title>{says}</title>{band}{dot}</g>\n'


def _lettered(
    rows: Sequence[Mapping[str, Any]], index: str, at: Callable[[float], float], y: float, letters: Mapping[str, str]
) -> Iterator[str]:
    """Yield the letter of each reference mark above its dot, or to the right of a letter that is too near."""
    free = 0.0
    for row in sorted(rows, key=lambda row: float(row[index])):
        if letter := letters.get(row["dataset"]):
            x = max(at(row[index]), free)
            free = x + LETTER + 1
            yield f'<text class="tick" text-anchor="middle" x="{dots(x)}" y="{dots(y - 6)}">{letter}</text>'


def _order(rows: Sequence[Mapping[str, Any]], y: float, shades: Mapping[str, int], write: Written) -> Iterator[str]:
    """Yield the datasets from the highest value as joined dots, or the place of a single dataset among marks."""
    x = _RIGHT + 24
    own = [place for place, row in enumerate(rows) if row["dataset"] in shades]
    if len(own) == 1 and len(rows) > 1:
        rank = {0: "highest", len(rows) - 1: "lowest"}.get(own[0], f"{own[0] + 1}. from the highest,")
        rank = f"{rank} of {len(rows)}"
        yield f'<text class="tick" x="{dots(x)}" y="{dots(y + 4)}">{rank}</text>\n'
    elif len(rows) <= _MOST:
        for place, row in enumerate(rows):
            here = x + place * _STEP
            after = rows[place + 1] if place + 1 < len(rows) else None
            if after and {*(row.get("group") or "")} & {*(after.get("group") or "")}:
                yield f'<path class="joined" d="M{dots(here)} {dots(y)}h{_STEP:g}"/>'
            yield f'<circle class="{color(shades.get(row["dataset"], _GREY))}" cx="{dots(here)}" cy="{dots(y)}" r="5"/>'
