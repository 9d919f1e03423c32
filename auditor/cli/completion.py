"""What the shell completes: tables, views, functions and columns of the store, its datasets, words of SQL."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

#: Words of SQL that a statement is likely to hold.
_WORDS = (
    "and", "as", "asc", "avg", "between", "by", "case", "count", "cross", "desc", "describe", "distinct", "else", "end",
    "except", "exists", "explain", "from", "group", "having", "in", "intersect", "is", "join", "left", "like", "limit",
    "max", "median", "min", "not", "null", "offset", "on", "or", "order", "over", "partition", "select", "sum", "then",
    "union", "using", "when", "where", "with",
)  # fmt: skip

_WORD = re.compile(r"[\w.]+$")

_QUOTED = re.compile(r"'([^'\s]*)$")


@dataclass(frozen=True)
class Names:
    """What a statement may name. `versions` are datasets, with their versions, tags and splits."""

    relations: Sequence[str] = ()
    functions: Sequence[str] = ()
    columns: Sequence[str] = ()
    versions: Sequence[str] = ()


def completions(names: Names, before: str) -> Iterator[tuple[str, int]]:
    """Give what may follow a text, each with how many of its last characters it takes the place of.

    Inside quotes datasets and their versions, elsewhere tables and columns before words of SQL.
    """
    quotes = before.count("'") % 2
    found = (_QUOTED if quotes else _WORD).search(before)
    begun = found[found.lastindex or 0] if found else ""
    if not quotes and not begun:
        return
    offered = names.versions if quotes else (*names.relations, *names.functions, *names.columns, *_WORDS)
    for one in dict.fromkeys(offered):
        if one.lower().startswith(begun.lower()) and one != begun:
            yield one, len(begun)


def statements(text: str) -> tuple[list[str], str]:
    """Part a text at the semicolons that end its statements, and give what is left unended.

    A semicolon in quotes or in a comment ends none.
    """
    ended, begin, quote, at = list[str](), 0, "", 0
    while at < len(text):
        if quote:
            end = text.find(quote, at)
            if end < 0:
                break
            at, quote = end + len(quote), ""
        elif text.startswith(("--", "/*"), at):
            quote, at = ("\n" if text[at] == "-" else "*/"), at + 2
        elif text[at] in "'\"":
            quote, at = text[at], at + 1
        elif text[at] == ";":
            ended.append(text[begin:at])
            begin = at = at + 1
        else:
            at += 1
    return [one.strip() for one in ended if one.strip()], text[begin:]
