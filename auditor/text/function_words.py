"""Function words: the closed classes of a language, articles, pronouns, prepositions, conjunctions and auxiliaries."""

from __future__ import annotations

import functools
import hashlib
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

import polars as pl

from auditor.errors import UsageError
from auditor.files import printable, read_text
from auditor.text import Tokenizer

#: The language of the list that comes with the package.
LANGUAGE = "en"

#: Cardinal numbers, which taggers do not count as content words.
_NUMERALS = (
    "zero two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"
    " eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million"
)


@dataclass(frozen=True)
class FunctionWords:
    """A list of words; `label` is what signatures call it: where it comes from, and the hash of its words."""

    label: str
    words: tuple[str, ...]

    def tokens(self, tokenizer: Tokenizer) -> pl.DataFrame:
        """Return the words as tokens of a tokenizer, column `word`; words that it splits are left out."""
        spelled = tokenizer(pl.Series("word", self.words, dtype=pl.String))
        whole = spelled.filter(spelled.list.len() == 1).list.first()
        return whole.str.to_lowercase().unique().sort().to_frame()


def english() -> FunctionWords:
    """Read the list of the package."""
    return _listed(LANGUAGE, (files("auditor.text") / "function_words_en.txt").read_text(encoding="utf-8"))


@functools.cache
def not_content() -> FunctionWords:
    """Return the words of English that are not content words: its function words, and numerals."""
    listed = english()
    return FunctionWords(f"{listed.label}+numerals", (*listed.words, *_NUMERALS.split()))


def of_file(path: Path) -> FunctionWords:
    """Read a user's list: one word per line; empty lines and lines that begin with # are skipped.

    Raises `UsageError` for a file that cannot be read as text, and for one without words.
    """
    try:
        text = read_text(path, "utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or "not UTF-8 text"
        raise UsageError(f"{path}: function words cannot be read: {why}") from error
    listed = _listed(printable(path.name), text)
    if not listed.words:
        raise UsageError(f"{path}: no function words; expected one word per line")
    return listed


def _listed(name: str, text: str) -> FunctionWords:
    lines = (line.strip().lower() for line in text.splitlines())
    words = tuple(sorted({line for line in lines if line and not line.startswith("#")}))
    return FunctionWords(f"{name}@{hashlib.sha256(chr(10).join(words).encode()).hexdigest()[:12]}", words)
