"""Rewritings: what metrics make of tokens before they count. A token becomes words, one, several or none.

Each is a function from a column of distinct tokens to a column of lists of words.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping

import polars as pl

from auditor.text import function_words
from auditor.text.stemmers import porter as porter_1980
from auditor.text.stemmers import rouge as rouge_stemmer

Normalization = Callable[[pl.Series], pl.Series]


def rouge(tokens: pl.Series) -> pl.Series:
    """Split as ROUGE-1.5.5 does (readText): runs of a-z and 0-9 remain, every other character parts them."""
    return tokens.str.to_lowercase().str.extract_all("[a-z0-9]+")


def porter(tokens: pl.Series) -> pl.Series:
    """Stem each token, as Porter 1980 does."""
    return _each(_whole(tokens), porter_1980.stem)


def rouge_stemmed(tokens: pl.Series) -> pl.Series:
    """Split as ROUGE-1.5.5 does, and stem each word as it does (-m)."""
    return _each(rouge(tokens), rouge_stemmer.stem)


def stemmed(tokens: pl.Series) -> pl.Series:
    """Stem whole tokens as ROUGE-1.5.5 stems words."""
    return _each(_whole(tokens), rouge_stemmer.stem)


def lettered(tokens: pl.Series) -> pl.Series:
    """Leave tokens with a letter, in lower case."""
    return tokens.str.to_lowercase().str.extract_all(r"^.*\p{L}.*$")


def content(tokens: pl.Series) -> pl.Series:
    """Leave English content words, stemmed as Porter 1980 does; tokenizers differ in whether they keep apostrophes."""
    listed = function_words.not_content().words
    left_out = [*listed, *(word.replace("'", "") for word in listed)]
    words = lettered(tokens)
    return _each(words.list.eval(pl.element().filter(~pl.element().is_in(left_out))), porter_1980.stem)


def _whole(tokens: pl.Series) -> pl.Series:
    return tokens.reshape((-1, 1)).arr.to_list()


def _each(words: pl.Series, change: Callable[[str], str]) -> pl.Series:
    known = words.explode().drop_nulls().unique()
    changed = pl.Series([_changed(change, word) for word in known], dtype=pl.String)
    return words.list.eval(pl.element().replace_strict(known, changed, return_dtype=pl.String))


@functools.lru_cache(maxsize=1 << 18)
def _changed(change: Callable[[str], str], word: str) -> str:
    """Change a word; datasets have most of theirs in common, and several metrics ask for the same."""
    return change(word)


#: Every normalization by name. Kept counts go by the name: one that gives other words than before takes another.
NORMALIZATIONS: Mapping[str, Normalization] = {
    "rouge": rouge,
    "rouge-stem": rouge_stemmed,
    "rouge-stem-tokens": stemmed,
    "porter": porter,
    "lettered": lettered,
    "content": content,
}
