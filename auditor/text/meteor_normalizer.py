"""METEOR's own normalizer (`-norm`): a tokenizer after that of Moses, run on text that a tokenizer has made.

Its rules are passes over the whole line whose matches consume their neighbors (`a,b,c` → `a , b,c`), so that they
cannot be written as look-arounds. They look at most one character beyond a space, so that the words of a token mostly
depend on the token and, where it ends in a dot, on how the next begins: `forms` gives them once for all lines.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

Mode = Literal["norm", "nopunct", "lower", "none"]

_ALPHA = (
    "A-Za-z\u0160\u017d\u0161\u017e\u0178\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u017e\u0400-\u04ff\u0500-\u0527"
    "\ua640-\ua66e\ua67e-\ua697\u1d00-\u1d7f"
)

_ALNUM = _ALPHA + "0-9"

_EXEMPT = ".'`,\\-‘’"  # punctuation that later rules judge by its neighbors

_OTHER = re.compile(f"([^{_ALNUM} \\t\\n\\v\\f\\r{_EXEMPT}])")

_COMMAS = tuple(
    re.compile(f"({before}),({after})")
    for before, after in (("[^0-9]", "[^0-9]"), ("[0-9]", "[^0-9]"), ("[^0-9]", "[0-9]"))
)

_SINGLE_QUOTE = re.compile("[`‘’]")

_DOUBLE_QUOTE = re.compile("[“”]|''")

_HYPHEN = re.compile(f"([{_ALNUM}.])-([{_ALNUM}])")

_APOSTROPHES = tuple(
    (re.compile(f"({before})'({after})"), replacement)
    for before, after, replacement in (
        (f"[^{_ALPHA}]", f"[^{_ALPHA}]", r"\1 ' \2"),
        (f"[^{_ALPHA}0-9]", f"[{_ALPHA}]", r"\1 ' \2"),
        (f"[{_ALPHA}]", f"[^{_ALPHA}]", r"\1 ' \2"),
        (f"[{_ALPHA}]", f"[{_ALPHA}]", r"\1 '\2"),
        ("[0-9]", "s", r"\1 '\2"),
    )
)

_HAS_ALPHA = re.compile(f"[{_ALPHA}]")

_BLANKS = re.compile("[ \\t\\n\\r\\f]+")

_WIDE_BLANKS = re.compile("[\\t \u00a0\u2000-\u200a\u202f\u205f\u3000]+")

_PUNCTUATION = re.compile(f"[^{_ALNUM}]")

_TRIMMED = "".join(map(chr, range(0x21)))


@dataclass(frozen=True)
class Normalizer:
    """METEOR's rules with its list of words that a dot belongs to (`Mr`): `numeric` ones only before a number."""

    prefixes: Collection[str]
    numeric: Collection[str]

    def words(self, line: str, mode: Mode = "norm") -> list[str]:
        """Turn a line into the words that METEOR aligns.

        norm: tokenized, lower case; nopunct: and without punctuation; lower: lower case; none: as they are.
        """
        if mode in ("norm", "nopunct"):
            line = self._tokenized(line)
        if mode == "nopunct":
            line = _PUNCTUATION.sub(" ", line)
        if mode != "none":
            line = line.lower()
        return _split(line)

    def forms(self, token: str, mode: Mode) -> tuple[list[str], ...]:
        """Return the words of a token in each of `CONTEXTS`."""
        if mode in ("lower", "none") or "." not in token[-1:]:
            return (self.words(token, mode),) * len(CONTEXTS)
        return tuple(self.words(f"{token} {after}", mode)[:-1] for after in CONTEXTS)

    def _tokenized(self, line: str) -> str:
        text = _dots_marked(_OTHER.sub(r" \1 ", f" {line} "))
        for comma in _COMMAS:
            text = comma.sub(r"\1 , \2", text)
        text = _DOUBLE_QUOTE.sub(' " ', _SINGLE_QUOTE.sub("'", text))
        text = _HYPHEN.sub(r"\1 \2", text.replace("–", "-").replace("--", "-"))
        for apostrophe, replacement in _APOSTROPHES:
            text = apostrophe.sub(replacement, text)
        words = _split(text)
        followed = zip(words, [*words, ""][1:], strict=True)
        text = _dots_unmarked(" ".join(self._final_dot(word, after) for word, after in followed))
        return _WIDE_BLANKS.sub(" ", text).strip(_TRIMMED)

    def _final_dot(self, word: str, after: str) -> str:
        """Part a word from its final dot, unless it is an abbreviation or the sentence goes on."""
        before = word[:-1]
        if not before or word[-1] != ".":
            return word
        if "." in before and _HAS_ALPHA.search(before):
            return before.replace(".", "")
        if before in self.prefixes or "a" <= after[:1] <= "z":
            return word
        if before in self.numeric and "0" <= after[:1] <= "9":
            return word
        return f"{before} ."


#: How the next token may begin, as far as a final dot is concerned: with anything, a lower-case letter, a digit.
CONTEXTS = ("A", "a", "0")

_NEEDS_LINE = re.compile("[\\x00-\\x08\\v\\x0e-\\x1f]|DOTMULTI")


def context(token: str) -> int:
    """Return which of `CONTEXTS` a token is to the token before."""
    return 1 if "a" <= token[:1] <= "z" else 2 if "0" <= token[:1] <= "9" else 0


def edges(token: str) -> tuple[bool, bool, bool]:
    """Return whether a token begins or ends with punctuation that would take the next space, or changes whole lines.

    Where one ends and the next begins so, or a token changes whole lines, only the rules on the line are exact.
    """
    claims = _EXEMPT.replace("\\", "")
    return token[:1] in claims, token[-1:] in claims, _NEEDS_LINE.search(token) is not None


def _split(text: str) -> list[str]:
    return [word for word in _BLANKS.split(text) if word]


def _dots_marked(text: str) -> str:
    """Replace runs of dots by words that later rules do not match; METEOR mistakes these words for dots, too."""
    text = re.sub(r"\.(\.+)", r" DOTMULTI\1", text)
    while "DOTMULTI." in text:
        text = re.sub(r"DOTMULTI\.([^.])", r"DOTDOTMULTI \1", text)
        text = text.replace("DOTMULTI.", "DOTDOTMULTI")
    return text


def _dots_unmarked(text: str) -> str:
    while "DOTDOTMULTI" in text:
        text = text.replace("DOTDOTMULTI", "DOTMULTI.")
    return text.replace("DOTMULTI", ".")
