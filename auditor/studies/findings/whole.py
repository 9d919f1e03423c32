"""Findings on a dataset as a whole: rejected records, metrics that do not support its language, lost vocabulary."""

from __future__ import annotations

from collections.abc import Collection

from auditor.model import Progress, Selection, location
from auditor.result import Finding, Severity, about, listed
from auditor.scoring.registry import requests
from auditor.scoring.scores import unreadable
from auditor.store.captions import Captions
from auditor.store.versions import log

_REJECTED, _UNREADABLE, _COLLAPSE = "rejected-records", "metrics-not-for-language", "vocabulary-collapse"

#: The shares of the records from which the finding is an error or a warning, and what a sentence lists.
_ERROR, _WARNING, _LISTED = 0.05, 0.001, 5

_RECORDS = (
    "select source, unit, line, reason, raw from rejected where dataset = $dataset and seq = $seq order by source, line"
)

#: The vocabulary collapsed if a version has at least this share of the captions of the version before, but fewer than
#: this share of its different words. Below the last share, it is an error.
_CAPTIONS, _WORDS, _HALF = 0.9, 0.8, 0.5


def of_whole(captions: Captions, wanted: Collection[str], progress: Progress) -> list[Finding]:
    """Return the findings on a dataset as a whole, of the requested kinds."""
    unsupported = _unreadable(captions) if _UNREADABLE in wanted else []
    rejected = _rejected(captions) if _REJECTED in wanted else []
    return [*rejected, *unsupported, *(_collapsed(captions, progress) if _COLLAPSE in wanted else ())]


def _rejected(captions: Captions) -> list[Finding]:
    """Return the finding on the records that could not be imported: how many, why, and at which lines."""
    selection, name = captions.selection, captions.selection.version.dataset
    rows = captions.store.query(_RECORDS, {"dataset": name, "seq": selection.version.seq})
    if rows.is_empty():
        return []
    n = selection.version.captions + rows.height
    share = rows.height / n
    severity: Severity = "error" if share >= _ERROR else "warning" if share >= _WARNING else "notice"
    reasons = rows["reason"].str.replace(r"^\S+ occurs before$|^duplicate key .*", "repeats a key")
    why = ", ".join(f"{reason} {number:,}" for reason, number in reasons.value_counts(sort=True).rows())
    first = [(location(*where), reason, raw or "") for *where, reason, raw in rows.head(_LISTED + 1).iter_rows()]
    sentence = (
        f"{name}: {rows.height:,} of {n:,} records ({share:.1%}) were rejected: {why}. The first: "
        f"{listed([place for place, *_ in first], _LISTED)}"
    )
    absent = dict.fromkeys(("slot", "other_image", "other_slot", "other_text"))
    examples = tuple({"image": place, "text": raw, "why": reason, **absent} for place, reason, raw in first[:3])
    values, headline = {"records": rows.height, "share": share}, f"{rows.height:,} of {n:,} records"
    return [Finding(_REJECTED, sentence, about(selection), values, n, severity, examples, headline)]


def _unreadable(captions: Captions) -> list[Finding]:
    selection, every = captions.selection, requests(None)
    reasons = unreadable(captions, every)
    if not reasons:
        return []
    first, why = next(iter(reasons.items()))
    sentence = (
        f"{selection.label}: these metrics don't support the language of this dataset: {listed([*reasons], _LISTED)}"
        f" ({first}: {why})"
    )
    values, headline = {"metrics": len(reasons)}, f"{len(reasons)} of {len(every)} metrics"
    return [Finding(_UNREADABLE, sentence, about(selection), values, len(every), "notice", headline=headline)]


def _collapsed(captions: Captions, progress: Progress) -> list[Finding]:
    """Compare the number of different words with the version before, if that has about as many captions."""
    selection, version = captions.selection, captions.selection.version
    before = [logged for logged in log(captions.store, version.dataset) if logged.seq < version.seq]
    if not before or selection.split is not None or selection.draw is not None:
        return []
    earlier = captions.like(Selection(max(before, key=lambda logged: logged.seq)))
    had, has = (_counted(compared) for compared in (earlier.tokenize(progress), captions))
    if has["captions"] < _CAPTIONS * had["captions"] or has["types"] >= _WORDS * had["types"]:
        return []
    kept = has["types"] / had["types"]
    severity: Severity = "error" if kept < _HALF else "warning"
    sentence = (
        f"{selection.label}: {has['types']:,.0f} different words, down from {had['types']:,.0f} in {earlier.label}, in "
        f"{has['captions']:,.0f} captions ({had['captions']:,.0f} before)"
    )
    values = {"words": int(has["types"]), "words_before": int(had["types"]), "share_kept": kept}
    headline = f"{kept:.0%} of the different words kept"
    return [Finding(_COLLAPSE, sentence, about(selection), values, int(has["captions"]), severity, headline=headline)]


def _counted(captions: Captions) -> dict[str, float]:
    return captions.facts().rows("profile").row(0, named=True)
