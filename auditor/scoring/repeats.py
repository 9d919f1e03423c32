"""Captions that repeat another of their image: they match their own copy, so human scores are too high."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from auditor.model import Progress
from auditor.result import Finding, Said, Severity, about
from auditor.scoring.registry import References
from auditor.store.captions import Captions, in_tokens_of_facts

#: Names of rows that count all captions, and of rows that count each text once per image.
RAW, DISTINCT = "raw", "distinct"

#: The largest share of captions that may repeat another of their image without a finding.
_MOST = 0.01


def repeats(audited: Sequence[Captions], progress: Progress, *, left_out: bool) -> list[Finding]:
    """Report selections with more than 1% of captions that repeat another of their image; all if `left_out`.

    Scores leave out captions that are equal under the tokenizer of `audited`. The finding gives their number if it
    differs.
    """
    findings = []
    for captions in audited:
        selection, tokenizer = captions.selection, captions.tokenizer
        own = in_tokens_of_facts(captions.store, selection, progress)
        counted = own.workspace(key=own.tokenizer).rows("repeat_count")
        number, repeated, images = counted.select("captions", "repeats", "images_with_repeats").row(0)
        equal = 0
        if left_out:
            equal = number - int(captions.like(replace(selection, distinct=tokenizer)).images()["captions"].sum())
        if not (repeated or equal) or (repeated <= _MOST * number and not left_out):
            continue
        omitted = "them out" if equal == repeated else f"out the {equal:,} that are equal under tokenizer {tokenizer}"
        verb = "repeats" if repeated == 1 else "repeat"
        end = (
            f". {DISTINCT.capitalize()} rows leave {omitted}, {RAW} rows include them"
            if left_out
            else ", so the human bound is inflated. Use --distinct to count each text once"
        )
        sentence = f"{selection.label}: {repeated:,} of {number:,} captions {verb} another of their image{end}"
        values = {"captions": repeated, "images": images}
        values |= {"equal_under_tokenizer": equal} if left_out else {}
        severity: Severity = "warning" if repeated > _MOST * number else "notice"
        findings.append(Finding("repeated-captions", sentence, about(selection), values, number, severity))
    return findings


def variants(against: References, tokenizer: str, *, distinct: bool) -> dict[str, References]:
    """Return the references by name: all captions, and on request each text once per image."""
    return {RAW: against} | ({DISTINCT: replace(against, distinct=tokenizer)} if distinct else {})


def only_distinct(notes: Sequence[Said], known: Collection[Said]) -> list[Said]:
    """Return the notes that hold only if each text counts once per image, marked as such."""
    return [
        f"{DISTINCT}: {note}" if isinstance(note, str) else replace(note, sentence=f"{DISTINCT}: {note.sentence}")
        for note in notes
        if note not in known
    ]
