"""The room of a string: tokenizers, which turn captions into tokens.

A tokenizer is a function from a column of captions to a column of token lists; it never sees a dataset or a store. A
list may be empty, and no token holds white space.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

import polars as pl

from auditor.errors import UsageError
from auditor.text import by_rules, ptb
from auditor.text.spacy import pipelines

Tokenizer = Callable[[pl.Series], pl.Series]

#: Every tokenizer by name.
PROFILES: Mapping[str, Tokenizer] = MappingProxyType(
    {
        "13a": by_rules.mteval,
        "bare": by_rules.bare,
        "char": by_rules.char,
        "ptb": ptb.tokenize,
        "spacy": pipelines.tokenize,
        "whitespace": by_rules.whitespace,
    }
)

#: None named: `store.captions` chooses one by the script of the captions.
AUTO = "auto"

#: The tokenizers that an ingest runs; tokens of the others are made when a command first asks for them.
AT_INGEST: Mapping[str, Tokenizer] = MappingProxyType({"bare": by_rules.bare})

#: Tokenizers that are another program's, which may split otherwise in another version, by the name of the program.
BY_OTHERS: Mapping[str, str] = MappingProxyType({"spacy": "spaCy"})


def tokenizer_of(name: str) -> Tokenizer:
    """Look a tokenizer up, or say which there are."""
    if name not in PROFILES:
        raise UsageError(f"{name}: no such tokenizer; known are {', '.join(PROFILES)}")
    return PROFILES[name]
