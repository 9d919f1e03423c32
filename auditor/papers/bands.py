"""The band of a printed figure: what rounds to it, and no more unless the reason is given.

A figure is written as the paper prints it: `0.30`, `17,466`, `84 %`, `9.9e-40`. A range is `0.56 to 0.91`, an end of
one `from 0.37` or `up to 0.97`, a bound `> 30,000`, `≥ 5`, `< 0.04`, `≤ 1`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal

_BOUND = re.compile(r"(?P<sign>[<>≤≥])\s*(?P<figure>\S.*)")

_RANGE = re.compile(r"(?:from\s+(?P<low>\S+)|up to\s+(?P<high>\S+)|(?P<first>\S+)\s+to\s+(?P<last>\S+))(?P<unit>\s*%)?")

_FIGURE = re.compile(r"(?P<digits>-?\d[\d,]*(?:\.\d+)?(?:e-?\d+)?|-?\.\d+)(?P<percent>\s*%)?", re.IGNORECASE)


#: A figure with more is printed with an exponent.
_MANY_DECIMALS = 8


@dataclass(frozen=True)
class Band:
    """From `low` to `high`; an end that is None is open. `strict` leaves the ends out."""

    low: float | None
    high: float | None
    strict: bool = False

    def holds(self, value: float) -> bool:
        """Return whether a value lies within."""
        if self.strict:
            return (self.low is None or value > self.low) and (self.high is None or value < self.high)
        return (self.low is None or value >= self.low) and (self.high is None or value <= self.high)

    def reaches_beyond(self, other: Band) -> bool:
        """Return whether there are values in this band that the other does not hold."""
        low = other.low is not None and (self.low is None or self.low < other.low)
        high = other.high is not None and (self.high is None or self.high > other.high)
        return low or high

    def in_percent(self) -> str:
        """Spell it in percent."""
        low, high = (None if end is None else end * 100 for end in (self.low, self.high))
        return f"{Band(low, high, self.strict)} %"

    def __str__(self) -> str:
        least, most = (">", "<") if self.strict else ("≥", "≤")
        low, high = (None if end is None else f"{end:.9g}" for end in (self.low, self.high))
        if low is not None and high is not None:
            return low if low == high else f"{low} to {high}"
        return f"{least} {low}" if low is not None else f"{most} {high}"


def printed_band(printed: str, margin: float = 0) -> Band:
    """Return what rounds to a printed figure: half of its last digit to either side, and `margin` more.

    A whole number is a count and stands for itself. Raises `ValueError` for what is no figure.
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


def in_print(printed: str | None, value: float) -> str:
    """Spell a value in the unit of a printed figure, with two digits more: what decides shows."""
    if printed is None:
        return f"{value:.4g}"
    found = [Decimal(figure["digits"].replace(",", "")).as_tuple().exponent for figure in _FIGURE.finditer(printed)]
    decimals = -min((one for one in found if isinstance(one, int)), default=0)
    unit = " %" if "%" in printed else ""
    scaled = value * 100 if unit else value
    if decimals > _MANY_DECIMALS:
        return f"{scaled:.4g}{unit}"
    return (
        f"{scaled:,.0f}" if not decimals and not unit and scaled.is_integer() else f"{scaled:,.{decimals + 2}f}{unit}"
    )


def _end(printed: str | None, unit: str, side: int, more: Decimal) -> float | None:
    if printed is None:
        return None
    figure, half = _figure(printed + unit)
    return float(figure + side * (half + more))


def _figure(printed: str) -> tuple[Decimal, Decimal]:
    """Return the figure as a fraction of 1 or a number, and half of its last digit."""
    found = _FIGURE.fullmatch(printed.strip())
    if found is None:
        raise ValueError(f"{printed!r} is no printed figure")
    figure, scale = Decimal(found["digits"].replace(",", "")), Decimal("0.01" if found["percent"] else "1")
    exponent = figure.as_tuple().exponent
    whole = exponent == 0 and not found["percent"]
    half = Decimal(0) if whole else Decimal(5).scaleb(int(exponent) - 1)
    return figure * scale, half * scale
