"""The room of a string: text profiles, which turn captions into tokens.

A profile is a function from a column of captions to a column of token lists; it never sees a dataset or a store.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import polars as pl

from auditor.errors import UsageError
from auditor.text import bare

Tokenizer = Callable[[pl.Series], pl.Series]

#: Every text profile by name.
PROFILES: Mapping[str, Tokenizer] = {"bare": bare.tokenize}


def tokenizer(profile: str) -> Tokenizer:
    """Look a profile up, or say which there are."""
    if profile not in PROFILES:
        raise UsageError(f"{profile}: no such text profile; known are {', '.join(PROFILES)}")
    return PROFILES[profile]
