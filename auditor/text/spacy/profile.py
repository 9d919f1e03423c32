"""Tokenizer `spacy`: spaCy's English tokeniser, lower case (van Miltenburg, Elliott & Vossen 2018, section 3).

Punctuation stays, and so do the two halves of `don't`. The tokeniser is rules alone, the same in every English
pipeline: no model is needed.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any

import polars as pl

from auditor.errors import MissingExtraError


def tokenize(captions: pl.Series) -> pl.Series:
    """Turn a column of captions into a column of token lists; blanks between words are no tokens.

    Raises `MissingExtraError` where spaCy is not installed.
    """
    split = _tokenizer()
    rows = [[token.lower_ for token in split(caption) if not token.is_space] for caption in captions]
    return pl.Series(captions.name, rows, dtype=pl.List(pl.String))


@functools.cache
def _tokenizer() -> Callable[[str], Iterable[Any]]:
    try:
        import spacy  # noqa: PLC0415
    except ImportError as error:
        raise MissingExtraError(
            "tokenizer spacy needs spaCy, which is not installed: pip install 'auditor[spacy]'"
        ) from error
    # A type of its own: where the extra is not installed, mypy sees nothing of spaCy.
    tokenizer: Callable[[str], Iterable[Any]] = spacy.blank("en").tokenizer
    return tokenizer
