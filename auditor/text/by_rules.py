"""Tokenizers by a few rules: `bare`, `char`, `13a` and `whitespace`."""

from __future__ import annotations

import polars as pl

#: Scripts written without spaces between words.
UNSPACED = ("Han", "Hiragana", "Katakana", "Bopomofo", "Thai", "Lao", "Khmer", "Myanmar")

#: Accents that stand alone: Latin letters have them as well as the tones of Bopomofo.
_MODIFIERS = r"\x{2B0}-\x{2FF}"

_LETTERS = "[" + "".join(rf"\p{{scx={script}}}" for script in UNSPACED) + rf"--{_MODIFIERS}]"

_JOINED = r"[\p{gcb=Extend}\p{gcb=SM}\p{gcb=ZWJ}]"

_NUMBER = r"\p{Nd}"

#: What the script replaces, in its order.
_SPELLED = {"<skipped>": "", "-\n": "", "\n": " ", "&quot;": '"', "&amp;": "&", "&lt;": "<", "&gt;": ">"}

#: Signs stand alone; so do full stops and commas but between digits, and dashes behind a digit.
_RULES = (
    (r"([\{-~\[-` -&\(-\+:-@/])", " $1 "),
    (r"([^0-9])([.,])", "$1 $2 "),
    (r"([.,])([^0-9])", " $1 $2"),
    (r"([0-9])(-)", "$1 $2 "),
)


def bare(captions: pl.Series) -> pl.Series:
    """Split into words only, as Wang & Gaizauskas 2016 prepare every dataset (section 4).

    NFC; lower case; apostrophe-like characters deleted (`man's` is one token, `mans`); every other character of
    Unicode's punctuation and symbol categories becomes a space, which splits hyphenated words; split on whitespace.
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


def char(captions: pl.Series) -> pl.Series:
    """Turn captions into one token for each character that a reader sees, in scripts without spaces between words.

    Chinese, Japanese, Thai, Lao, Khmer, Burmese. Words of other scripts and numbers stay whole, so that captions in
    these scripts alone have the tokens of `bare`. A character is a grapheme cluster (UAX 29): a letter with its marks.

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


def mteval(captions: pl.Series) -> pl.Series:
    """Split as sacrebleu does by default, and WMT's script mteval-v13a.pl (Post 2018). Case is kept."""
    spelled = captions.str.strip_chars_end()
    for sign, instead in _SPELLED.items():
        spelled = spelled.str.replace_all(sign, instead, literal=True)
    spelled = " " + spelled + " "
    for pattern, instead in _RULES:
        spelled = spelled.str.replace_all(pattern, instead)
    return spelled.str.extract_all(r"[^\s\x1c-\x1f]+").alias(captions.name)


def whitespace(captions: pl.Series) -> pl.Series:
    """Split at white space as in Unicode and nothing else, for captions that are tokenized already."""
    return captions.str.extract_all(r"\S+")
