"""A heatmap of a page: cells with their numbers, in colours and an ink that can be read on them."""

from __future__ import annotations

from auditor.figure import Figure
from auditor.reports.marks import Marks, shown
from auditor.reports.plot_parts import LETTER, dots, marked, short, written

Colour = tuple[int, int, int]

_COLD: Colour = (33, 102, 172)
_PALE: Colour = (247, 247, 247)
_WARM: Colour = (178, 24, 43)


_WIDTH = 560.0  # dots of a plot that has room


def heatmap(figure: Figure, read: Marks) -> tuple[float, float, str]:
    """Draw a cell for each row, with its number. Gives width, height and what is drawn."""
    side = 12 + max(len(short(name)) for name in read.series) * LETTER
    columns = [short(name) for name in read.columns]
    wide = max(52.0, min(_WIDTH - side, len(columns) * 84.0) / len(columns))
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
        fill, ink = cell_colours(mark.value or 0.0, *span)
        left, top = side + (mark.x or 0.0) * wide, head + mark.series * tall
        size = f'x="{dots(left + 1)}" y="{dots(top + 1)}" width="{dots(wide - 2)}" height="{dots(tall - 2)}"'
        at = f'x="{dots(left + wide / 2)}" y="{dots(top + tall / 2)}" dy=".32em"'
        said = f'<text class="cell" text-anchor="middle" {at} fill="{ink}">{shown(mark.value or 0.0)}</text>'
        parts.append(marked(figure, read, mark, f'<rect {size} fill="{fill}"/>{said}'))
    return width, height, "".join(parts)


def cell_colours(value: float, low: float, high: float) -> tuple[str, str]:
    """Give ground and ink: pale to blue, or from blue over pale to red where 0 lies between the ends."""
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


def _mixed(one: Colour, other: Colour, share: float) -> Colour:
    red, green, blue = (round(first + (last - first) * share) for first, last in zip(one, other, strict=True))
    return red, green, blue


def _luminance(colour: Colour) -> float:
    """Give the relative luminance of WCAG 2.2, 0 for black, 1 for white."""
    parts = [part / 255 for part in colour]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
