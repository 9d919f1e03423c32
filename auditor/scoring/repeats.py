"""Captions that repeat another of their image: they find themselves among the references, and raise the upper bound."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from auditor.model import Progress, Selection
from auditor.registry import References
from auditor.result import Finding, Said, Severity, about
from auditor.store import tokens
from auditor.store.connection import Store
from auditor.store.workspace import Workspace
from auditor.text import tokenizer_of

#: What numbers are called, of all captions and of each text once per image, where both are shown.
RAW, DISTINCT = "raw", "distinct"

#: The largest share of captions that may repeat another of their image without a word about it.
_MOST = 0.01


def repeats(
    store: Store, selections: Sequence[Selection], tokenizer: str, progress: Progress, *, left_out: bool
) -> list[Finding]:
    """Say of which selections more than 1 % of the captions repeat another of their image; any that are `left_out`.

    A caption repeats another where the tokens are the same; those are provided.
    """
    tokens.provide(store, selections, tokenizer, tokenizer_of(tokenizer), progress)
    told = []
    for one in selections:
        version = one.version
        at_work = Workspace(store, dataset=version.dataset, seq=version.seq, split=one.split, profile=tokenizer)
        at_work.bind("every_reference", "reference")
        captions, repeated, images = at_work.rows("repeated_captions").row(0)
        if not repeated or (repeated <= _MOST * captions and not left_out):
            continue
        verb = "repeats" if repeated == 1 else "repeat"
        end = (
            f"{DISTINCT} rows are without, {RAW} ones with them"
            if left_out
            else "the human bound is inflated; --distinct takes each text once"
        )
        said = f"{one.label}: {repeated:,} of {captions:,} captions {verb} another of their image: {end}"
        values = {"captions": repeated, "images": images}
        severity: Severity = "warning" if repeated > _MOST * captions else "notice"
        told.append(Finding("repeated-captions", said, about(one), values, captions, severity))
    return told


def footings(against: References, tokenizer: str, *, distinct: bool) -> dict[str, References]:
    """Give by name against what captions are scored: as they are, and where asked for with each text once per image."""
    return {RAW: against} | ({DISTINCT: replace(against, distinct=tokenizer)} if distinct else {})


def only_distinct(said: Sequence[Said], known: Collection[Said]) -> list[Said]:
    """Give what is said of texts that are once per image and not of all captions, marked as such."""
    return [
        f"{DISTINCT}: {one}" if isinstance(one, str) else replace(one, sentence=f"{DISTINCT}: {one.sentence}")
        for one in said
        if one not in known
    ]
