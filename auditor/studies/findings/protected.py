"""Captions that others must not contain, such as those of a test set: whole, or 13 or 8 successive words of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import polars as pl

from auditor.called import call
from auditor.model import Selection
from auditor.result import percent
from auditor.store import versions
from auditor.store.connection import Store
from auditor.text import tokenizer_of

CONTAMINATED = "contaminated-captions"

#: The share of its captions that a dataset shares with another version of it, at least.
_MOST = 0.5


def versions_of_one(store: Store, own: Selection, other: Selection) -> list[str]:
    """Return a sentence if the other dataset has most captions of this one, at the same images; else none."""
    mine, theirs = (versions.content(store, selection).select("image", "text") for selection in (own, other))
    share = mine.join(theirs.unique(), on=["image", "text"]).height / max(mine.height, 1)
    if share < _MOST:
        return []
    command = call("diff", own.label, other.label)
    return [
        f"{other.label} has {percent(share)} of the captions of {own.label}, at the same images. They seem to be "
        f"versions of one dataset: `{command}` shows what changed."
    ]


def protected_captions(store: Store, selection: Selection, tokenizer: str) -> pl.DataFrame:
    """Return the captions of a selection. Columns: place, text, words."""
    texts = versions.content(store, selection).sort("image", "slot")
    place = pl.format("{}#{} of {}", "image", "slot", pl.lit(selection.label))
    return texts.select(place.alias("place"), "text", words=tokenizer_of(tokenizer)(texts["text"]))


def asked(kinds: Iterable[str], words: Sequence[str], against: Selection | None) -> list[str]:
    """Leave out the kinds that need a list of words or another dataset, unless that is given."""
    lacking = {"listed-words": not words, CONTAMINATED: against is None}
    return [kind for kind in kinds if not lacking.get(kind)]
