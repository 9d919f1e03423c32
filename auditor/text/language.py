"""The language of captions, by words: English by its most frequent ones, others by py3langid (Lui & Baldwin 2012)."""

from __future__ import annotations

import functools
from collections import Counter
from dataclasses import dataclass
from typing import Any

import polars as pl

#: Words of English that no other language often has. Half of English captions have one, of other languages almost none.
_WORDS_OF_ENGLISH = ("the", "and", "with")

_ENGLISH = rf"(?i)\b({'|'.join(_WORDS_OF_ENGLISH)})\b"

_ENOUGH = 2

_IS_ENGLISH = 1 / 3

#: Captions of fewer words, and fewer captions, do not identify a language.
_WORDS, _CAPTIONS = 3, 20

_MOST = 0.5

#: Languages that English captions are often mistaken for, and `zxx`: not a language.
LIKE_ENGLISH = ("pcm", "sco", "zxx", "la")


@dataclass(frozen=True)
class Known:
    """A language as an ISO 639 code, null if it is unclear; `why` names the captions that decided, or their number."""

    language: str | None
    why: str


def of_captions(texts: pl.Series) -> Known:
    """Return the language of most captions of a sample."""
    words = texts.str.count_matches(r"\p{L}+")
    sample = texts.filter(words >= _WORDS)
    if len(sample) < _CAPTIONS:
        return Known(None, f"{len(sample)} captions of {_WORDS} words or more are too few to detect it")
    english = int(sample.str.contains(_ENGLISH).sum())
    if english >= _IS_ENGLISH * len(sample):
        return Known("en", f"{len(sample):,} captions, {english:,} of them with “the”, “and” or “with”")
    counts = Counter(language for language, _ in classified(sample))
    (language, most), *_ = counts.most_common(1)
    if language in LIKE_ENGLISH:
        language, most = "en", sum(counts[code] for code in ("en", *LIKE_ENGLISH))
    if most < _MOST * len(sample):
        return Known(None, f"no language has half of {len(sample):,} captions")
    return Known(language, f"{most:,} of {len(sample):,} captions")


def classified(texts: pl.Series) -> list[tuple[str, float]]:
    """Return the most likely language of each text, and its probability.

    Two different frequent words of English are enough for English. A long text is expensive to classify.
    """
    lower = texts.str.to_lowercase()
    has = pl.DataFrame({word: lower.str.contains(rf"\b{word}\b") for word in _WORDS_OF_ENGLISH})
    known = has.sum_horizontal() >= _ENOUGH
    return [("en", 1.0) if sure else _by_bytes(text) for text, sure in zip(texts, known, strict=True)]


def _by_bytes(text: str) -> tuple[str, float]:
    language, probability = _identifier().classify(text)
    return language, float(probability)


@functools.cache
def _identifier() -> Any:
    from py3langid import langid  # noqa: PLC0415  # unpacking its model takes a second, and few datasets need it

    return langid.LanguageIdentifier.from_model_file(langid.MODEL_FILE, norm_probs=True)
