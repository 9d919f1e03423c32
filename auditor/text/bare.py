"""Tokenizer `bare`: words only, as paper 000 prepares every dataset (Wang & Gaizauskas 2016, section 4).

Lower case, no punctuation, hyphenated words split.
"""

from __future__ import annotations

import polars as pl


def tokenize(captions: pl.Series) -> pl.Series:
    """Turn a column of captions into a column of token lists.

    NFC; lower case; apostrophe-like characters deleted (`man's` is one token, `mans`); every other character of
    Unicode's punctuation and symbol categories becomes a blank; split on white space.
    """
    return (
        captions.str.normalize("NFC")
        .str.to_lowercase()
        .str.replace_all(r"['’‘´`]", "")
        .str.replace_all(r"[\p{P}\p{S}]", " ")
        .str.extract_all(r"\S+")
    )
