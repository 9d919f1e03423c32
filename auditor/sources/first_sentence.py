"""The first sentence of a caption, for datasets whose captions say several things one after the other.

A sentence ends at `.`, `!` or `?` before a blank. A full stop ends none behind a title (`Mr.`, `St.`), behind an
initial (`J. Smith`), between and behind letters that are spelled with stops (`E.S.E.`, `e.g.`), behind `No.` before a
number, and behind the abbreviations below; those that also end sentences (streets, `etc.`, spelled letters) do so
before a word that begins one. English only; splitters in packages are large, or have seen no release for years.
"""

from __future__ import annotations

import polars as pl

#: Abbreviations that are followed by what they belong to.
_BEFORE = "Mr|Mrs|Ms|Dr|Prof|Mt|Ft|Sgt|Capt|Lt|Col|Gen|Gov|Sen|Rep|Rev|Hon|vs|approx|ca|cf|fig"

#: Abbreviations with which a sentence may end as well.
_ANYWHERE = "St|Ave|Blvd|Rd|Hwy|Sq|Jr|Sr|Inc|Ltd|Corp|Co|Bros|Dept|etc|al|oz|lbs?|hrs?|mins?"

#: Words that begin a sentence, where what precedes leaves it open.
_OPENING = (
    "The|A|An|There|It|He|She|They|We|I|In|On|At|One|Two|Three|Some|Several|Many|This|That|These|His|Her|Its|Their"
    "|Behind|Another|Both|People"
)

_STOP, _END = "\ufdd0", "\ufdd1"  # of no alphabet, and in no text that is exchanged

_SENTENCE = rf"^\s*(?s:(.+?(?:[.!?]|{_END})))(?:\s|$)"


def first_sentence(texts: pl.Expr) -> pl.Expr:
    """Keep the first sentence of each text, without blanks around it; a text without an end of one stays as it is."""
    spelled = rf"\b(?:\p{{L}}\.){{2,}}|\b(?i:{_ANYWHERE})\."
    marked = (
        texts.str.replace_all(rf"({spelled})(\s+(?:{_OPENING})\b)", f"${{1}}{_END}${{2}}")
        .str.replace_all(rf"\b((?i:{_BEFORE}|{_ANYWHERE}))\.", f"${{1}}{_STOP}")
        .str.replace_all(r"\b(\p{Lu})\.", f"${{1}}{_STOP}")
        .str.replace_all(r"\b(\p{L})\.(\p{L})\.", f"${{1}}{_STOP}${{2}}{_STOP}")
        .str.replace_all(r"\b(?i:(No))\.(\s*\d)", f"${{1}}{_STOP}${{2}}")
    )
    first = marked.str.extract(_SENTENCE, 1).str.replace_all(_STOP, ".").str.replace_all(_END, "")
    return pl.coalesce(first, texts)
