"""Captions that repeat another of their image: they find themselves among the references, and raise the upper bound."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from auditor.model import Progress
from auditor.result import Finding, Said, Severity, about
from auditor.scoring.registry import References
from auditor.store import ngrams
from auditor.store.captions import Captions
from auditor.store.scripts import fact_tokenizer

#: What numbers are called, of all captions and of each text once per image, where both are shown.
RAW, DISTINCT = "raw", "distinct"

#: The largest share of captions that may repeat another of their image without a word about it.
_MOST = 0.01


def repeats(asked: Sequence[Captions], progress: Progress, *, left_out: bool) -> list[Finding]:
    """List which captions have more than 1 % that repeat another of their image; any that are `left_out`.

    Scores leave out what is equal under the tokenizer of `asked`; the finding names that number where it differs.
    """
    told = []
    for captions in asked:
        store, one, tokenizer = captions.store, captions.selection, captions.tokenizer
        key = fact_tokenizer(store, one, progress)
        counted = ngrams.workspace(store, one, key, key=key).rows("repeat_count")
        number, repeated, images = counted.select("captions", "repeats", "images_with_repeats").row(0)
        equal = 0
        if left_out:
            equal = number - int(captions.like(replace(one, distinct=tokenizer)).images()["captions"].sum())
        if not (repeated or equal) or (repeated <= _MOST * number and not left_out):
            continue
        without = "" if equal == repeated else f" the {equal:,} that are equal under tokenizer {tokenizer}"
        verb = "repeats" if repeated == 1 else "repeat"
        end = (
            f"{DISTINCT} rows are without{without}, {RAW} ones with them"
            if left_out
            else "the human bound is inflated; --distinct takes each text once"
        )
        said = f"{one.label}: {repeated:,} of {number:,} captions {verb} another of their image: {end}"
        values = {"captions": repeated, "images": images}
        values |= {"equal_under_tokenizer": equal} if left_out else {}
        severity: Severity = "warning" if repeated > _MOST * number else "notice"
        told.append(Finding("repeated-captions", said, about(one), values, number, severity))
    return told


def variants(against: References, tokenizer: str, *, distinct: bool) -> dict[str, References]:
    """Return, by name, the references: captions as they are, and on request each text once per image."""
    return {RAW: against} | ({DISTINCT: replace(against, distinct=tokenizer)} if distinct else {})


def only_distinct(said: Sequence[Said], known: Collection[Said]) -> list[Said]:
    """Return what is said of texts that are once per image and not of all captions, marked as such."""
    return [
        f"{DISTINCT}: {one}" if isinstance(one, str) else replace(one, sentence=f"{DISTINCT}: {one.sentence}")
        for one in said
        if one not in known
    ]
