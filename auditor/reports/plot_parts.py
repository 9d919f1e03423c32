"""What every plot of a page is made of: marks that say their number, dots, intervals, names."""

from __future__ import annotations

from collections.abc import Callable
from html import escape

from auditor.figure import Figure
from auditor.reports.marks import Mark, Marks, inked

#: Dots of a sign at the size of axes.
LETTER = 6.4

_LONGEST = 22  # signs of a name at an axis
_COLOURS = 7


def marked(figure: Figure, read: Marks, mark: Mark, drawn: str) -> str:
    """Group what is drawn of a row, with the words that say its number."""
    place = read.columns[int(mark.x)] if read.columns and mark.x is not None else plain(mark.x or 0.0)
    told = [name for name in (read.series[mark.series], place) if name]
    between = f" ({mark.low:.4g} to {mark.high:.4g})" if mark.low is not None and mark.high is not None else ""
    says = f"{', '.join(told)}: {mark.value:.4g}{between}"
    series = "" if figure.kind == "heatmap" else f' data-series="{mark.series}"'
    return f'<g class="mark"{series}><title>{written(says)}</title>{drawn}</g>\n'


def interval(x: float, mark: Mark, up: Callable[[float], float]) -> str:
    """Draw the interval of a mark, where it has one."""
    if mark.low is None or mark.high is None:
        return ""
    return f'<path class="interval" d="M{dots(x)} {dots(up(mark.low))}V{dots(up(mark.high))}"/>'


def dot(x: float, mark: Mark, up: Callable[[float], float], size: float, shade: str) -> str:
    """Draw a mark as a dot."""
    return f'<circle class="{shade}" cx="{dots(x)}" cy="{dots(up(mark.value or 0.0))}" r="{size:g}"/>'


def colour(number: int) -> str:
    """Name a colour; the second round through them is hollow."""
    return f"s{number % _COLOURS}" + (" hollow" if number // _COLOURS % 2 else "")


def short(name: object, signs: int = _LONGEST) -> str:
    """Leave out the middle of a long name: its two ends tell it from others."""
    text = inked(name)
    return text if len(text) <= signs else f"{text[: signs // 2 - 1]}…{text[len(text) - signs // 2 :]}"


def plain(value: float) -> str:
    """Write a number at a scale."""
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.6g}"


def dots(size: float) -> str:
    """Write a length."""
    return f"{size:.1f}".rstrip("0").rstrip(".")


def written(text: str) -> str:
    """Write a text as a text of a page."""
    return escape(text, quote=True)
