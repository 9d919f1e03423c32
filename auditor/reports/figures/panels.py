"""The four kinds of figures, each drawn on axes with matplotlib."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import matplotlib
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Rectangle
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter

from auditor.reports.figures import lettering
from auditor.reports.figures.marks import COLORS, Mark, Marks, label, printable, shortened, shown

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

    from auditor.result import Figure

#: The color of texts and axes. A page may replace it with its text color.
INK = "#222222"

#: Series also differ by pattern and marker, so that figures can be read in black and white.
_HATCHES = ("", "////", "....", "xxxx", "\\\\\\\\", "++++", "oo", "||||")

_MARKERS = "osD^vP*Xpd<>h"

_GROUP = 0.82  # share of a slot for a group of bars

_WIDEST = 0.6  # inches of a bar

_DOTTED = 40  # a line through more points has a marker at some of them

_LEVEL = 8.5  # an axis may grow to this many inches so that its names stay level

_NARROW = 2.2  # inches of the narrowest axis

_WIDEST_AXIS, _HIGHEST_AXIS = 10.0, 12.0

_LEGEND = 70  # characters of a name in a legend


def size(figure: Figure, read: Marks) -> tuple[float, float]:
    """Return the width and the height that the axes need for their marks, in inches."""
    count, rows = len(read.columns), len(read.series)
    if figure.kind == "heatmap":
        cells = count * max(0.42, _widest_number(read) * 1.1)
        return min(max(cells, _NARROW), _WIDEST_AXIS), min(max(rows * 0.3, 1.0), _HIGHEST_AXIS)
    group = 0.25 + 0.13 * rows if figure.kind == "bars" else 0.35
    level = count * lettering.level(read.columns)
    return min(max(count * group, level if level < _LEVEL else 0.0, 5.8), _WIDEST_AXIS), 2.4


def paint(axes: Axes, figure: Figure, read: Marks) -> dict[str, str]:
    """Draw all marks of a figure on axes that have their size. Returns their labels, by the IDs of marks."""
    says: dict[str, str] = {}
    width, height = size(figure, read)
    if figure.kind == "heatmap":
        _heatmap(axes, figure, read, says)
    elif figure.kind == "bars":
        _bars(axes, read, width, says)
    else:
        _series(axes, figure, read, says)
    _places(axes, figure, read, width, height)
    return says


def keys(figure: Figure, read: Marks) -> list[Artist]:
    """Return the signs of a legend with their names."""
    return [
        Patch(label=shortened(read.series[series], _LEGEND), **_fill(read, series))
        if figure.kind == "bars"
        else Line2D([], [], label=shortened(read.series[series], _LEGEND), **_stroke(read, series, figure.kind))
        for series in read.legend
    ]


def _widest_number(read: Marks) -> float:
    numbers = {shown(mark.value) for mark in read.drawn if mark.value is not None}
    return max((lettering.width(number, lettering.SMALL) for number in numbers), default=0.0)


def _bars(axes: Axes, read: Marks, inches: float, says: dict[str, str]) -> None:
    count = len(read.series)
    width = min(_GROUP / count, _WIDEST * len(read.columns) / inches)
    for number, mark in enumerate(read.drawn):
        left = mark.x + (mark.series - count / 2) * width  # type: ignore[operator]
        bar = axes.bar(left, mark.value, width * 0.94, align="edge", **_fill(read, mark.series))[0]  # type: ignore[arg-type]
        bar.set_gid(f"mark-{number}")
        says[f"mark-{number}"] = label(read, mark)
        _interval(axes, left + width * 0.47, mark)
    axes.axhline(0, color=INK, linewidth=0.8)
    axes.set_xlim(-0.5 - (1 - _GROUP) / 4, len(read.columns) - 0.5 + (1 - _GROUP) / 4)


def _series(axes: Axes, figure: Figure, read: Marks, says: dict[str, str]) -> None:
    if figure.log_x and not read.columns:
        axes.set_xscale("log")
    by_series: dict[int, list[Mark]] = {}
    for mark in read.marks:
        by_series.setdefault(mark.series, []).append(mark)
    nothing = float("nan")  # breaks a line
    for series, all_marks in by_series.items():
        beside = _aside(figure, read, series)
        xs = [nothing if mark.x is None else mark.x + beside for mark in all_marks]
        ys = [nothing if mark.value is None else mark.value for mark in all_marks]
        style = _stroke(read, series, figure.kind)
        every = 1 if figure.kind == "points" else math.ceil(len(xs) / _DOTTED)
        (drawn,) = axes.plot(xs, ys, markevery=every, **style)
        drawn.set_gid(f"mark-{series}")
        says[f"mark-{series}"] = read.series[series]
        if figure.kind == "lines" and figure.low and figure.high:
            lows = [nothing if mark.low is None else mark.low for mark in all_marks]
            highs = [nothing if mark.high is None else mark.high for mark in all_marks]
            axes.fill_between(xs, lows, highs, color=style["color"], alpha=0.16, linewidth=0)
        elif figure.kind == "points":
            for mark in all_marks:
                if mark.x is not None and mark.value is not None:
                    _interval(axes, mark.x + beside, mark, style["color"])
    if read.columns:
        axes.set_xlim(-0.5, len(read.columns) - 0.5)


def _aside(figure: Figure, read: Marks, series: int) -> float:
    """Return the shift of a series' points, so that the intervals of several series do not overlap."""
    dodged = figure.kind == "points" and bool(read.columns)
    return (series - (len(read.series) - 1) / 2) * _GROUP / 2 / len(read.series) if dodged else 0.0


