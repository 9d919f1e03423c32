"""The kinds of findings: what each means, how it is measured, how to fix it. They are the tables of `kinds.toml`."""

from __future__ import annotations

import functools
import math
import tomllib
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any

from auditor.errors import UsageError, suggested
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

#: How bad captions that are left out are: a severity or worse, or `findings`, for errors and warnings.
LEVELS = (*SEVERITIES, "findings")


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
        table["measured"] += f" `n` counts the {of}. {_by_share(table)}"
        table["example"] = f"set: {table['phrase']}: 12 of 40,460 (0.03%)"
        table["values"] = {of: "how many there are", "share": "share of all"}
    return Kind(**table)


def _by_share(table: Mapping[str, Any]) -> str:
    """Return the shares from which a finding is a warning or an error, in words."""
    limits = [
        f"{'an' if name == 'error' else 'a'} {name} at {100 * table[name]:g}% or more"
        if table[name]
        else "always a warning"
        for name in _LIMITS
        if name in table
    ]
    sure = " The whole 95% confidence interval must be above the limit." * any(table.get(name) for name in _LIMITS)
    return f"It is {', '.join(limits) or 'a notice'}.{sure}"


class _Kinds(dict[str, Kind]):
    """Kinds as shipped. A check of a user is found by its code, too, once its declaration was read."""

    def __missing__(self, code: str) -> Kind:
        return _own[code]

    def __contains__(self, code: object) -> bool:
        return super().__contains__(code) or code in _own


#: The kinds of findings, by code. Programs select findings by the code; sentences may change.
KINDS: Mapping[str, Kind]

#: The kinds that list captions or images.
CAPTION_KINDS: Mapping[str, Kind]

#: The checks of users, as kinds; of two with one code, the last.
_own: dict[str, Kind] = {}


@functools.cache
def _kinds() -> _Kinds:
    text = files(__name__).joinpath("kinds.toml").read_text(encoding="utf-8")
    return _Kinds({code: _kind(table) for code, table in tomllib.loads(text).items()})


def __getattr__(name: str) -> Mapping[str, Kind]:
    """Read the kinds when a module first asks for them: most commands have no finding."""
    if name == "CAPTION_KINDS":
        return _Kinds({code: kind for code, kind in _kinds().items() if kind.phrase})
    if name == "KINDS":
        return _kinds()
    raise AttributeError(name)


def declare(checks: Iterable[Check]) -> tuple[str, ...]:
    """Make kinds of the checks of a user, and return their codes. Raises `UsageError` for a code of another kind."""
    own = {check.name: check for check in checks}
    for code in own.keys() & {*_kinds(), *LEVELS, "all", "check"}:
        raise UsageError(f"{own[code].where}: {code} has a meaning already; choose another name")
    _own.update({code: _of_check(check) for code, check in own.items()})
    return tuple(own)


def _of_check(check: Check) -> Kind:
    return Kind(
        *(check.title, f"{check.title}: a check of yours.", f"By {check.form} in {check.where}."),
        f"Leave them out: `auditor export DATASET -o clean.csv --without {check.name}`.",
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
    return _kinds()[kind].title


def severity(kind: str, number: int, n: int) -> Severity:
    """Return the severity of a kind that is listed for `number` of `n` captions or images.

    It follows from the share that is sure: the lower end of its 95% interval, times the share that is listed rightly.
    """
    limits = _kinds()[kind]
    share = limits.right * _at_least(number, n)
    if limits.error is not None and share >= limits.error:
        return "error"
    return "warning" if limits.warning is not None and share >= limits.warning else "notice"


def of_caption(kind: str) -> Severity:
    """Return the severity of a kind for one caption: the worst, if certain; a notice if usable, or common elsewhere."""
    limits = _kinds()[kind]
    if limits.usable or limits.warning is None or limits.warning >= _COMMON:
        return "notice"
    return "error" if limits.error is not None and limits.right == 1 else "warning"


def not_kept(without: Sequence[str], own: Iterable[str] = ()) -> list[str]:
    """Return the kinds that are left out: those named, and those of a severity or worse, with the checks `own`.

    Only a name leaves out captions that are usable, or all of an image. Raises `UsageError` for another word.
    """
    refuse_unknown("--without", without, {*LEVELS, *own}.union(code for code, kind in _kinds().items() if kind.phrase))
    severities = [SEVERITIES.index("warning" if word == "findings" else word) for word in without if word in LEVELS]
    bad = SEVERITIES[: max(severities, default=-1) + 1]
    faults = {code: _kinds()[code] for code in (*searched_by_default(), *own) if of_caption(code) in bad}
    single = [code for code, kind in faults.items() if kind.phrase and not kind.usable and kind.of == Kind.of]
    return [*dict.fromkeys([*single, *(word for word in without if word not in LEVELS)])]


def refuse_unknown(option: str, words: Iterable[str], known: Collection[str]) -> None:
    """Raise `UsageError` for a word that is not known, with the nearest one."""
    for word in words:
        if word not in known:
            raise UsageError(f"{option} {word}: {suggested(word, sorted(known), 'docs/findings.md lists all kinds')}")


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
    parts = {(*_whose(finding), part) for finding in every for part in _kinds()[finding.kind].parts}
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
