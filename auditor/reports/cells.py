"""The text of a value in a table, for any markup around it.

Also: sentences of a report, with input between backticks, and the words in which two texts differ.
"""

from __future__ import annotations

import datetime
import itertools
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from difflib import SequenceMatcher

import polars as pl

from auditor.result import LEAST_P, Result, Table

#: The parts of a text, in order, each with whether only this text has its words there.
Marked = tuple[tuple[str, bool], ...]

#: Texts less similar than this are marked nowhere: all of their words would differ.
_ALIKE = 0.4

_WORD = re.compile(r"^\s+|\S+\s*")  # with the whitespace after it


def sentence(text: str, plain: Callable[[str], str], typed: Callable[[str], str]) -> str:
    """Write a sentence: input between backticks with `typed`, the other words with `plain`."""
    parts = text.split("`")
    if len(parts) % 2 == 0:  # an unpaired backtick is a plain character
        return plain(text)
    return "".join(typed(part) if number % 2 else plain(part) for number, part in enumerate(parts))


def beside_tables(result: Result) -> tuple[str, ...]:
    """Return the sentences to print with the tables: notes, and findings that no table lists."""
    return result.notes if any(table.tells_findings for table in result.tables) else result.remarks


def distinct(names: Iterable[str]) -> list[str]:
    """Write names as words of files or labels: each once, a repeated one with a number."""
    words = list[str]()
    for name in names:
        word = re.sub(r"[^\w.-]+", "-", name).strip("-")
        numbered = itertools.chain([word], (f"{word}-{number}" for number in itertools.count(2)))
        taken = {*map(str.casefold, words)}  # some file systems ignore case
        words.append(next(each for each in numbered if each.casefold() not in taken))
    return words


def caption_place(example: Mapping[str, str | int | None], which: str = "") -> str:
    """Return the image and slot of a finding's example, or with `other_` those of the caption compared with it."""
    image, slot = example.get(f"{which}image"), example.get(f"{which}slot")
    return f"{image}" if slot is None else f"{image}#{slot}"


#: Columns whose whole numbers are ids, not amounts.
_NAMING = re.compile(r"(?:.+_)?(?:id|image|item|line|no|pair|position|seed|seq|slot|triplet|year)", re.IGNORECASE)

#: Columns of p-values.
_P = re.compile(r"(?:\w+_)?p(?:_holm|_adjusted| of .+)?")

_EIGHTHS = " ▏▎▍▌▋▊▉"

#: A number below this gets an exponent, so that it is not shown as 0.
_LEAST = 5e-5


