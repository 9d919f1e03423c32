"""The band of a printed figure: what rounds to it, and no more without a reason.

A figure is written as the paper prints it: `0.30`, `17,466`, `84%`, `9.9e-40`. A range is `0.56 to 0.91`, one end of
a range is `from 0.37` or `up to 0.97`, a bound is `> 30,000`, `≥ 5`, `< 0.04` or `≤ 1`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal

_BOUND = re.compile(r"(?P<sign>[<>≤≥])\s*(?P<figure>\S.*)")

_RANGE = re.compile(
    r"(?:from\s+(?P<low>[^\s%]+)|up to\s+(?P<high>[^\s%]+)|(?P<first>\S+)\s+to\s+(?P<last>[^\s%]+))(?P<unit>\s*%)?"
)

_FIGURE = re.compile(r"(?P<digits>-?\d[\d,]*(?:\.\d+)?(?:e-?\d+)?|-?\.\d+)(?P<percent>\s*%)?", re.IGNORECASE)


#: A figure with more decimals is printed with an exponent.
_MANY_DECIMALS = 8


@dataclass(frozen=True)
class Band:
    """The values from `low` to `high`; None leaves an end open. `strict` excludes the ends."""

    low: float | None
    high: float | None
    strict: bool = False

    def holds(self, value: float) -> bool:
        """Return whether a value lies within."""
        if self.strict:
            return (self.low is None or value > self.low) and (self.high is None or value < self.high)
        return (self.low is None or value >= self.low) and (self.high is None or value <= self.high)

    def reaches_beyond(self, other: Band) -> bool:
        """Return whether this band has values that the other lacks."""
        low = other.low is not None and (self.low is None or self.low < other.low)
        high = other.high is not None and (self.high is None or self.high > other.high)
        return low or high

    def in_percent(self) -> str:
        """Write the band in percent."""
        low, high = (None if end is None else end * 100 for end in (self.low, self.high))
        return f"{Band(low, high, self.strict)}%"

    def __str__(self) -> str:
        least, most = (">", "<") if self.strict else ("≥", "≤")
        low, high = (None if end is None else f"{end:.9g}" for end in (self.low, self.high))
        if low is not None and high is not None:
            return low if low == high else f"{low} to {high}"
        return f"{least} {low}" if low is not None else f"{most} {high}"


def printed_band(printed: str, margin: float = 0) -> Band:
    """Return the band that rounds to a printed figure: half of its last digit to either side, and `margin` more.

    A whole number is a count and is its own band. Raises `ValueError` for a text that is not a figure.
    """
    text, more = printed.strip(), Decimal(str(margin))
    if bound := _BOUND.fullmatch(text):
        end, _ = _figure(bound["figure"])
        above = bound["sign"] in ">≥"
        return Band(float(end - more) if above else None, None if above else float(end + more), bound["sign"] in "<>")
    if span := _RANGE.fullmatch(text):
        unit = span["unit"] or ""
        low, high = span["low"] or span["first"], span["high"] or span["last"]
        return Band(_end(low, unit, -1, more), _end(high, unit, 1, more))
    figure, half = _figure(text)
    return Band(float(figure - half - more), float(figure + half + more))


def in_print(printed: str | None, value: float, more: int = 2) -> str:
    """Write a value in the unit of a printed figure, with more digits to show which side of the band it is on."""
    if printed is None:
        return f"{value:.4g}"
    exponents = [Decimal(figure["digits"].replace(",", "")).as_tuple().exponent for figure in _FIGURE.finditer(printed)]
    decimals = -min((exponent for exponent in exponents if isinstance(exponent, int)), default=0)
    unit = "%" if "%" in printed else ""
    scaled = value * 100 if unit else value
    if decimals > _MANY_DECIMALS:
        return f"{scaled:.4g}{unit}"
    return (
        f"{scaled:,.0f}"
        if not decimals and not unit and scaled.is_integer()
        else f"{scaled:,.{decimals + more}f}{unit}"
    )


def _end(printed: str | None, unit: str, side: int, more: Decimal) -> float | None:
    if printed is None:
        return None
    figure, half = _figure(printed + unit)
    return float(figure + side * (half + more))


def _figure(printed: str) -> tuple[Decimal, Decimal]:
    """Return the figure as a number, percentages as fractions of 1, and half of its last digit."""
    parts = _FIGURE.fullmatch(printed.strip())
    if parts is None:
        raise ValueError(f"{printed!r} is not a printed figure")
    figure, scale = Decimal(parts["digits"].replace(",", "")), Decimal("0.01" if parts["percent"] else "1")
    exponent = figure.as_tuple().exponent
    whole = exponent == 0 and not parts["percent"]
    half = Decimal(0) if whole else Decimal(5).scaleb(int(exponent) - 1)
    return figure * scale, half * scale
