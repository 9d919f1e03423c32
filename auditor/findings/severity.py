"""How bad a finding is, by documented shares; and which come first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from auditor.findings import CAPTION_KINDS
from auditor.result import SEVERITIES, Finding, Severity, counted

#: What is told of slots as though they were annotators.
_OF_SLOTS = ("templated-slots", "unlike-slot")


def severity(kind: str, share: float) -> Severity:
    """Say how bad it is that a share of the captions, or images, is of a kind."""
    limits = CAPTION_KINDS[kind]
    if limits.error is not None and share >= limits.error:
        return "error"
    return "warning" if limits.warning is not None and share >= limits.warning else "notice"


def ranked(found: Iterable[Finding]) -> tuple[Finding, ...]:
    """Put the worst first; of equal severity, in the order in which they were found.

    Of a dataset whose captions are sorted, what tells its slots apart follows from that and is left out.
    """
    every = [*found]
    is_sorted = {one.about.get("dataset") for one in every if one.kind == "sorted-captions"}
    told = [one for one in every if one.kind not in _OF_SLOTS or one.about.get("dataset") not in is_sorted]
    return tuple(sorted(told, key=lambda one: SEVERITIES.index(one.severity)))


def worst(found: Iterable[Finding]) -> Severity | None:
    """Give the highest severity; null where nothing was found."""
    return min((one.severity for one in found), key=SEVERITIES.index, default=None)


def tally(found: Iterable[Finding]) -> str:
    """Say how many there are of each severity, the worst first: `2 errors, 1 info`; nothing where nothing was found."""
    number = Counter(one.severity for one in found)
    return ", ".join(
        counted(number[one], one, one if one == "info" else f"{one}s") for one in SEVERITIES if number[one]
    )
