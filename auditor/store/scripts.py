"""In which scripts are captions written, and which tokenizer follows from it?"""

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

#: Languages that are written without blanks between words, BCP 47.
_WITHOUT_BLANKS = ("zh", "cmn", "yue", "ja", "th", "lo", "km", "my")


def chosen_tokenizer(
    store: Store, refs: Sequence[str | None], split: str | None = None, named: str = AUTO
) -> tuple[str, list[str]]:
    """Return the named tokenizer, or else the one for the script of the captions, with a note if it is `char`.

    One tokenizer is for all: `char` where any of them is in a language, or seen in a script, without blanks between
    words, so that no two are compared by different tokens. A reference that names nothing is left to whoever asks for
    it.
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
            reasons[selection.label] = _without_blanks(store, selection)
    unspaced_ones = [f"{label} {why}" for label, why in reasons.items() if why]
    if not unspaced_ones:
        return _SPACED, []
    others = [label for label, why in reasons.items() if not why]
    alike = f"; {', '.join(others)} by the same, so that all are counted alike" if others else ""
    return _UNSPACED, [f"tokenizer char, of characters: {'; '.join(unspaced_ones)}{alike}"]


def fact_tokenizer(store: Store, selection: Selection, progress: Progress = silent) -> str:
    """Return the tokenizer that decides which captions of a version are equal, and provide its tokens.

    It is `bare`, or `char` for scripts without blanks, whatever tokenizer a command is asked for.
    """
    tokenizer, _ = chosen_tokenizer(store, [replace(selection, split=None).pinned_name])
    tokens.provide(store, [selection], tokenizer, tokenizer_of(tokenizer), progress)
    return tokenizer


def _is_unspaced(spoken: str) -> bool:
    return spoken.lower().partition("-")[0] in _WITHOUT_BLANKS


def _without_blanks(store: Store, selection: Selection) -> str | None:
    """Return why captions are taken for written without blanks between words; null where they are not."""
    captions, _, without = script_counts(store, selection)
    if 2 * without < captions or not captions:
        spoken = language(store, selection.version.dataset)
        return f"is declared as {spoken}, written without blanks between words" if _is_unspaced(spoken) else None
    return f"has {without:,} of {captions:,} captions in scripts without blanks between words"


def why_not_english(store: Store, selection: Selection) -> str | None:
    """Return why captions are not taken for English, by their letters or the declared language; null where they are."""
    captions, latin, _ = script_counts(store, selection)
    if 2 * latin < captions:
        return "not in Latin letters"
    spoken = language(store, selection.version.dataset)
    return None if spoken.lower().partition("-")[0] == _ENGLISH else f"declared as {spoken}"


def unspaced(store: Store, selection: Selection) -> str | None:
    """Return which tokenizer captions have whose scripts put no blanks between words; null where most do."""
    why = _without_blanks(store, selection)
    return (
        f"{selection.label} {why}: studies count by tokenizer char, of characters, where --tokenizer names no other"
        if why
        else None
    )


def script_counts(store: Store, selection: Selection) -> tuple[int, int, int]:
    """Count captions that have letters, those in Latin and those in unspaced scripts; once for a version, and kept."""
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
