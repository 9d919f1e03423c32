"""Figures of a LaTeX document: pgfplots draws the marks that other media draw, in the font of the text."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from auditor.reports.figures.marks import COLORS, Mark, Marks, Palette, marks, printable, shortened, shown
from auditor.result import Figure

#: What the preamble of a document with figures needs.
PREAMBLE = "\n".join(
    [
        r"\usepackage{pgfplots}",
        r"\pgfplotsset{compat=1.14}",
        r"\usetikzlibrary{patterns}",
        *(rf"\definecolor{{auditor{number}}}{{HTML}}{{{color[1:].upper()}}}" for number, color in enumerate(COLORS)),
    ]
)

Write = Callable[[str], str]

_PATTERNS = (
    "", "north east lines", "dots", "crosshatch", "north west lines", "grid", "crosshatch dots", "vertical lines",
)  # fmt: skip

_DASHES = ("solid", "dashed", "dotted", "dash pattern=on 4pt off 2pt on 1pt off 2pt")

_MARKERS = ("*", "square*", "diamond*", "triangle*", "pentagon*", "x", "+", "star")

_DOTTED = 40  # a line through more points has no markers

_WIDTH, _HEIGHT = 13.0, 0.5  # centimeters of all cells of a heatmap, and of one

_NUMBERED = 13  # the most columns of a heatmap with numbers in its cells

_DARK = 50  # percent of color from which a number is white


def drawn(figure: Figure, colors: Palette, write: Write) -> str:
    """Draw a figure with its title and caption; `write` escapes a text."""
    read = marks(figure, colors)
    parts = _cells(read, figure.span, write) if figure.kind == "heatmap" else _axis(figure, read, write)
    picture = [r"\begin{tikzpicture}", *parts, r"\end{tikzpicture}"] if read.drawn else ["Nothing to draw."]
    sides = [figure.x_label, figure.y_label] if figure.kind == "heatmap" else []
    below = " ".join(filter(None, [" by ".join(filter(None, reversed(sides))), figure.caption]))
    title = rf"\textbf{{{write(printable(figure.title))}}}\\[1ex]"
    return "\n".join(
        [r"\begin{center}", title, *picture, *([r"\\", write(printable(below))] if below else []), r"\end{center}"]
    )


def _axis(figure: Figure, read: Marks, write: Write) -> Iterator[str]:
    named = figure.series is not None and len(read.series) > 1
    options = [
        rf"width={0.62 if named else 0.9}\linewidth", "height=6cm", "ymajorgrids", "scaled ticks=false",
        "legend pos=outer north east", r"legend style={draw=none,font=\small,cells={anchor=west}}",
        f"xlabel={{{write(printable(figure.x_label))}}}" if figure.x_label else "",
        f"ylabel={{{write(printable(figure.y_label))}}}" if figure.y_label else "",
        "xmode=log" if figure.log_x and not read.columns else "",
    ]  # fmt: skip
    if read.columns:
        names = ",".join(f"{{{write(shortened(name))}}}" for name in read.columns)
        options += [
            f"xmin=-0.5,xmax={len(read.columns) - 0.5},xtick={{{','.join(map(str, range(len(read.columns))))}}}",
            rf"xticklabels={{{names}}},x tick label style={{rotate=40,anchor=east,font=\small}}",
        ]
    if figure.kind == "bars":
        options += [f"ybar=0pt,bar width={0.8 / len(read.series):.3g}"]
    yield rf"\begin{{axis}}[{','.join(filter(None, options))}]"
    for place, (number, name) in enumerate(zip(read.colors, read.series, strict=True)):
        points = [mark for mark in read.drawn if mark.series == place]
        if points:
            yield rf"\addplot[{_style(figure, number, points)}] coordinates {{{' '.join(map(_point, points))}}};"
            yield from [rf"\addlegendentry{{{write(shortened(name))}}}"] if named else []
    yield r"\end{axis}"


def _style(figure: Figure, number: int, points: list[Mark]) -> str:
    color, pattern = f"auditor{number % len(COLORS)}", _PATTERNS[number % len(_PATTERNS)]
    between = ",error bars/.cd,y dir=both,y explicit" if any(mark.low is not None for mark in points) else ""
    if figure.kind == "bars":
        return f"fill={color},draw=black" + (f",postaction={{pattern={pattern}}}" if pattern else "") + between
    marker = "none" if len(points) > _DOTTED and figure.kind == "lines" else _MARKERS[number % len(_MARKERS)]
    line = "only marks" if figure.kind == "points" else _DASHES[number % len(_DASHES)]
    return f"{color},{line},mark={marker},mark options={{solid}}{between}"


def _point(mark: Mark) -> str:
    value = mark.value or 0.0
    point = f"({mark.x:.8g},{value:.6g})"
    if mark.low is None or mark.high is None:
        return point
    return f"{point} += (0,{mark.high - value:.6g}) -= (0,{value - mark.low:.6g})"


def _cells(read: Marks, span: tuple[float, float] | None, write: Write) -> Iterator[str]:
    """Draw a heatmap as nodes: the larger a number without its sign, the darker its cell."""
    most = max(map(abs, span or [mark.value or 0.0 for mark in read.drawn])) or 1.0
    wide, names = min(1.1, _WIDTH / len(read.columns)), r"anchor=east,font=\small"
    for mark in read.drawn:
        value = mark.value or 0.0
        share = round(90 * min(abs(value) / most, 1.0))
        number = shown(value) if len(read.columns) <= _NUMBERED else ""
        look = f"fill=auditor0!{share},text={'white' if share > _DARK else 'black'}"
        size = rf"minimum width={wide:.3f}cm,minimum height={_HEIGHT}cm,inner sep=0,font=\scriptsize"
        yield rf"\node[{look},{size}] at ({(mark.x or 0) * wide:.3f},{-mark.series * _HEIGHT:.2f}) {{{number}}};"
    for place, name in enumerate(read.series):
        yield rf"\node[{names}] at ({-wide / 2:.3f},{-place * _HEIGHT:.2f}) {{{write(shortened(name))}}};"
    below, step = -len(read.series) * _HEIGHT, -(-len(read.columns) // (2 * _NUMBERED))
    for place, name in list(enumerate(read.columns))[::step]:
        yield rf"\node[{names},rotate=40] at ({place * wide:.3f},{below:.2f}) {{{write(shortened(name))}}};"
