"""The scripts of captions, and the tokenizer for them."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

import polars as pl

from auditor.errors import UsageError
from auditor.model import Progress, Selection, silent
from auditor.store import kept, tokens
from auditor.store.connection import Store
from auditor.store.versions import language, resolve
from auditor.store.workspace import Workspace
from auditor.text import AUTO, tokenizer_of

_ENGLISH = "en"

_SCRIPT = "script_count"

_SPACED, _UNSPACED = "bare", "char"

#: Languages that are written without spaces between words, BCP 47.
_WITHOUT_SPACES = ("zh", "cmn", "yue", "ja", "th", "lo", "km", "my")


def chosen_tokenizer(
    store: Store, refs: Sequence[str | None], split: str | None = None, named: str = AUTO
) -> tuple[str, list[str]]:
    """Return the named tokenizer, or else the one for the script of the captions, with a note if it is `char`.

    All datasets get the same tokenizer, so that their tokens are comparable: `char` if any of them is in a language or
    a script without spaces between words. A reference that names nothing is skipped here.
    """
    if named != AUTO:
        return named, []
    spoken = store.query("select distinct language from dataset")["language"]
    if not any(map(_is_unspaced, spoken)) and not store.rows("unspaced_word").item():
        return _SPACED, []
    reasons: dict[str, str | None] = {}
    for ref in filter(None, refs):
        with suppress(UsageError):
            selection = resolve(store, ref, split)
            reasons[selection.label] = _why_unspaced(store, selection)
    unspaced_ones = [f"{label} {why}" for label, why in reasons.items() if why]
    if not unspaced_ones:
        return _SPACED, []
    others = [label for label, why in reasons.items() if not why]
    same = f"; it is also used for {', '.join(others)}, to keep tokens comparable" if others else ""
    return _UNSPACED, [f"tokenizer char splits text into characters: {'; '.join(unspaced_ones)}{same}"]


def fact_tokenizer(store: Store, selection: Selection, progress: Progress = silent) -> str:
    """Return the tokenizer that decides which captions of a version are equal, and provide its tokens.

    It is `bare`, or `char` for scripts without spaces, whatever tokenizer a command uses.
    """
    tokenizer, _ = chosen_tokenizer(store, [replace(selection, split=None).pinned_name])
    tokens.provide(store, [selection], tokenizer, tokenizer_of(tokenizer), progress)
    return tokenizer


def _is_unspaced(spoken: str) -> bool:
    return spoken.lower().partition("-")[0] in _WITHOUT_SPACES


def _why_unspaced(store: Store, selection: Selection) -> str | None:
    """Return why captions count as written without spaces between words; null if they do not."""
    captions, _, without = script_counts(store, selection)
    if 2 * without < captions or not captions:
        spoken = language(store, selection.version.dataset)
        return f"is declared as {spoken}, written without spaces between words" if _is_unspaced(spoken) else None
    return f"has {without:,} of {captions:,} captions in scripts without spaces between words"


def why_not_english(store: Store, selection: Selection) -> str | None:
    """Return why captions are not English, by their letters or the declared language; null if they are."""
    captions, latin, _ = script_counts(store, selection)
    if 2 * latin < captions:
        return "not in Latin letters"
    spoken = language(store, selection.version.dataset)
    return None if spoken.lower().partition("-")[0] == _ENGLISH else f"declared as {spoken}"


def unspaced(store: Store, selection: Selection) -> str | None:
    """Return a note on the tokenizer for captions without spaces between words; null for other captions."""
    why = _why_unspaced(store, selection)
    return (
        f"{selection.label} {why}: by default, studies use tokenizer char, which splits text into characters"
        if why
        else None
    )


def script_counts(store: Store, selection: Selection) -> tuple[int, int, int]:
    """Count captions with letters, with Latin letters and with unspaced scripts; the counts of a version are kept."""
    whole = Selection(selection.version)
    key = kept.key(whole, "", [_SCRIPT], {})
    rows = kept.get(store, {key: _SCRIPT}).get(key)
    if rows is None:
        rows = Workspace(store, dataset=whole.version.dataset, seq=whole.version.seq).rows(_SCRIPT)
        kept.put(store, whole, _SCRIPT, key, rows)
    if selection.split is not None:
        rows = rows.filter(split=selection.split)
    captions, latin, without = rows.select(pl.col("captions", "latin", "unspaced").sum()).row(0)
    return captions, latin, without