def text(value: object, *, exact: bool = False) -> str:
    """Write a value: numbers with separators and four decimals, 0 only for 0, and nothing for null.

    `exact` numbers have the fewest digits that read back as the same number, and null is `null`.
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
    """Write a value as its table shows it: with the table's decimals, or as `text` does; an id unchanged.

    Numbers are rounded only here, so that every shown digit was measured.
    """
    if isinstance(value, int) and not isinstance(value, bool) and _NAMING.fullmatch(column):
        return str(value)
    if isinstance(value, float) and value < LEAST_P and not table.exact and _P.fullmatch(column):
        return f"< {LEAST_P:g}"
    decimals = dict(table.digits).get(column)
    if decimals is None or not isinstance(value, float) or not math.isfinite(value):
        return text(value, exact=table.exact)
    return f"{value:,.{decimals}f}" if value == 0 or abs(value) >= 0.5 * 10**-decimals else f"{value:.2g}"


def filled(table: Table, row: int, column: str) -> float:
    """Return which share of a bar a value fills, from 0 to 1."""
    values, whole = table.frame[column].to_list(), 1.0
    if table.is_scaled:
        sections = table.frame[table.sections].to_list() if table.sections else [None] * len(values)
        own = (value for value, name in zip(values, sections, strict=True) if name == sections[row] and value)
        whole = max(own, default=1.0)
    return float(min(max(values[row] / whole, 0.0), 1.0))


def is_number(value: object) -> bool:
    """Return whether a value is aligned to the right."""
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
    """Draw a share of 1 as a bar of at most `cells` cells, to an eighth of a cell."""
    eighths = round(min(max(share, 0.0), 1.0) * cells * 8)
    return "█" * (eighths // 8) + _EIGHTHS[eighths % 8].strip()


def _number(value: float) -> str:
    if 0 < abs(value) < _LEAST:
        return f"{value:.1e}"
    return f"{value:.4f}" if abs(value) < 10 else f"{value:,.2f}"


def apart(own: str, other: str, *, exact: bool = False) -> tuple[Marked, Marked]:
    """Divide two texts into words that both have and words that only one of them has there.

    Case and punctuation are ignored; with `exact` only if something else differs.
    """
    texts = _WORD.findall(own), _WORD.findall(other)
    a, b = (["".join(filter(str.isalnum, word)).lower() or word.strip() for word in words] for words in texts)
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


#: Around a marked part, this many characters stay of a text.
_AROUND = 70

_QUOTED = re.compile("“([^”]+)”")

_PARAGRAPHS = re.compile(r"\S+[ \t\r]*\n[ \t\r]*\n\s*\S+")


def hit(text: str, why: str) -> Marked:
    """Mark what a reason names of its text: what it quotes, or else the most of its last words that the text has.

    Of paragraphs, the last word of one and the first of the next are marked.
    """
    if why == "paragraphs" and (found := _PARAGRAPHS.search(text)):
        start, end = found.span()
        return (text[:start], False), (text[start:end], True), (text[end:], False)
    words, low = why.split(), text.lower()
    named = [*_QUOTED.findall(why), *(" ".join(words[start:]) for start in range(1, len(words)))]
    if len(low) == len(text):
        for part in (part.lower() for part in named if len(part) < len(text)):
            if places := [*_whole(part, low)]:
                start = places[-1 if why.startswith("ends") else 0]
                end = start + len(part)
                return (text[:start], False), (text[start:end], True), (text[end:], False)
    return ((text, False),)


def _whole(part: str, text: str) -> Iterator[int]:
    """Yield where a text has a part that is not within a longer word. Compiling a pattern takes ten times as long."""
    start = text.find(part)
    while start >= 0:
        end = start + len(part)
        around = text[max(start - 1, 0) : start] + text[end : end + 1]
        is_whole = not any(letter.isalnum() or letter == "_" for letter in around)
        if is_whole:
            yield start
        start = text.find(part, end if is_whole else start + 1)


def cut(parts: Marked, most: int = _AROUND) -> Marked:
    """Cut a long text to its marked parts and the characters around them, at spaces where there are some."""
    if sum(len(text) for text, _ in parts) <= 3 * most:
        return parts
    last = len(parts) - 1
    shortened = []
    for number, (text, own) in enumerate(parts):
        head, tail = (text[:most].rpartition(" ")[0] or text[:most]), (text[-most:].partition(" ")[2] or text[-most:])
        if len(text) <= 2 * most:
            shortened.append((text, own))
        elif own or 0 < number < last:
            shortened.append((f"{head} … {tail}", own))
        else:
            shortened.append((f"… {tail}" if number == 0 and last else f"{head} …", own))
    return tuple(shortened)


def marks(table: Table, most: int = _AROUND) -> list[Mapping[str, Marked]]:
    """Return the marked parts of each row's texts, hits with `most` characters around them; none for missing texts."""
    if table.hits:
        column, found = table.hits
        texts = zip(table.frame[column], found, strict=True)
        return [{column: cut(hit(text, f"“{words}”"), most)} if text else {} for text, words in texts]
    if table.beside is None:
        return [{}] * table.frame.height
    pairs = table.frame.select(table.beside).iter_rows()
    return [dict(zip(table.beside, apart(*pair, exact=True), strict=True)) if all(pair) else {} for pair in pairs]


def _run(words: Sequence[str], own: bool) -> Iterator[tuple[str, bool]]:
    """Yield successive words; the whitespace after marked words comes separately, unmarked."""
    text = "".join(words)
    end = len(text.rstrip()) if own else len(text)
    yield from (part for part in ((text[:end], own), (text[end:], False)) if part[0])
