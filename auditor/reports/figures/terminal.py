"""Figures in characters: bars, shaded cells, sparklines, each with its numbers."""

from __future__ import annotations

from itertools import groupby

import rich.box
import rich.table
from rich.style import Style
from rich.text import Text

from auditor.reports.cells import block
from auditor.reports.figures.marks import Mark, Marks, marks, printable, shown
from auditor.result import Figure

_BAR_CELLS = 24

_SPARKS = "▁▂▃▄▅▆▇█"

_SPARK_CELLS = 32

_NAME = 28

_COLD, _PALE, _WARM = (33, 102, 172), (247, 247, 247), (178, 24, 43)


def height(figure: Figure) -> int:
    """Count the lines that a figure takes, its title and what stands around it included."""
    read = marks(figure)
    rows = len(read.series) if not _listed(figure, read) else len(read.drawn)
    return rows + 6 + bool(figure.caption) + (len(read.columns) if figure.kind == "heatmap" else 0) // 6


def draw(figure: Figure) -> list[rich.table.Table | Text]:
    """Draw a figure as parts that stand one below the other."""
    read = marks(figure)
    title = Text(printable(figure.title), style="bold")
    if not read.drawn:
        return [title, Text("nothing to draw")]
    if figure.kind == "heatmap":
        parts = [title, *_heatmap(figure, read)]
    elif _listed(figure, read):
        parts = [title, _bars(figure, read)]
    else:
        parts = [title, _sparklines(figure, read)]
    return [*parts, Text(printable(figure.caption), style="dim")] if figure.caption else parts


def _listed(figure: Figure, read: Marks) -> bool:
    """Say whether each mark gets a line of its own, as bars do, and points that stand over names."""
    return figure.kind == "bars" or (figure.kind == "points" and bool(read.columns))


def _bars(figure: Figure, read: Marks) -> rich.table.Table:
    drawn = _table()
    drawn.add_column(Text(printable(figure.x_label) if figure.x_label else ""), no_wrap=True)
    if figure.series:
        drawn.add_column(no_wrap=True)
    drawn.add_column(Text(printable(figure.y_label) if figure.y_label else figure.y), justify="right", no_wrap=True)
    if figure.low and figure.high:
        drawn.add_column(Text("from – to"), no_wrap=True)
    drawn.add_column(min_width=_BAR_CELLS, no_wrap=True)
    longest = max(abs(mark.value) for mark in read.drawn if mark.value is not None) or 1.0
    for place, group in groupby(sorted(read.drawn, key=_place), key=_place):
        for number, mark in enumerate(group):
            value = mark.value or 0.0
            names = [Text(_name(read.columns[int(place)]) if number == 0 else "")]
            names += [Text(_name(read.series[mark.series]))] if figure.series else []
            interval = [Text(_interval(mark))] if figure.low and figure.high else []
            blocks = block(abs(value) / longest, _BAR_CELLS)
            line = Text(blocks, "cyan") if value >= 0 else Text("░" * len(blocks), "magenta")
            drawn.add_row(*names, Text(shown(value)), *interval, line)
    return drawn


def _heatmap(figure: Figure, read: Marks) -> list[rich.table.Table | Text]:
    """Draw cells under numbers of columns: their names stand below, unless the rows have the same."""
    drawn = _table(gap=0)
    same = read.columns == read.series
    drawn.add_column(no_wrap=True)
    for number in range(len(read.columns)):
        drawn.add_column(Text(f"{number + 1} "), justify="right", no_wrap=True)
    cells = {(mark.series, mark.x): mark.value for mark in read.drawn}
    values = [value for value in cells.values() if value is not None]
    low, high = figure.span or (min(values), max(values))
    for number, name in enumerate(read.series):
        row = [cells.get((number, float(column))) for column in range(len(read.columns))]
        label = f"{number + 1} {_name(name)}" if same else _name(name)
        drawn.add_row(Text(f"{label} "), *(_cell(value, low, high) for value in row))
    legend = "  ".join(f"{number} {_name(name)}" for number, name in enumerate(read.columns, 1))
    return [drawn] if same else [drawn, Text(legend, style="dim")]


def _sparklines(figure: Figure, read: Marks) -> rich.table.Table:
    drawn = _table()
    drawn.add_column(Text(printable(figure.y_label) if figure.y_label else figure.y), no_wrap=True)
    label = printable(figure.x_label) if figure.x_label else figure.x
    for column in (f"{label} from", "to", "lowest", "highest", "last"):
        drawn.add_column(Text(column), justify="right", no_wrap=True)
    if figure.kind == "lines":
        drawn.add_column(no_wrap=True)
    for number, name in enumerate(read.series):
        own = [mark for mark in read.marks if mark.series == number and mark.x is not None]
        values = [mark.value for mark in own if mark.value is not None]
        if not values:
            continue
        ends = [read.columns[int(end)] if read.columns else shown(end) for end in (min(map(_place, own)), _last(own))]
        said = [*ends, shown(min(values)), shown(max(values)), shown(values[-1])]
        line = [Text(_sparkline([mark.value for mark in own]), "cyan")] if figure.kind == "lines" else []
        drawn.add_row(Text(_name(name)), *map(Text, said), *line)
    return drawn


def _sparkline(values: list[float | None]) -> str:
    """Draw a line in one row of characters, at most 32 of its values, evenly picked; a blank where there is none."""
    count = min(len(values), _SPARK_CELLS)
    picked = [values[round(place * (len(values) - 1) / max(count - 1, 1))] for place in range(count)]
    known = [value for value in values if value is not None]
    low, range_ = min(known), max(known) - min(known)
    return "".join(
        " " if value is None else _SPARKS[round((value - low) / range_ * 7) if range_ else 3] for value in picked
    )


def _cell(value: float | None, low: float, high: float) -> Text:
    if value is None:
        return Text("")
    share = min(max((value - low) / (high - low), 0.0), 1.0) if high > low else 0.5
    if low < 0 < high:
        # The middle is zero, whatever the ends are.
        share = 0.5 + min(max(value / max(-low, high), -1.0), 1.0) / 2
        ends, part = ((_PALE, _WARM), share * 2 - 1) if share >= 0.5 else ((_PALE, _COLD), 1 - share * 2)
    else:
        ends, part = (_PALE, _COLD), share
    red, green, blue = (round(first + (last - first) * part) for first, last in zip(*ends, strict=True))
    ink = "black" if 0.299 * red + 0.587 * green + 0.114 * blue > 140 else "white"
    number = f"{value:.2f}" if abs(value) < 100 else shown(value)
    return Text(f"{number:>6} ", Style(color=ink, bgcolor=f"rgb({red},{green},{blue})"))


def _table(gap: int = 2) -> rich.table.Table:
    return rich.table.Table(box=rich.box.SIMPLE_HEAD, pad_edge=False, padding=(0, gap, 0, 0))


def _place(mark: Mark) -> float:
    return mark.x if mark.x is not None else 0.0


def _last(own: list[Mark]) -> float:
    return max(map(_place, own))


def _interval(mark: Mark) -> str:
    return f"{shown(mark.low)} – {shown(mark.high)}" if mark.low is not None and mark.high is not None else ""


def _name(name: str) -> str:
    return name if len(name) <= _NAME else f"{name[: _NAME - 1]}…"
