"""Tokenizer `13a`: sacrebleu's default, which is that of WMT's script mteval-v13a.pl (Post 2018). Case is kept."""

from __future__ import annotations

import polars as pl

#: What the script replaces, in its order.
_SPELLED = {"<skipped>": "", "-\n": "", "\n": " ", "&quot;": '"', "&amp;": "&", "&lt;": "<", "&gt;": ">"}

#: Signs stand alone; so do full stops and commas but between digits, and dashes behind a digit.
_RULES = (
    (r"([\{-~\[-` -&\(-\+:-@/])", " $1 "),
    (r"([^0-9])([.,])", "$1 $2 "),
    (r"([.,])([^0-9])", " $1 $2"),
    (r"([0-9])(-)", "$1 $2 "),
)


def tokenize(captions: pl.Series) -> pl.Series:
    """Turn a column of captions into a column of token lists."""
    spelled = captions.str.strip_chars_end()
    for sign, instead in _SPELLED.items():
        spelled = spelled.str.replace_all(sign, instead, literal=True)
    spelled = " " + spelled + " "
    for pattern, instead in _RULES:
        spelled = spelled.str.replace_all(pattern, instead)
    return spelled.str.extract_all(r"[^\s\x1c-\x1f]+").alias(captions.name)
