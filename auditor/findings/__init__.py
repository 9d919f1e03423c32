"""The kinds of findings: what each means, how it is measured, how to fix it. They are the tables of `kinds.toml`."""

from __future__ import annotations

import functools
import math
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any

from auditor.errors import UsageError
from auditor.model import Check
from auditor.result import SEVERITIES, Finding, Severity, counted

#: Quantile of the normal distribution for a 95% interval.
_QUANTILE = 1.959964

#: What captions should be: each kind about captions is a way in which they are not.
DIMENSIONS = ("readable", "complete", "about the image", "distinct", "apart from the test set", "like human captions")

#: Kinds that treat slots as annotators.
_OF_SLOTS = ("templated-slots", "unlike-slot")


#: The shares of an entry from which a finding has a severity.
_LIMITS = ("warning", "error")

#: A kind that is a warning from this share on, or a higher one, is common in sound captions.
_COMMON = 0.05

#: The word for errors and warnings, where captions are left out; with the severities.
FINDINGS = "findings"
_LEVELS = (*SEVERITIES, FINDINGS)


@dataclass(frozen=True)
class Kind:
    """One kind of finding. `commands` report it; `values` are the meanings of its numbers, by name.

    `consequence` is the effect on training or evaluation. `tested` and `error_rate` are the results of tests with
    planted faults; empty without such a test.

    A kind that lists captions has a `phrase` for its sentence; its example and values follow from the phrase.
    `warning` and `error` are the shares from which a finding has that severity; below, it is a notice. `right` is the
    share of the listed captions that are listed rightly, if some are not. `of` is the unit of the shares: captions or
    images. `select` names the SELECT that lists the captions, with its `params`; `further` are others that a function
    asks first. `patterns` is true if the patterns of `sql/facts/signs.toml` find them. `usable` is true if its captions
    describe the image: they are left out only if the kind is named. `explains` are the kinds that follow from it in the
    same dataset, `parts` those that it replaces on screen. `named_only` is true for a kind that is searched only if it
    is named. `of_dataset` is true for a fact about the dataset as a whole: its captions are rows only if the kind is
    named. `dimension` is the one of `DIMENSIONS` that it belongs to. `check` is what a user wrote, if a user did.
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
    right: float = 1.0
    select: str = ""
    further: tuple[str, ...] = ()
    params: Mapping[str, float] = field(default_factory=dict)
    patterns: bool = False
    usable: bool = False
    explains: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()
    named_only: bool = False
    of_dataset: bool = False
    dimension: str = ""
    check: Check | None = None


def _kind(table: dict[str, Any]) -> Kind:
    """Return the kind of a table: line breaks become spaces, and a phrase adds its example and values."""
    table = {key: " ".join(value.split()) if isinstance(value, str) else value for key, value in table.items()}
    table |= {key: tuple(table[key]) for key in ("commands", "explains", "parts", "further") if key in table}
    if "phrase" in table:
        of = table.get("of", Kind.of)
        table["measured"] += f" `n` is the {of}{_by_share(table)}"
        table["example"] = f"set: {table['phrase']}: 12 of 40,460 (0.03%)"
        table["values"] = {of: "how many there are", "share": "share of all"}
    return Kind(**table)


def _by_share(table: Mapping[str, Any]) -> str:
    """Return the shares from which a finding is a warning or an error, in words."""
    limits = [
        f"{'an' if name == 'error' else 'a'} {name} from {table[name]:g} of them on"
        if table[name]
        else "always a warning"
        for name in _LIMITS
        if name in table
    ]
    sure = (
        " The 95% interval of the share must reach it as a whole." if any(table.get(name) for name in _LIMITS) else ""
    )
    return f"; it is {', '.join(limits)}.{sure}" if limits else "; it is a notice."


class _Kinds(Mapping[str, Kind]):
    """Kinds by code, read when a program first asks for them: most commands have no finding.

    They are iterated as shipped. A check of a user is found by its code, once its declaration was read.
    """

    def __init__(self, is_one: Callable[[Kind], bool]) -> None:
        self._is_one = is_one

    def __getitem__(self, code: str) -> Kind:
        kind = _kinds().get(code) or _own[code]
        if not self._is_one(kind):
            raise KeyError(code)
        return kind

    def __iter__(self) -> Iterator[str]:
        return (code for code, kind in _kinds().items() if self._is_one(kind))

    def __len__(self) -> int:
        return sum(1 for _ in self)


#: The kinds of findings, by code. Programs select findings by the code; sentences may change.
KINDS: Mapping[str, Kind] = _Kinds(lambda _: True)

#: The kinds that list captions or images.
CAPTION_KINDS: Mapping[str, Kind] = _Kinds(lambda kind: bool(kind.phrase))

#: The checks of users, as kinds. A code has its last meaning.
_own: dict[str, Kind] = {}


@functools.cache
def _kinds() -> Mapping[str, Kind]:
    text = files(__name__).joinpath("kinds.toml").read_text(encoding="utf-8")
    return {code: _kind(table) for code, table in tomllib.loads(text).items()}


def declare(checks: Iterable[Check]) -> tuple[str, ...]:
    """Make kinds of the checks of a user, and return their codes. Raises `UsageError` for a code of another kind."""
    own = {check.name: _of_check(check) for check in checks}
    for code, kind in own.items():
        if kind.check and code in {*_kinds(), *_LEVELS, "all"}:
            raise UsageError(f"{kind.check.where}: {code} has a meaning already; choose another name")
    _own.update(own)
    return tuple(own)


def _of_check(check: Check) -> Kind:
    return Kind(
        check.title,
        meaning=f"{check.title}: a check of yours.",
        measured=f"By {check.form} in {check.where}.",
        fix=f"Read them: `auditor findings DATASET -k {check.name}`. Leave them out: "
        f"`auditor export DATASET -o clean.csv --without {check.name}`.",
        example="",
        phrase=check.title[:1].lower() + check.title[1:],
        select="caption_row",
        warning=None if check.severity == "notice" else 0.0,
        error=0.0 if check.severity == "error" else None,
        check=check,
    )


def searched_by_default() -> tuple[str, ...]:
    """Return the kinds that are searched for if none is named."""
    return tuple(code for code, kind in _kinds().items() if not kind.named_only)


def title(kind: str) -> str:
    """Return the heading of a finding."""
    return KINDS[kind].title


def severity(kind: str, number: int, n: int) -> Severity:
    """Return the severity of a kind that is listed for `number` of `n` captions or images.

    It follows from the share that is sure: the lower end of its 95% interval, times the share that is listed rightly.
    """
    limits = KINDS[kind]
    share = limits.right * _at_least(number, n)
    if limits.error is not None and share >= limits.error:
        return "error"
    return "warning" if limits.warning is not None and share >= limits.warning else "notice"


def of_caption(kind: str) -> Severity:
    """Return the severity of a kind for one caption that has it, whatever the share: the worst, if it is certain.

    A kind that is common in sound captions, or whose captions are usable, is a notice.
    """
    limits = KINDS[kind]
    if limits.usable or limits.warning is None or limits.warning >= _COMMON:
        return "notice"
    return "error" if limits.error is not None and limits.right == 1 else "warning"


def left_out(without: Sequence[str], own: Iterable[str] = ()) -> list[str]:
    """Return the kinds of captions that are left out: those named, and those of a severity or worse, with checks `own`.

    `FINDINGS` means errors and warnings. Only a name leaves out captions that are usable, or all of an image.
    """
    severities = [SEVERITIES.index("warning" if word == FINDINGS else word) for word in without if word in _LEVELS]
    bad = SEVERITIES[: max(severities, default=-1) + 1]
    entries = {code: CAPTION_KINDS[code] for code in (*CAPTION_KINDS, *own)}
    return [
        code
        for code, kind in entries.items()
        if code in without or (of_caption(code) in bad and not kind.usable and kind.of == Kind.of)
    ]


def _at_least(number: int, n: int) -> float:
    """Return the lower end of the 95% interval of a share (Wilson 1927)."""
    share, squared = number / n, _QUANTILE**2
    reach = _QUANTILE * math.sqrt(share * (1 - share) / n + squared / (4 * n * n))
    return max((share + squared / (2 * n) - reach) / (1 + squared / n), 0.0)


def ranked(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Sort findings by severity, the worst first, then by the share that they affect; others keep their order.

    If the captions of a dataset are sorted, its slots differ for that reason: findings about slots are left out.
    """
    every = [*findings]
    is_sorted = {finding.about.get("dataset") for finding in every if finding.kind == "sorted-captions"}
    reported = [
        finding for finding in every if finding.kind not in _OF_SLOTS or finding.about.get("dataset") not in is_sorted
    ]
    return tuple(sorted(reported, key=lambda finding: (SEVERITIES.index(finding.severity), -share_of(finding))))


