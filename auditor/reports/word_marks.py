"""In which words two texts differ that a reader sees side by side."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher

from auditor.result import Table

#: Parts of a text, which is all of them together, and whether only this text has their words there.
Marked = tuple[tuple[str, bool], ...]

#: Texts less alike than this are two texts: marking all words tells nothing.
_ALIKE = 0.4

_WORD = re.compile(r"^\s+|\S+\s*")  # with the blanks behind it


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
    """Give for each row of a table what is marked in its two columns of texts; nothing where it lacks one of them."""
    if table.beside is None:
        return [{}] * table.frame.height
    pairs = table.frame.select(table.beside).iter_rows()
    return [dict(zip(table.beside, apart(*pair, exact=True), strict=True)) if all(pair) else {} for pair in pairs]


def _run(words: Sequence[str], own: bool) -> Iterator[tuple[str, bool]]:
    """Give words in a row, without the blanks behind them where they are marked, and then these."""
    text = "".join(words)
    end = len(text.rstrip()) if own else len(text)
    yield from (part for part in ((text[:end], own), (text[end:], False)) if part[0])


def _bare(word: str) -> str:
    return "".join(filter(str.isalnum, word)).lower() or word.strip()
