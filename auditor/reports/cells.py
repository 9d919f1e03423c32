"""How one value is written in a table that people read, whatever the markup around it.

Sentences of a report, in which what a reader may type stands between backticks; the words in which two texts differ.
"""

from __future__ import annotations

import datetime
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from difflib import SequenceMatcher

import polars as pl

from auditor.result import Result, Table

#: Parts of a text, which is all of them together, and whether only this text has their words there.
Marked = tuple[tuple[str, bool], ...]

#: Texts less alike than this are two texts: marking all words tells nothing.
_ALIKE = 0.4

_WORD = re.compile(r"^\s+|\S+\s*")  # with the blanks behind it


def sentence(text: str, plain: Callable[[str], str], typed: Callable[[str], str]) -> str:
    """Write a sentence, what is to be typed by another rule than the words around it."""
    parts = text.split("`")
    if len(parts) % 2 == 0:  # a backtick without its other: no quotation
        return plain(text)
    return "".join(typed(part) if number % 2 else plain(part) for number, part in enumerate(parts))


def beside_tables(result: Result) -> tuple[str, ...]:
    """Return what is to be said in words: notes, and findings where no table tells them."""
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
    """Return whether a value is written flush right."""
    return isinstance(value, int | float | Decimal) and not isinstance(value, bool)


def flush_right(table: Table, column: str) -> bool:
    """Return whether a column holds numbers."""
    return any(map(is_number, table.frame[column].head(100)))


def begins_section(table: Table, row: int) -> bool:
    """Return whether a row is the first of a section that is not the table's first."""
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


def apart(own: str, other: str, *, exact: bool = False) -> tuple[Marked, Marked]:
    """Part two texts into words that both have and words that only one has there.

    Case and punctuation do not count; `exact`: but where nothing else differs.
    """
    texts = _WORD.findall(own), _WORD.findall(other)
    a, b = ([_bare(word) for word in words] for words in texts)
    if exact and a == b:
        a, b = texts
    matched = SequenceMatcher(None, a, b, autojunk=False)
    if matched.ratio() < _ALIKE:
        return ((own, False),), ((other, False),)
    changes = matched.get_opcodes()
    return (
        tuple(part for kind, start, end, _, _ in changes for part in _run(texts[0][start:end], kind != "equal")),
        tuple(part for kind, _, _, start, end in changes for part in _run(texts[1][start:end], kind != "equal")),
    )


def marks(table: Table) -> list[Mapping[str, Marked]]:
    """Return for each row of a table what is marked in its two columns of texts; nothing where it lacks one of them."""
    if table.beside is None:
        return [{}] * table.frame.height
    pairs = table.frame.select(table.beside).iter_rows()
    return [dict(zip(table.beside, apart(*pair, exact=True), strict=True)) if all(pair) else {} for pair in pairs]


def _run(words: Sequence[str], own: bool) -> Iterator[tuple[str, bool]]:
    """Yield words in a row, without the blanks behind them where they are marked, and then these."""
    text = "".join(words)
    end = len(text.rstrip()) if own else len(text)
    yield from (part for part in ((text[:end], own), (text[end:], False)) if part[0])


def _bare(word: str) -> str:
    return "".join(filter(str.isalnum, word)).lower() or word.strip()
