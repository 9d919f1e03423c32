"""The four kinds of figures, each drawn on the axes of one panel with matplotlib."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import matplotlib
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Rectangle
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter

from auditor.reports.figures import lettering
from auditor.reports.figures.marks import COLORS, Mark, Marks, printable, shortened, shown

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

    from auditor.result import Figure

#: The color of texts and axes. A page may replace it with its text color.
INK = "#222222"

#: Series also differ by pattern, dash and marker, so that figures can be read in black and white.
_HATCHES = ("", "////", "....", "xxxx", "\\\\\\\\", "++++", "oo", "||||")

_DASHES = ("-", "--", ":", "-.")

_MARKERS = "osD^vP*Xpd<>h"

_GROUP = 0.82  # share of a slot for a group of bars

_WIDEST = 0.6  # inches of a bar

_DOTTED = 40  # a line through more points has no markers

_LEVEL = 8.5  # an axis may grow to this many inches so that its names stay level

_NARROW = 2.2  # inches of the narrowest axis

_NUMBERED = 26  # the most columns of a heatmap with numbers in its cells


class Shape(NamedTuple):
    """A panel's size in inches, and how much of its width the axes have."""

    width: float
    height: float
    axes: float


class Key(NamedTuple):
    """One entry of a legend."""

    handle: Artist
    name: str


def shape(figure: Figure, read: Marks, legend: float) -> Shape:
    """Return the size of a panel for its marks: 6.5 to 12 inches wide, with a legend on the right."""
    count, kind = len(read.columns), figure.kind
    label = 0.17 * (_label(figure.x_label, _NARROW).count("\n") + 1 if figure.x_label else 0)
    if kind == "heatmap":
        side = max((lettering.width(shortened(name), lettering.PLAIN) for name in read.series), default=0.0)
        widest = max((len(shown(mark.value)) for mark in read.drawn if mark.value is not None), default=1)
        cell = max(0.42, widest * 0.085)
        axes = min(max(count * cell, _NARROW, 3.6 - side), 11.0 - side)
        high = min(max(len(read.series) * 0.3, 1.0), 12.0)
        return Shape(max(axes + side + 0.4, 4.0) + legend, high + 0.4 + label + _depth(read, axes), axes)
    group = 0.25 + 0.13 * len(read.series) if kind == "bars" else 0.35
    level = count * lettering.level(read.columns, lettering.PLAIN)
    axes = min(max(count * group, level if level < _LEVEL else 0.0, 5.8 - legend, 3.4), 11.0 - legend)
    high = max(2.4 + label + _depth(read, axes), len(read.series) * 0.19 + 0.2 if legend else 0.0)
    return Shape(axes + legend + 0.9, high, axes)


def paint(axes: Axes, figure: Figure, read: Marks, inches: float) -> dict[str, str]:
    """Draw all marks of a figure on axes that are `inches` wide. Returns their labels, by the IDs of marks."""
    says: dict[str, str] = {}
    if figure.kind == "heatmap":
        _heatmap(axes, figure, read, says)
    elif figure.kind == "bars":
        _bars(axes, read, inches, says)
    else:
        _series(axes, figure, read, says)
    _places(axes, figure, read, inches)
    return says


def keys(figure: Figure, read: Marks) -> list[Key]:
    """Return a legend's entries: none for a heatmap or a single series."""
    if figure.kind == "heatmap" or figure.series is None or len(read.series) < 2:
        return []
    named = list(zip(read.colors, map(shortened, read.series), strict=True))
    if figure.kind == "bars":
        return [Key(Patch(**_fill(number)), name) for number, name in named]
    return [Key(Line2D([], [], **_stroke(number, figure.kind)), name) for number, name in named]


def _depth(read: Marks, inches: float) -> float:
    return lettering.run(read.columns, lettering.PLAIN, inches).depth if read.columns else 0.2


