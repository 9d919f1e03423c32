"""How bad a finding is, by documented shares; and which come first."""

from __future__ import annotations

from collections.abc import Iterable

from auditor.findings.listed import CAPTION_KINDS
from auditor.result import SEVERITIES, Finding, Severity


def severity(kind: str, share: float) -> Severity:
    """Say how bad it is that a share of the captions, or images, is of a kind."""
    limits = CAPTION_KINDS[kind]
    if limits.error is not None and share >= limits.error:
        return "error"
    return "warning" if limits.warning is not None and share >= limits.warning else "notice"


def ranked(found: Iterable[Finding]) -> tuple[Finding, ...]:
    """Put the worst first; of equal severity, in the order in which they were found."""
    return tuple(sorted(found, key=lambda one: SEVERITIES.index(one.severity)))


def worst(found: Iterable[Finding]) -> Severity | None:
    """Give the highest severity; null where nothing was found."""
    return min((one.severity for one in found), key=SEVERITIES.index, default=None)