def told(findings: Iterable[Finding]) -> list[Finding]:
    """Leave out the findings that another one on the same captions has as its parts: one cause is one line."""
    every = [*findings]
    parts = {(*_whose(finding), part) for finding in every for part in KINDS[finding.kind].parts}
    return [finding for finding in every if (*_whose(finding), finding.kind) not in parts]


def _whose(finding: Finding) -> tuple[object, ...]:
    return finding.about.get("dataset"), finding.about.get("split")


def share_of(finding: Finding) -> float:
    """Return the share of the captions or images that a finding affects; all of them if it has no share."""
    share = finding.values.get("share")
    return share if isinstance(share, float) else 1.0


def worst(findings: Iterable[Finding]) -> Severity | None:
    """Return the highest severity; null without findings."""
    return min((finding.severity for finding in findings), key=SEVERITIES.index, default=None)


def tally(findings: Iterable[Finding]) -> str:
    """Return the number of findings by severity, the worst first: `2 errors, 1 info`; empty without findings."""
    return ", ".join(tallies(findings))


def tallies(findings: Iterable[Finding]) -> list[str]:
    """List the number of findings of each severity that some have, the worst first."""
    number = Counter(finding.severity for finding in findings)
    return [
        counted(number[severity], severity, severity if severity == "info" else f"{severity}s")
        for severity in SEVERITIES
        if number[severity]
    ]
