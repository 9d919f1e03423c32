"""Tokenizer `bare`: words only, as paper 000 prepares every dataset (Wang & Gaizauskas 2016, section 4).

Lower case, no punctuation, hyphenated words split.
"""

from __future__ import annotations

import polars as pl


def tokenize(captions: pl.Series) -> pl.Series:
    """Turn a column of captions into a column of token lists.

    NFC; lower case; apostrophe-like characters deleted (`man's` is one token, `mans`); every other character of
    Unicode's punctuation and symbol categories becomes a space; split on whitespace.
    """
    return (
        _composed(captions)
        .str.to_lowercase()
        .str.replace_all(r"['’‘´`]", "")
        .str.replace_all(r"[[\p{P}\p{S}\s]--[ ]]", " ")
        .str.split(" ")
        .list.filter(pl.element() != "")
    )


def _composed(captions: pl.Series) -> pl.Series:
    """Bring captions to NFC. ASCII is in it already, and finding that out costs a tenth."""
    foreign = (captions.str.len_bytes() != captions.str.len_chars()).arg_true()
    if not len(foreign):
        return captions
    if 2 * len(foreign) > len(captions):
        return captions.str.normalize("NFC")
    return captions.clone().scatter(foreign, captions.gather(foreign).str.normalize("NFC"))
