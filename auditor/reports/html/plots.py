"""Interactive figures of a page: every mark is an element with its number and its series.

Colors are classes, so that a page can forbid inline styles and have a dark theme. Single files use matplotlib.

Plots have marks with numbers, dots, intervals and names. Heatmaps have cells with numbers in a readable ink.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import replace
from html import escape

from auditor.reports.figures.marks import COLORS, Mark, Marks, Palette, label, marks, plain, printable, shortened, shown
from auditor.result import Figure

#: Width of a character in dots, at the size of axes.
LETTER = 6.4

_LONGEST = 22  # characters of a name at an axis


def marked(figure: Figure, read: Marks, mark: Mark, drawn: str) -> str:
    """Group the drawing of a row, with its names and number as a title."""
    series = "" if figure.kind == "heatmap" else f' data-series="{mark.series}"'
    return f'<g class="mark"{series}><title>{written(label(read, mark))}</title>{drawn}</g>\n'


def interval(x: float, mark: Mark, up: Callable[[float], float]) -> str:
    """Draw the interval of a mark, if it has one."""
    if mark.low is None or mark.high is None:
        return ""
    return f'<path class="interval" d="M{dots(x)} {dots(up(mark.low))}V{dots(up(mark.high))}"/>'


def dot(x: float, mark: Mark, up: Callable[[float], float], size: float, shade: str) -> str:
    """Draw a mark as a dot."""
    return f'<circle class="{shade}" cx="{dots(x)}" cy="{dots(up(mark.value or 0.0))}" r="{size:g}"/>'


def color(number: int) -> str:
    """Return the class of a color; a second round of the colors is paler."""
    return ("hollow " if number >= len(COLORS) else "") + f"s{number % len(COLORS)}"


def _styled(read: Marks, series: int) -> str:
    """Return the classes of a series: its color, and its role."""
    return color(read.colors[series]) + (" dashed" if read.dashed[series] else "")


def short(name: object, signs: int = _LONGEST) -> str:
    """Write a name at an axis."""
    return shortened(printable(name), signs)


def dots(size: float) -> str:
    """Write a length."""
    return f"{size:.1f}".rstrip("0").rstrip(".")


def written(text: str) -> str:
    """Escape a text for a page."""
    return escape(text, quote=True)


Color = tuple[int, int, int]

_COLD: Color = (33, 102, 172)

_PALE: Color = (247, 247, 247)

_WARM: Color = (178, 24, 43)

_HEAT_WIDTH = 560.0  # dots of a wide plot


def heatmap(figure: Figure, read: Marks) -> tuple[float, float, str]:
    """Draw a cell for each row, with its number. Returns width, height and drawing."""
    side = 12 + max(len(short(name)) for name in read.series) * LETTER
    columns = [short(name) for name in read.columns]
    wide = max(52.0, min(_HEAT_WIDTH - side, len(columns) * 84.0) / len(columns))
    slanted = max(map(len, columns)) * LETTER > wide - 4
    tall, head = 30.0, (max(map(len, columns)) * 4.3 + 14 if slanted else 22.0)
    width, height = side + wide * len(columns) + (30 if slanted else 2), head + tall * len(read.series) + 2
    parts = []
    for row, name in enumerate(read.series):
        at = f'x="{dots(side - 7)}" y="{dots(head + (row + 0.5) * tall)}" dy=".32em"'
        parts.append(f'<text class="tick" text-anchor="end" {at}>{written(short(name))}</text>\n')
    anchor = "start" if slanted else "middle"
    for column, name in enumerate(columns):
        x, up = dots(side + (column + 0.5) * wide), dots(head - 7)
        at = f'transform="translate({x} {up}) rotate(-40)"' if slanted else f'x="{x}" y="{up}"'
        parts.append(f'<text class="tick" text-anchor="{anchor}" {at}>{written(name)}</text>\n')
    values = [mark.value for mark in read.drawn if mark.value is not None]
    span = figure.span or (min(values), max(values))
    for mark in read.drawn:
        fill, ink = cell_colors(mark.value or 0.0, *span)
        left, top = side + (mark.x or 0.0) * wide, head + mark.series * tall
        size = f'x="{dots(left + 1)}" y="{dots(top + 1)}" width="{dots(wide - 2)}" height="{dots(tall - 2)}"'
        at = f'x="{dots(left + wide / 2)}" y="{dots(top + tall / 2)}" dy=".32em"'
        number = f'<text class="cell" text-anchor="middle" {at} fill="{ink}">{shown(mark.value or 0.0)}</text>'
        parts.append(marked(figure, read, mark, f'<rect {size} fill="{fill}"/>{number}'))
    return width, height, "".join(parts)


def cell_colors(value: float, low: float, high: float) -> tuple[str, str]:
    """Return background and ink: pale to blue, or blue over pale to red if 0 lies between the ends."""
    if low < 0 < high:
        far = min(abs(value) / max(-low, high), 1.0)
        ground = _mixed(_PALE, _WARM if value >= 0 else _COLD, far)
    else:
        share = min(max((value - low) / (high - low), 0.0), 1.0) if high > low else 0.5
        ground = _mixed(_PALE, _COLD, share)
    light = _luminance(ground)
    # The ink with the greater contrast (WCAG 2.2): never below 4.5.
    black = (light + 0.05) / 0.05 >= 1.05 / (light + 0.05)
    return "#{:02x}{:02x}{:02x}".format(*ground), "#000000" if black else "#ffffff"


def _mixed(color: Color, other: Color, share: float) -> Color:
    red, green, blue = (round(first + (last - first) * share) for first, last in zip(color, other, strict=True))
    return red, green, blue


def _luminance(color: Color) -> float:
    """Return the relative luminance of WCAG 2.2, 0 for black, 1 for white."""
    parts = [part / 255 for part in color]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


_WIDTH, _HEIGHT = 560.0, 260.0

_LEFT, _RIGHT, _TOP, _BOTTOM = 58.0, 8.0, 10.0, 28.0

_GROUP = 0.84  # share of a slot for a group of bars

_WIDEST = 46.0  # dots of a bar

_DOTTED = 80  # a line through more points has no dots

_TICKS, _ROW = 5, 64.0  # ticks of a scale, dots of a row of several

_LEAST = 1e-300  # a smaller difference has no fifth, in floating point


def legend(figure: Figure, colors: Palette | None = None) -> str:
    """Return a button for each series, which shows and hides it; nothing for a single series, or if rows name them."""
    read = marks(figure, colors)
    swatch = (
        '<svg class="swatch" width="14" height="14" aria-hidden="true"><rect class="{}" width="14" height="14"/></svg>'
    )
    keys = "".join(
        f'<button type="button" aria-pressed="true" data-series="{series}">{swatch.format(_styled(read, series))}'
        f"<span>{written(read.series[series])}</span></button>"
        for series in read.legend * (not figure.dashed)
    )
    return f'<div class="legend" role="group" aria-label="Show and hide">{keys}</div>\n' if keys else ""


def svg(figure: Figure, name: str, colors: Palette | None = None) -> str:
    """Draw a figure; `name` is the id of the element that names it, `colors` are those of its page."""
    read = marks(figure, colors)
    if not read.drawn:
        return "<p>Nothing to draw.</p>\n"
    draw = heatmap if figure.kind == "heatmap" else _multiples if figure.dashed else _plot
    width, height, body = draw(figure, read)
    return (
        f'<svg class="plot" viewBox="0 0 {dots(width)} {dots(height)}" width="{dots(width)}" '
        f'height="{dots(height)}" role="img" aria-labelledby="{name}">\n{body}</svg>\n'
    )


def _plot(figure: Figure, read: Marks) -> tuple[float, float, str]:
    """Draw bars, lines or points over a scale. Returns width, height and drawing."""
    room = _WIDTH - _LEFT - _RIGHT
    places = len(read.columns)
    slot = room / max(places, 1)
    slanted = any(len(short(name)) * LETTER > slot - 6 for name in read.columns)
    deep = (
        _BOTTOM
        + (18 if figure.x_label else 0)
        + (max(len(short(name)) for name in read.columns) * 4.3 - 10 if slanted else 0)
    )
    height = _HEIGHT + deep - _BOTTOM
    low, high, step = _scale(figure, read)
    across = _across(figure, read, slot)

    def up(value: float) -> float:
        return _TOP + (high - value) / (high - low) * (height - deep - _TOP)

    parts = [*_grid(low, high, step, up)]
    parts += _names(read, slot, height - deep, slanted) if places else _numbers(figure, read, across, height - deep)
    drawn = {"bars": _bars, "lines": _lines, "points": _points}[figure.kind]
    parts += drawn(figure, read, across, up)
    zero = up(0.0) if low <= 0 <= high else height - deep
    parts.append(f'<path class="axis" d="M{dots(_LEFT)} {dots(zero)}H{dots(_WIDTH - _RIGHT)}"/>\n')
    middle = (_TOP + height - deep) / 2
    if figure.y_label:
        turned = f'transform="translate(13 {dots(middle)}) rotate(-90)"'
        parts.append(f'<text class="label" text-anchor="middle" {turned}>{written(short(figure.y_label, 44))}</text>\n')
    if figure.x_label:
        position = f'x="{dots(_LEFT + room / 2)}" y="{dots(height - 5)}"'
        parts.append(
            f'<text class="label" text-anchor="middle" {position}>{written(short(figure.x_label, 90))}</text>\n'
        )
    return _WIDTH, height, "".join(parts)


def _multiples(figure: Figure, read: Marks) -> tuple[float, float, str]:
    """Draw a row for each color: its solid line, and the dashed one. Each row has its own scale."""
    across, shades = _across(figure, read, 0.0), dict.fromkeys(read.colors)
    parts = [*_numbers(figure, read, across, bottom := _ROW * len(shades))]
    for number, shade in enumerate(shades):
        own = [mark for mark in read.drawn if read.colors[mark.series] == shade]
        low, high = (end(mark.value or 0.0 for mark in own) for end in (min, max))

        def up(value: float, high: float = high, span: float = (high - low) or 1.0) -> float:
            return 4 + (high - value) / span * (_ROW - 10)

        name = f'<text x="0" y="{dots(up(0.0))}" dy=".32em">{written(short(read.series[own[0].series], 9))}</text>'
        axis = f'<path class="grid" d="M{dots(_LEFT)} {dots(up(0.0))}H{dots(_WIDTH - _RIGHT)}"/>'
        lines = "".join(_lines(figure, replace(read, marks=tuple(own)), across, up))
        parts.append(f'<g transform="translate(0 {dots(number * _ROW)})">{name}{axis}{lines}</g>\n')
    label = f'<text class="label" x="{dots(_LEFT)}" y="{dots(bottom + 36)}">{written(short(figure.x_label, 90))}</text>'
    return _WIDTH, bottom + 42, "".join([*parts, label])


def _across(figure: Figure, read: Marks, slot: float) -> Callable[[float], float]:
    """Return the function from positions to dots: names in the middle of a slot, numbers on their scale."""
    if read.columns:
        return lambda x: _LEFT + (x + 0.5) * slot
    turned: Callable[[float], float] = math.log10 if figure.log_x else float
    places = [turned(mark.x) for mark in read.drawn if mark.x is not None]
    first, last = min(places), max(places)
    room = _WIDTH - _LEFT - _RIGHT - 12
    return lambda x: _LEFT + 6 + ((turned(x) - first) / (last - first) if last > first else 0.5) * room


def _scale(figure: Figure, read: Marks) -> tuple[float, float, float]:
    """Return round ends and the step of the scale; bars, and values near 0, begin at 0."""
    ends = [end for mark in read.drawn for end in (mark.value, mark.low, mark.high) if end is not None]
    low, high = min(ends), max(ends)
    if figure.kind == "bars" or (low > 0 and low < high * 0.6):
        low, high = min(low, 0.0), max(high, 0.0)
    size = max(abs(low), abs(high))
    if high - low <= max(size * 1e-12, _LEAST):
        low, high = low - max(size * 1e-6, 0.5), high + max(size * 1e-6, 0.5)
    step = _round((high - low) / _TICKS)
    return math.floor(low / step + 1e-9) * step, math.ceil(high / step - 1e-9) * step, step


def _round(size: float) -> float:
    """Return the least of 1, 2, 2.5 or 5 times a power of ten that is not below a size."""
    power = 10.0 ** math.floor(math.log10(size))
    return next(power * part for part in (1, 2, 2.5, 5, 10) if power * part >= size * (1 - 1e-9))


def _grid(low: float, high: float, step: float, up: Callable[[float], float]) -> Iterable[str]:
    for tick in range(round((high - low) / step) + 1):
        value = low + tick * step
        value = 0.0 if abs(value) < step * 1e-6 else value
        y = dots(up(value))
        yield f'<path class="grid" d="M{dots(_LEFT)} {y}H{dots(_WIDTH - _RIGHT)}"/>'
        yield f'<text class="tick" text-anchor="end" x="{dots(_LEFT - 6)}" y="{y}" dy=".32em">{plain(value)}</text>\n'


def _names(read: Marks, slot: float, bottom: float, slanted: bool) -> Iterable[str]:
    every = max(1, math.ceil(14 / slot))
    for column, name in enumerate(read.columns):
        if column % every:
            continue
        x = dots(_LEFT + (column + 0.5) * slot)
        if slanted:
            turned = f'transform="translate({x} {dots(bottom + 14)}) rotate(-40)"'
            yield f'<text class="tick" text-anchor="end" {turned}>{written(short(name))}</text>\n'
        else:
            level = f'text-anchor="middle" x="{x}" y="{dots(bottom + 17)}"'
            yield f'<text class="tick" {level}>{written(short(name))}</text>\n'


def _numbers(figure: Figure, read: Marks, across: Callable[[float], float], bottom: float) -> Iterable[str]:
    places = [mark.x for mark in read.drawn if mark.x is not None]
    first, last = min(places), max(places)
    if figure.log_x:
        ticks = [10.0**power for power in range(math.ceil(math.log10(first)), math.floor(math.log10(last)) + 1)]
    else:
        step = _round((last - first) / 6) if last > first else 1.0
        ticks = [step * tick for tick in range(math.ceil(first / step), math.floor(last / step) + 1)]
    for tick in ticks:
        x = dots(across(tick))
        yield f'<text class="tick" text-anchor="middle" x="{x}" y="{dots(bottom + 17)}">{plain(tick)}</text>\n'


def _bars(figure: Figure, read: Marks, across: Callable[[float], float], up: Callable[[float], float]) -> Iterable[str]:
    count = max(len(read.series), 1)
    slot = (across(1) - across(0)) if len(read.columns) > 1 else _WIDTH - _LEFT - _RIGHT
    width = min(_GROUP * slot / count, _WIDEST)
    for mark in read.drawn:
        value, x = mark.value or 0.0, mark.x or 0.0
        left = across(x) + (mark.series - count / 2) * width
        top, base = sorted((up(value), up(0.0)))
        size = f'x="{dots(left)}" y="{dots(top)}" width="{dots(width * 0.92)}" height="{dots(base - top)}"'
        bar = f'<rect class="{color(read.colors[mark.series])}" {size}/>' + interval(left + width * 0.46, mark, up)
        yield marked(figure, read, mark, bar)


def _lines(
    figure: Figure, read: Marks, across: Callable[[float], float], up: Callable[[float], float]
) -> Iterable[str]:
    for series in dict.fromkeys(mark.series for mark in read.drawn):
        own = [mark for mark in read.drawn if mark.series == series]
        shade = color(read.colors[series])
        at = [f"{dots(across(mark.x or 0.0))} {dots(up(mark.value or 0.0))}" for mark in own]
        banded = [mark for mark in own if mark.low is not None and mark.high is not None]
        if len(banded) > 1:
            upper = [f"{dots(across(mark.x or 0.0))} {dots(up(mark.high or 0.0))}" for mark in banded]
            lower = [f"{dots(across(mark.x or 0.0))} {dots(up(mark.low or 0.0))}" for mark in reversed(banded)]
            yield f'<path class="band {shade}" data-series="{series}" d="M{"L".join(upper + lower)}Z"/>\n'
        yield f'<path class="line {_styled(read, series)}" data-series="{series}" d="M{"L".join(at)}"/>\n'
        if len(own) <= _DOTTED:
            yield from (marked(figure, read, mark, dot(across(mark.x or 0.0), mark, up, 3.2, shade)) for mark in own)


def _points(
    figure: Figure, read: Marks, across: Callable[[float], float], up: Callable[[float], float]
) -> Iterable[str]:
    count = len(read.series)
    slot = across(1) - across(0) if len(read.columns) > 1 else 0.0
    for mark in read.drawn:
        aside = (mark.series - (count - 1) / 2) * slot * _GROUP / 2 / count if read.columns else 0.0
        x = across(mark.x or 0.0) + aside
        yield marked(figure, read, mark, interval(x, mark, up) + dot(x, mark, up, 5.0, color(read.colors[mark.series])))
