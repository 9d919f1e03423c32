"""Text on a drawing: its width, its line breaks, and the angle of names under an axis."""

from __future__ import annotations

import math
import re
import unicodedata
from typing import TYPE_CHECKING, NamedTuple

from matplotlib.font_manager import FontProperties
from matplotlib.textpath import text_to_path

from auditor.reports.figures.marks import shortened

if TYPE_CHECKING:
    from collections.abc import Sequence

SMALL, PLAIN, LARGE = 7.5, 9.0, 11.0

_POINTS = 72  # to the inch

_AIR = 1.08  # viewers without the font use another, which may be a little wider

LINE = 1.3 * PLAIN / _POINTS  # inches from line to line

_LINES = 3

_SLANT = 40  # degrees


class Run(NamedTuple):
    """The names of an axis: the text of each, their angle in degrees, and the step between shown names."""

    names: list[str]
    degrees: int
    step: int


def width(text: str, size: float) -> float:
    """Measure a line in inches; a character that the font lacks has the width of another font."""
    measured = text_to_path.get_text_width_height_descent(text, FontProperties(size=size), ismath=False)[0]
    wide = sum(unicodedata.east_asian_width(sign) in "WF" for sign in text)
    return float(max(measured, wide * size)) / _POINTS * _AIR


def wrapped(text: str, size: float, inches: float) -> str:
    """Break a text into lines of at most `inches`, at spaces, or anywhere in a longer word."""
    lines = [""]
    for word in text.split():
        for piece in _pieces(word, size, inches):
            longer = f"{lines[-1]} {piece}".strip()
            if lines[-1] and width(longer, size) > inches:
                lines.append(piece)
            else:
                lines[-1] = longer
    return "\n".join(lines)


def run(names: Sequence[str], inches: float) -> Run:
    """Fit the names of an axis of a length: in lines side by side if they have room, else slanted, else upright.

    If even upright names would touch, some are left out.
    """
    slot = inches / max(len(names), 1)
    short = [shortened(name) for name in names]
    folded = [_folded(name, slot * 0.92) for name in short]
    if all(folded):
        return Run(folded, 0, 1)
    return Run(short, _SLANT, 1) if slot >= LINE * 1.45 else Run(short, 90, math.ceil(LINE / slot))


def level(names: Sequence[str]) -> float:
    """Return how many inches each name needs so that none has to be rotated."""
    parts = (part for name in names for part in _parts(shortened(name)))
    return max((width(part.strip(), PLAIN) for part in parts), default=0.0) * 1.2


def _folded(name: str, inches: float) -> str:
    """Break a name after hyphens and similar characters into at most three lines; empty if it does not fit."""
    lines = [""]
    for part in _parts(name):
        if lines[-1] and width(lines[-1] + part, PLAIN) > inches:
            lines.append(part)
        else:
            lines[-1] += part
    fits = len(lines) <= _LINES and all(width(line, PLAIN) <= inches for line in lines)
    return "\n".join(line.strip() for line in lines) if fits else ""


def _parts(name: str) -> list[str]:
    return re.findall(r"[^-_:/ ]+[-_:/ ]*|[-_:/ ]+", name)


def _pieces(word: str, size: float, inches: float) -> list[str]:
    if width(word, size) <= inches or len(word) < 2:
        return [word]
    half = len(word) // 2
    return [*_pieces(word[:half], size, inches), *_pieces(word[half:], size, inches)]
