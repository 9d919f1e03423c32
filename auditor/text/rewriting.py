"""Rewritings: what metrics make of tokens before they count. A token becomes words, one, several or none.

Each is a function from a column of distinct tokens to a column of lists of words.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import polars as pl

Rewriting = Callable[[pl.Series], pl.Series]


def rouge(tokens: pl.Series) -> pl.Series:
    """Split as ROUGE-1.5.5 does (readText): runs of a-z and 0-9 remain, every other character parts them."""
    return tokens.str.to_lowercase().str.extract_all("[a-z0-9]+")


#: Every rewriting by name. Kept counts go by the name: one that gives other words than before takes another.
REWRITINGS: Mapping[str, Rewriting] = {"rouge": rouge}
