"""Tokenizer `char`: one token for each character that a reader sees, in scripts without spaces between words.

Chinese, Japanese, Thai, Lao, Khmer, Burmese. Words of other scripts and numbers stay whole, so that captions in these
scripts alone have the tokens of `bare`. A character is a grapheme cluster (UAX 29): a letter with its marks.
"""

from __future__ import annotations

import polars as pl

#: Scripts written without spaces between words.
UNSPACED = ("Han", "Hiragana", "Katakana", "Bopomofo", "Thai", "Lao", "Khmer", "Myanmar")

#: Accents that stand alone: Latin letters have them as well as the tones of Bopomofo.
_MODIFIERS = r"\x{2B0}-\x{2FF}"

_LETTERS = "[" + "".join(rf"\p{{scx={script}}}" for script in UNSPACED) + rf"--{_MODIFIERS}]"

_JOINED = r"[\p{gcb=Extend}\p{gcb=SM}\p{gcb=ZWJ}]"

_NUMBER = r"\p{Nd}"


def tokenize(captions: pl.Series) -> pl.Series:
    """Turn a column of captions into a column of token lists.

    As `bare` (NFC; lower case; apostrophes deleted; punctuation and symbols become spaces, emoji with all that is
    joined to them); then, instead of a split on whitespace alone, a token for each grapheme cluster of these scripts.
    """
    return (
        captions.str.normalize("NFC")
        .str.to_lowercase()
        .str.replace_all(r"['’‘´`]", "")
        .str.replace_all(rf"[\p{{P}}\p{{S}}]{_JOINED}*", " ")
        .str.extract_all(rf"[{_LETTERS}&&[^\s{_NUMBER}]]{_JOINED}*|[\S&&[^{_LETTERS}]{_NUMBER}]+")
    )
