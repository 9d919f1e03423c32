"""How one value is written in a table that people read, whatever the markup around it.

Sentences of a report, in which what a reader may type stands between backticks.
"""

from __future__ import annotations

import datetime
import math
import re
from collections.abc import Callable, Mapping
from decimal import Decimal

import polars as pl

from auditor.result import Result, Table


def sentence(text: str, plain: Callable[[str], str], typed: Callable[[str], str]) -> str:
    """Write a sentence, what is to be typed by another rule than the words around it."""
    parts = text.split("`")
    if len(parts) % 2 == 0:  # a backtick without its other: no quotation
        return plain(text)
    return "".join(typed(part) if number % 2 else plain(part) for number, part in enumerate(parts))


def beside_tables(result: Result) -> tuple[str, ...]:
    """Give what is to be said in words: notes, and findings where no table tells them."""
    return result.notes if any(table.tells_findings for table in result.tables) else result.remarks


def place(example: Mapping[str, str | int | None], which: str = "") -> str:
    """Name the image and slot of a finding's example, or with `other_` of the caption that it is beside."""
    image, slot = example.get(f"{which}image"), example.get(f"{which}slot")
    return f"{image}" if slot is None else f"{image}#{slot}"


#: Columns whose whole numbers name something: an id is no amount.
_NAMING = re.compile(r"(?:.+_)?(?:id|image|item|line|no|pair|position|seed|seq|slot|triplet|year)", re.IGNORECASE)

_EIGHTHS = " ▏▎▍▌▋▊▉"

#: A number below this is not shown as 0.
_LEAST = 5e-5


def text(value: object, *, exact: bool = False) -> str:
    """Write a value: numbers with separators and four decimals, never 0 for what is not; nothing for null.

    `exact` numbers have the fewest digits that read back as the same number, and null is no empty text.
    """
    match value:
        case None:
            return "null" if exact else ""
        case bool():
            return "yes" if value else "no"
        case int() | Decimal():  # sums of whole numbers come as decimals
            return f"{value:,}"
        case float():
            return f"{value:,}" if exact else _number(value)
        case datetime.datetime():
            return f"{value:%Y-%m-%d %H:%M:%S}"
        case list() | pl.Series():
            return " ".join(text(item, exact=exact) for item in value)
        case dict():
            return " ".join(f"{key}={text(item, exact=exact)}" for key, item in value.items())
        case _:
            return str(value)


def cell(table: Table, column: str, value: object) -> str:
    """Write a value as its table shows it: with so many decimals as the table says, or as `text` does; an id as it is.

    The number is rounded here and nowhere before, so that every digit of it was measured.
    """
    if isinstance(value, int) and not isinstance(value, bool) and _NAMING.fullmatch(column):
        return str(value)
    decimals = dict(table.digits).get(column)
    if decimals is None or not isinstance(value, float) or not math.isfinite(value):
        return text(value, exact=table.exact)
    return f"{value:,.{decimals}f}" if value == 0 or abs(value) >= 0.5 * 10**-decimals else f"{value:.2g}"


def is_number(value: object) -> bool:
    """Say whether a value is written flush right."""
    return isinstance(value, int | float | Decimal) and not isinstance(value, bool)


def flush_right(table: Table, column: str) -> bool:
    """Say whether a column holds numbers."""
    return any(map(is_number, table.frame[column].head(100)))


def begins_section(table: Table, row: int) -> bool:
    """Say whether a row is the first of a section that is not the table's first."""
    if table.sections is None or row == 0:
        return False
    column = table.frame[table.sections]
    return bool(column[row] != column[row - 1])


def block(share: float, cells: int) -> str:
    """Draw a share of 1 as a bar of at most so many cells, to an eighth of a cell."""
    eighths = round(min(max(share, 0.0), 1.0) * cells * 8)
    return "█" * (eighths // 8) + _EIGHTHS[eighths % 8].strip()


def _number(value: float) -> str:
    if 0 < abs(value) < _LEAST:
        return f"{value:.1e}"
    return f"{value:.4f}" if abs(value) < 10 else f"{value:,.2f}"
