"""Captions that others must not contain, such as those of a test set: whole, or 13 or 8 successive words of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import polars as pl

from auditor.model import Selection
from auditor.store import versions
from auditor.store.connection import Store
from auditor.text import tokenizer_of

CONTAMINATED = "contaminated-captions"


def protected_captions(store: Store, selection: Selection, tokenizer: str) -> pl.DataFrame:
    """Return the captions of a selection. Columns: place, text, words."""
    texts = versions.content(store, selection).sort("image", "slot")
    place = pl.format("{}#{} of {}", "image", "slot", pl.lit(selection.label))
    return texts.select(place.alias("place"), "text", words=tokenizer_of(tokenizer)(texts["text"]))


def asked(kinds: Iterable[str], words: Sequence[str], against: Selection | None) -> list[str]:
    """Leave out the kinds that need a list of words or another dataset, unless that is given."""
    lacking = {"listed-words": not words, CONTAMINATED: against is None}
    return [kind for kind in kinds if not lacking.get(kind)]