def _heatmap(axes: Axes, figure: Figure, read: Marks, says: dict[str, str]) -> None:
    values = [mark.value for mark in read.drawn if mark.value is not None]
    low, high = figure.span or (min(values), max(values))
    if low < 0 < high and figure.span is None:
        low, high = -max(-low, high), max(-low, high)
    colors = matplotlib.colormaps["RdBu_r" if low < 0 < high else "YlGnBu"]
    width, height = size(figure, read)
    numbered = _widest_number(read) < 0.96 * width / len(read.columns) and height / len(read.series) > lettering.LINE
    for number, mark in enumerate(read.drawn):
        share = (mark.value - low) / (high - low) if high > low else 0.5  # type: ignore[operator]
        fill = colors(0.06 + 0.88 * min(max(share, 0.0), 1.0))
        corner = (mark.x - 0.48, mark.series - 0.48)  # type: ignore[operator]
        axes.add_patch(Rectangle(corner, 0.96, 0.96, facecolor=fill, linewidth=0, gid=f"mark-{number}"))
        says[f"mark-{number}"] = label(read, mark)
        if numbered:
            light = 0.299 * fill[0] + 0.587 * fill[1] + 0.114 * fill[2] > 0.5
            number_shown = shown(mark.value)  # type: ignore[arg-type]
            centered = {"ha": "center", "va": "center", "size": lettering.SMALL}
            axes.text(mark.x, mark.series, number_shown, color="#000000" if light else "#ffffff", **centered)  # type: ignore[arg-type]
    axes.set_xlim(-0.5, len(read.columns) - 0.5)
    axes.set_ylim(len(read.series) - 0.5, -0.5)


def _places(axes: Axes, figure: Figure, read: Marks, width: float, height: float) -> None:
    """Write names under the positions, numbers at the scale, and the labels of both axes."""
    heat = figure.kind == "heatmap"
    number = FuncFormatter(lambda value, _: f"{value:,.0f}" if 1e3 <= abs(value) < 1e7 else f"{value:g}")
    if read.columns:
        written = lettering.run(read.columns, width)
        side = "right" if 0 < written.degrees < 90 else "center"
        turned: dict[str, Any] = {
            "rotation": written.degrees,
            "ha": side,
            "rotation_mode": "anchor" if side == "right" else "default",
        }
        ticks = range(0, len(read.columns), written.step)
        axes.set_xticks(list(ticks), [written.names[tick] for tick in ticks], **turned)
    else:
        axes.xaxis.set_major_formatter(number)
        axes.xaxis.set_minor_formatter(NullFormatter())
        first, last = axes.get_xlim()
        within = (1.0, 2.0, 3.0, 5.0) if 0 < last < 30 * first else (1.0,)
        axes.xaxis.set_major_locator(
            LogLocator(subs=within, numticks=8) if figure.log_x else MaxNLocator(6, steps=[1, 2, 2.5, 5, 10])
        )
    if heat:
        rows = range(0, len(read.series), math.ceil(lettering.LINE * len(read.series) / height))
        axes.set_yticks(list(rows), [shortened(read.series[row]) for row in rows])
        axes.spines[:].set_visible(False)
    else:
        axes.yaxis.set_major_formatter(number)
        axes.yaxis.set_major_locator(MaxNLocator(6, steps=[1, 2, 2.5, 5, 10]))
        axes.grid(axis="y" if read.columns else "both", color=INK, alpha=0.15, linewidth=0.6)
        axes.spines[["top", "right"]].set_visible(False)
    axes.tick_params(which="both", length=0 if heat else 3, color=INK)
    if read.columns:
        axes.tick_params(axis="x", length=0)
    for text, put, inches in ((figure.x_label, axes.set_xlabel, width), (figure.y_label, axes.set_ylabel, height)):
        if text:
            put(lettering.wrapped(shortened(printable(text), 80), lettering.PLAIN, inches))


def _interval(axes: Axes, x: float, mark: Mark, color: str = INK) -> None:
    if mark.low is not None and mark.high is not None:
        axes.vlines(x, mark.low, mark.high, color=color, linewidth=1.0)


def _color(read: Marks, series: int) -> tuple[str, float]:
    """Return the color of a series and its opacity: a second round of the colors is paler."""
    number = read.colors[series]
    return COLORS[number % len(COLORS)], 1.0 if number < len(COLORS) else 0.5


def _fill(read: Marks, series: int) -> dict[str, Any]:
    hatch = _HATCHES[read.colors[series] % len(_HATCHES)]
    return {"facecolor": _color(read, series), "edgecolor": INK, "linewidth": 0.0, "hatch": hatch}


def _stroke(read: Marks, series: int, kind: str) -> dict[str, Any]:
    dashed = read.dashed[series]
    return {
        "color": _color(read, series),
        "linestyle": "none" if kind != "lines" else "--" if dashed else "-",
        "linewidth": 1.6,
        "marker": _MARKERS[read.colors[series] % len(_MARKERS)],
        "markersize": 4.5 if kind == "lines" else 6,
        "fillstyle": "none" if dashed else "full",
        "markeredgewidth": 1 if dashed else 0,
    }
