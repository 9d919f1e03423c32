"""Tokenizer `ptb`: the tokens of COCO's evaluation (Chen et al. 2015, section 3.1), without Java.

Stanford's PTBTokenizer 3.4.1 (`-preserveLines -lowerCase`), then without the punctuation that pycocoevalcap removes.
Brackets stay (`-lrb-`), because the program's list names them in capitals; so do `!!`, `&`, `/` and other signs.

Each caption is tokenized for itself. The program reads a file of all of them, and so takes the full stop of a caption
that ends in a single letter (`the letter P.` → `p.`) away where the next caption begins with `A`, `The` or the like.
"""

from __future__ import annotations

import functools
import re
import struct
from collections.abc import Callable

import polars as pl

from auditor.text.ptb.lexer import Lexer

#: What pycocoevalcap removes, as far as lower case leaves it something to remove.
_PUNCTUATION = frozenset(["''", "'", "``", "`", ".", "?", "!", ",", ":", "-", "--", "...", ";"])

_BRACKETS = {"(": "-LRB-", ")": "-RRB-", "[": "-LSB-", "]": "-RSB-", "{": "-LCB-", "}": "-RCB-"}

_FRACTIONS = {"¼": "1/4", "½": "1/2", "¾": "3/4", "⅓": "1/3", "⅔": "2/3"}

_CURRENCIES = {"¢": "cents", "£": "#", "\x80": "$", "¤": "$", "₠": "$", "€": "$"}

_QUOTES = {"\x91": "`", "‘": "`", "‛": "`", "‹": "`", "\x92": "'", "’": "'", "›": "'"} | {
    "\x93": "``", "“": "``", "«": "``", "\x94": "''", "”": "''", "»": "''"
}  # fmt: skip

# Breaks that are not spaces for the program end its line; a caption is one line.
_BREAKS = "[\r\n\x0b\x0c\u2028\u2029]"

# Where a token, or what must follow it, can extend over a space: tags, spaced dots, fractions, phone numbers, `fig. 3`,
# a letter at the end of a sentence, and other whitespace. Other texts are split at spaces, and tokenized part by part.
_OTHER = "\t\x85\u00a0\u2000-\u200a\u3000"

_REACHES = rf"<|\.[ {_OTHER}]+[\d.]|[\d)][ {_OTHER}]+\d|[A-Za-z]\.[ {_OTHER}]+[A-Z]| [{_OTHER}]"

_BEYOND = re.compile("[\U00010000-\U0010ffff]")


def tokenize(captions: pl.Series) -> pl.Series:
    """Turn a column of captions into a column of token lists.

    A token with spaces, as `5 1/2` in the program, counts as several: the metrics split it.
    """
    lines = captions.str.replace_all(_BREAKS, " ") + "\n"
    whole = pl.select(
        pl.when(lines.str.contains(_REACHES)).then(lines.reshape((-1, 1)).arr.to_list()).otherwise(lines.str.split(" "))
    ).to_series()
    parts = whole.explode().unique()
    spelled = [_split(part if part.endswith("\n") else f"{part} ") for part in parts]
    return (
        whole.list.eval(pl.element().replace_strict(parts, spelled, return_dtype=pl.String))
        .list.join(" ")
        .str.extract_all(r"\S+")
        .alias(captions.name)
    )


@functools.lru_cache(maxsize=200_000)
def _split(text: str) -> str:
    """Cut a text into tokens, longest match first, leave out what is not a word, and join the rest by spaces."""
    tokens: list[str] = []
    text = _BEYOND.sub(_halves, text)
    lexer, at = _lexer(), 0
    while at < len(text):
        kind, end = lexer.match(text, at) or ("nothing", at + 1)
        token = text[at:end]
        at = end
        if kind == "acronym" and len(token) == 2:  # a letter at the end of a sentence
            token, at = token[:-1], at - 1
        elif kind in ("acronym", "abbreviation"):
            at -= 1  # the full stop counts twice
        elif kind in _KEPT_BACK:
            token, at = token[: -_KEPT_BACK[kind]], at - _KEPT_BACK[kind]
        made = _whole(_FORMS.get(kind, str)(token)).lower()
        if made not in _PUNCTUATION:
            tokens += made.split()
    return " ".join(tokens)


def _halves(beyond: re.Match[str]) -> str:
    """Return the two halves that a character beyond the basic plane has in UTF-16, in which the program reads."""
    return "".join(chr(half) for half in struct.unpack("<HH", beyond[0].encode("utf-16-le")))


def _whole(token: str) -> str:
    return token if token.isascii() else token.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _quote(single: str) -> Callable[[str], str]:
    """Turn straight quotes into those of LaTeX, opening or closing, and curly ones into what they are."""

    def turned(token: str) -> str:
        straight = token.replace("&apos;", "'").replace("'", single)
        straight = straight.replace('"', single * 2).replace("&quot;", single * 2)
        return "".join(_QUOTES.get(character, character) for character in straight)

    return turned


#: What becomes of a token, by the name of its rule; tokens of other rules stay as they are.
_FORMS: dict[str, Callable[[str], str]] = {
    "nothing": lambda _: "",
    "word": lambda token: token.replace("\u00ad", "") or "-",
    "ampersand": lambda token: re.sub("&amp;", "&", token, flags=re.IGNORECASE),
    "dash": lambda _: "--",
    "hyphens": lambda token: "--" if len(token) in (3, 4) else token,
    "dots": lambda _: "...",
    "fraction": lambda token: _FRACTIONS.get(token, token),
    "currency": lambda token: _CURRENCIES.get(token, token),
    "less": lambda _: "<",
    "more": lambda _: ">",
    "bracket": lambda token: _BRACKETS[token],
    "bracketed": lambda token: token.replace("(", _BRACKETS["("]).replace(")", _BRACKETS[")"]),
    "opening quote": _quote("`"),
    "closing quote": _quote("'"),
}

#: How many characters of a token begin the next one, by the name of its rule.
_KEPT_BACK = {"but for three": 3, "but for two": 2}


@functools.cache
def _lexer() -> Lexer:
    return Lexer()
