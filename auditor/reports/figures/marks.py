"""The content of a figure, read from its rows once for every medium: names, positions and numbers."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import polars as pl

from auditor.reports.cells import text
from auditor.result import Figure

#: Okabe & Ito (2008), distinct with any color vision; their yellow and black vanish on white or on a dark page.
COLORS = ("#0072b2", "#e69f00", "#009e73", "#d55e00", "#56b4e9", "#cc79a7", "#8c8c8c")

#: Larger numbers are not drawn: a drawing program adds margins, and doubles end at 1.8e308.
_LARGEST = 1e100

#: The number of each name's color, by the type of the names: datasets, metrics.
Palette = Mapping[str, Mapping[str, int]]

#: Replaces a name that is null or has no visible character.
_NAMELESS = "–"


class Mark(NamedTuple):
    """One row: its position from the left, its series (in a heatmap its line from the top), number and interval.

    `x` and `value` are null if the row has none that can be drawn.
    """

    x: float | None
    series: int
    value: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True)
class Marks:
    """All rows of a figure. `columns` names the positions 0, 1, … from the left; it is empty if `x` is a number.

    Each of `series` has its number of a color in `colors`, and its role, a solid or a dashed line, in `dashed`.
    `legend` has their order in a legend, which is empty if none is needed.
    """

    columns: tuple[str, ...]
    series: tuple[str, ...]
    marks: tuple[Mark, ...]
    colors: tuple[int, ...]
    dashed: tuple[bool, ...]
    legend: tuple[int, ...]

    @property
    def drawn(self) -> list[Mark]:
        """The marks with a position and a number."""
        return [mark for mark in self.marks if mark.x is not None and mark.value is not None]


def palette(figures: Iterable[Figure]) -> Palette:
    """Return the color numbers of all figures of a page or a result, so that a dataset has the same color in each."""
    numbered: dict[str, dict[str, int]] = {}
    for figure in figures:
        if figure.series and figure.kind != "heatmap":
            known = numbered.setdefault(figure.series, {})
            for name in _places(figure.frame[figure.series])[1]:
                known.setdefault(_solid(figure, name), len(known))
    return numbered


def marks(figure: Figure, colors: Palette | None = None) -> Marks:
    """Read a figure's rows, in their order; its colors are those of a page, or its own from the first."""
    frame = figure.frame
    heat = figure.kind == "heatmap"
    split_by = figure.y if heat else figure.series
    rows, series = _places(frame[split_by]) if split_by else ([0] * frame.height, ("",) if frame.height else ())
    columns: tuple[str, ...] = ()
    if figure.kind in ("lines", "points") and frame[figure.x].dtype.is_numeric():
        positions = [
            None if x is None or (figure.log_x and x <= 0) else x for x in map(_number, frame[figure.x].to_list())
        ]
    else:
        numbered, columns = _places(frame[figure.x])
        positions = [float(number) for number in numbered]
    values = _numbers(frame, figure.value if heat else figure.y)
    lows, highs = _numbers(frame, figure.low), _numbers(frame, figure.high)
    read = (Mark(*row) for row in zip(positions, rows, values, lows, highs, strict=True))
    known = (colors or palette([figure])).get(figure.series or "", {})
    solid = [_solid(figure, name) for name in series]
    numbers = [known.get(name, number) for number, name in enumerate(solid)]
    dashed = [plain != name for plain, name in zip(solid, series, strict=True)]
    legend = sorted(range(len(series)), key=lambda place: (dashed[place], numbers[place]))
    return Marks(
        columns, series, tuple(read), tuple(numbers), tuple(dashed), () if heat or len(legend) < 2 else tuple(legend)
    )


def _solid(figure: Figure, name: str) -> str:
    """Return the name of the series with the same color whose line is solid."""
    return name.removesuffix(figure.dashed) if figure.dashed else name


def printable(name: object) -> str:
    """Write a name on one line, with a replacement for control characters, which XML and fonts lack.

    Changes of the writing direction are left out, since one without its end would change the text after it.
    """
    signs = (_sign(sign) for sign in " ".join(text(name).split()))
    return "".join(signs).strip() or _NAMELESS


def shortened(name: str, signs: int = 30) -> str:
    """Shorten a long name in the middle: its two ends distinguish it."""
    return name if len(name) <= signs else f"{name[: signs // 2 - 1]}…{name[len(name) - signs // 2 :]}"


def label(read: Marks, mark: Mark) -> str:
    """Write the names of a mark with its number and interval."""
    column = read.columns[int(mark.x)] if read.columns and mark.x is not None else plain(mark.x or 0.0)
    names = ", ".join(filter(None, (read.series[mark.series], column)))
    between = f" ({mark.low:.4g} to {mark.high:.4g})" if mark.low is not None and mark.high is not None else ""
    return f"{names}: {mark.value:.4g}{between}"


def plain(value: float) -> str:
    """Write a number of a scale."""
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.6g}"


def shown(value: float) -> str:
    """Write a number with few digits, for a cell."""
    size = abs(value)
    if value == 0:
        return "0"
    if size < 0.001 or size >= 1e7:
        return f"{value:.3g}"
    if size < 10:
        return f"{value:.3f}"
    return f"{value:,.0f}" if size >= 1000 or value == int(value) else f"{value:.1f}"


def _sign(sign: str) -> str:
    if unicodedata.bidirectional(sign) in {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}:
        return ""
    unprintable = unicodedata.category(sign) in {"Cc", "Cs", "Cn", "Co", "Zl", "Zp"}
    return "\N{REPLACEMENT CHARACTER}" if unprintable else sign


def _places(names: pl.Series) -> tuple[list[int], tuple[str, ...]]:
    """Return numbers for the values of a column, in order of first occurrence, and the distinct names."""
    values = names.to_list()
    known = {value: number for number, value in enumerate(dict.fromkeys(values))}
    return [known[value] for value in values], tuple(map(printable, known))


def _numbers(frame: pl.DataFrame, column: str | None) -> list[float | None]:
    return [_number(value) for value in frame[column].to_list()] if column else [None] * frame.height


def _number(value: float | None) -> float | None:
    if value is None:
        return None
    number = float(value)
    return number if math.isfinite(number) and abs(number) < _LARGEST else None
