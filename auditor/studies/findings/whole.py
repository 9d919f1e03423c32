"""Findings on a dataset as a whole: metrics that cannot read it, and words that it lost since the version before."""

from __future__ import annotations

from collections.abc import Collection

from auditor.model import Progress, Selection
from auditor.result import Finding, Severity, about, listed
from auditor.scoring.registry import requests
from auditor.scoring.scores import unreadable
from auditor.store import ngrams, tokens
from auditor.store.connection import Store
from auditor.store.scripts import fact_tokenizer
from auditor.store.versions import log
from auditor.text import tokenizer_of

_UNREADABLE, _COLLAPSE = "metrics-not-for-language", "vocabulary-collapse"

#: A version has lost its words that has so many of the captions of the one before, and so few of its different words.
_CAPTIONS, _WORDS, _HALF = 0.9, 0.8, 0.5

_SHOWN = 5


def of_whole(
    store: Store, selection: Selection, tokenizer: str, wanted: Collection[str], progress: Progress
) -> list[Finding]:
    """Give what is to be said of a dataset before any caption is looked at, of the kinds that are wanted."""
    found = _unreadable(store, selection) if _UNREADABLE in wanted else []
    return [*found, *(_collapsed(store, selection, tokenizer, progress) if _COLLAPSE in wanted else ())]


def _unreadable(store: Store, selection: Selection) -> list[Finding]:
    every = requests(None)
    reasons = unreadable(store, selection, every)
    if not reasons:
        return []
    first, why = next(iter(reasons.items()))
    said = f"{selection.label}: metrics that cannot read these captions: {listed([*reasons], _SHOWN)} ({first}: {why})"
    values, headline = {"metrics": len(reasons)}, f"{len(reasons)} of {len(every)} metrics"
    return [Finding(_UNREADABLE, said, about(selection), values, len(every), "notice", headline=headline)]


def _collapsed(store: Store, selection: Selection, tokenizer: str, progress: Progress) -> list[Finding]:
    """Compare the different words of a version with those of the one before, where it has hardly fewer captions."""
    version = selection.version
    before = [one for one in log(store, version.dataset) if one.seq < version.seq]
    if not before or selection.split is not None or selection.draw is not None:
        return []
    earlier = Selection(max(before, key=lambda one: one.seq))
    tokens.provide(store, [earlier], tokenizer, tokenizer_of(tokenizer), progress)
    had, has = (_counted(store, one, tokenizer) for one in (earlier, selection))
    if has["captions"] < _CAPTIONS * had["captions"] or has["types"] >= _WORDS * had["types"]:
        return []
    kept = has["types"] / had["types"]
    severity: Severity = "error" if kept < _HALF else "warning"
    said = (
        f"{selection.label}: {has['types']:,.0f} different words, where {earlier.label} had {had['types']:,.0f}, in "
        f"{has['captions']:,.0f} captions ({had['captions']:,.0f})"
    )
    values = {"words": int(has["types"]), "words_before": int(had["types"]), "share_kept": kept}
    headline = f"{kept:.0%} of the different words"
    return [Finding(_COLLAPSE, said, about(selection), values, int(has["captions"]), severity, headline=headline)]


def _counted(store: Store, selection: Selection, tokenizer: str) -> dict[str, float]:
    at_work = ngrams.workspace(store, selection, tokenizer, key=fact_tokenizer(store, selection))
    return dict(at_work.rows("profile").select("statistic", "value").iter_rows())
