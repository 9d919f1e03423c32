"""Tokenizer `whitespace`: split on white space and nothing else, for captions that are tokenized already."""

from __future__ import annotations

import polars as pl


def tokenize(captions: pl.Series) -> pl.Series:
    """Turn a column of captions into a column of token lists: runs of characters that are not whitespace in Unicode."""
    return captions.str.extract_all(r"\S+")