def _bars(axes: Axes, read: Marks, inches: float, says: dict[str, str]) -> None:
    count = len(read.series)
    width = min(_GROUP / count, _WIDEST * len(read.columns) / inches)
    for number, mark in enumerate(read.drawn):
        left = mark.x + (mark.series - count / 2) * width  # type: ignore[operator]
        bar = axes.bar(left, mark.value, width * 0.94, align="edge", **_fill(read.colors[mark.series]))[0]  # type: ignore[arg-type]
        bar.set_gid(f"mark-{number}")
        says[f"mark-{number}"] = _says(read, mark)
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
        number = read.colors[series]
        style = _stroke(number, figure.kind)
        if figure.kind == "lines" and len(xs) > _DOTTED:
            style["marker"] = ""
        (drawn,) = axes.plot(xs, ys, **style)
        drawn.set_gid(f"mark-{series}")
        says[f"mark-{series}"] = read.series[series]
        if figure.kind == "lines" and figure.low and figure.high:
            lows = [nothing if mark.low is None else mark.low for mark in all_marks]
            highs = [nothing if mark.high is None else mark.high for mark in all_marks]
            axes.fill_between(xs, lows, highs, color=_color(number), alpha=0.16, linewidth=0)
        elif figure.kind == "points":
            for mark in all_marks:
                if mark.x is not None and mark.value is not None:
                    _interval(axes, mark.x + beside, mark, _color(number))
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
    for number, mark in enumerate(read.drawn):
        share = (mark.value - low) / (high - low) if high > low else 0.5  # type: ignore[operator]
        fill = colors(0.06 + 0.88 * min(max(share, 0.0), 1.0))
        corner = (mark.x - 0.48, mark.series - 0.48)  # type: ignore[operator]
        axes.add_patch(Rectangle(corner, 0.96, 0.96, facecolor=fill, linewidth=0, gid=f"mark-{number}"))
        says[f"mark-{number}"] = _says(read, mark)
        if len(read.columns) <= _NUMBERED:
            light = 0.299 * fill[0] + 0.587 * fill[1] + 0.114 * fill[2] > 0.5
            number_shown = shown(mark.value)  # type: ignore[arg-type]
            centered = {"ha": "center", "va": "center", "size": lettering.SMALL}
            axes.text(mark.x, mark.series, number_shown, color="#000000" if light else "#ffffff", **centered)  # type: ignore[arg-type]
    axes.set_xlim(-0.5, len(read.columns) - 0.5)
    axes.set_ylim(len(read.series) - 0.5, -0.5)


def _places(axes: Axes, figure: Figure, read: Marks, inches: float) -> None:
    """Write names under the positions, numbers at the scale, and the labels of both axes."""
    heat = figure.kind == "heatmap"
    number = FuncFormatter(lambda value, _: f"{value:,.0f}" if 1e3 <= abs(value) < 1e7 else f"{value:g}")
    if read.columns:
        written = lettering.run(read.columns, lettering.PLAIN, inches)
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
        axes.xaxis.set_major_locator(
            LogLocator(numticks=8) if figure.log_x else MaxNLocator(6, steps=[1, 2, 2.5, 5, 10])
        )
    if heat:
        axes.set_yticks(range(len(read.series)), list(map(shortened, read.series)))
        axes.spines[:].set_visible(False)
    else:
        axes.yaxis.set_major_formatter(number)
        axes.yaxis.set_major_locator(MaxNLocator(6, steps=[1, 2, 2.5, 5, 10]))
        axes.grid(axis="y" if read.columns else "both", color=INK, alpha=0.15, linewidth=0.6)
        axes.spines[["top", "right"]].set_visible(False)
    axes.tick_params(which="both", length=0 if heat else 3, color=INK)
    if read.columns:
        axes.tick_params(axis="x", length=0)
    for label, put, long in (
        (figure.x_label, axes.set_xlabel, inches),
        (figure.y_label, axes.set_ylabel, _NARROW),
    ):
        if label:
            put(_label(label, long))


def _label(label: str, inches: float) -> str:
    return lettering.wrapped(shortened(printable(label), 80), lettering.PLAIN, max(inches, _NARROW))


def _interval(axes: Axes, x: float, mark: Mark, color: str = INK) -> None:
    if mark.low is not None and mark.high is not None:
        axes.vlines(x, mark.low, mark.high, color=color, linewidth=1.0)


def _says(read: Marks, mark: Mark) -> str:
    column = read.columns[int(mark.x)] if read.columns and mark.x is not None else mark.x
    interval = f" ({mark.low:.4g} to {mark.high:.4g})" if mark.low is not None and mark.high is not None else ""
    names = ", ".join(str(name) for name in (column, read.series[mark.series]) if name not in ("", None))
    return f"{names}: {mark.value:.4g}{interval}"


def _color(number: int) -> str:
    return COLORS[number % len(COLORS)]


def _fill(number: int) -> dict[str, Any]:
    hatch = _HATCHES[number % len(_HATCHES)]
    return {"facecolor": _color(number), "edgecolor": INK, "linewidth": 0.0, "hatch": hatch}


def _stroke(number: int, kind: str) -> dict[str, Any]:
    dash = _DASHES[number % len(_DASHES)] if kind == "lines" else ""
    marker = _MARKERS[number % len(_MARKERS)]
    return {
        "color": _color(number),
        "linestyle": dash or "none",
        "linewidth": 1.6,
        "marker": marker,
        "markersize": 4.5 if kind == "lines" else 6,
        "markeredgewidth": 0,
    }
