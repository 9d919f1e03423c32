"""The kinds of findings: what each means, how it is measured, what to do. They are the tables of `kinds.toml`."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any

from auditor.result import SEVERITIES, Finding, Severity, counted

#: What is told of slots as though they were annotators.
_OF_SLOTS = ("templated-slots", "unlike-slot")


@dataclass(frozen=True)
class Kind:
    """One kind of finding. `commands` find it; `values` are the meanings of its numbers, by name.

    `consequence` is what follows for whoever trains or evaluates on the captions. `tested` and `error_rate` are what
    planted faults show; empty where none were planted.

    A kind that lists captions has a `phrase`, which names them in its sentence; its example and values follow from it.
    From the shares `warning` and `error` on, `of` the captions or images, a finding is one; below, it is a notice.
    `select` names the SELECT that lists them, with its `params`; `patterns` is for those of `sql/facts/signs.toml`.
    """

    title: str
    meaning: str
    measured: str
    fix: str
    example: str
    values: Mapping[str, str] = field(default_factory=dict)
    commands: tuple[str, ...] = ("findings",)
    consequence: str = ""
    tested: str = ""
    error_rate: str = ""
    phrase: str = ""
    of: str = "captions"
    warning: float | None = None
    error: float | None = None
    select: str = ""
    params: Mapping[str, float] = field(default_factory=dict)
    patterns: bool = False


def _kind(table: dict[str, Any]) -> Kind:
    """Return the kind of a table, with line breaks as blanks, and what follows from its phrase."""
    table = {key: " ".join(value.split()) if isinstance(value, str) else value for key, value in table.items()}
    if "commands" in table:
        table["commands"] = tuple(table["commands"])
    if "phrase" in table:
        of = table.get("of", Kind.of)
        table["measured"] += f" `n` is the {of}{_by_share(table)}."
        table["example"] = f"set: {table['phrase']}: 12 of 40,460 (0.03%)"
        table["values"] = {of: "how many there are", "share": "share of all"}
    return Kind(**table)


def _by_share(table: Mapping[str, Any]) -> str:
    """Return from which share on a finding is a warning or an error."""
    limits = [
        f"{'an' if name == 'error' else 'a'} {name} from {table[name]:g} of them on"
        if table[name]
        else "always a warning"
        for name in ("warning", "error")
        if name in table
    ]
    return f"; it is {', '.join(limits)}" if limits else "; it is a notice"


#: What `auditor` finds, by code. Programs select findings by the code; sentences may change.
KINDS: Mapping[str, Kind] = {
    code: _kind(table)
    for code, table in tomllib.loads(files(__name__).joinpath("kinds.toml").read_text(encoding="utf-8")).items()
}

#: The kinds that list captions or images.
CAPTION_KINDS: Mapping[str, Kind] = {code: kind for code, kind in KINDS.items() if kind.phrase}


def title(kind: str) -> str:
    """Return the heading of a finding."""
    return KINDS[kind].title


def severity(kind: str, share: float) -> Severity:
    """Return how bad it is that a share of the captions, or images, is of a kind."""
    limits = CAPTION_KINDS[kind]
    if limits.error is not None and share >= limits.error:
        return "error"
    return "warning" if limits.warning is not None and share >= limits.warning else "notice"


def ranked(found: Iterable[Finding]) -> tuple[Finding, ...]:
    """Put the worst first; of equal severity, in the order in which they were found.

    Of a dataset whose captions are sorted, what tells its slots apart follows from that and is left out.
    """
    every = [*found]
    is_sorted = {severity.about.get("dataset") for severity in every if severity.kind == "sorted-captions"}
    told = [
        severity
        for severity in every
        if severity.kind not in _OF_SLOTS or severity.about.get("dataset") not in is_sorted
    ]
    return tuple(sorted(told, key=lambda one: SEVERITIES.index(one.severity)))


def worst(found: Iterable[Finding]) -> Severity | None:
    """Return the highest severity; null where nothing was found."""
    return min((finding.severity for finding in found), key=SEVERITIES.index, default=None)


def tally(found: Iterable[Finding]) -> str:
    """Return how many findings have each severity, the worst first: `2 errors, 1 info`; empty without findings."""
    number = Counter(finding.severity for finding in found)
    return ", ".join(
        counted(number[severity], severity, severity if severity == "info" else f"{severity}s")
        for severity in SEVERITIES
        if number[severity]
    )
