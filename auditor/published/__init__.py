"""What papers print: each figure as a check, with the band in which a reproduction of it must lie.

One TOML file a paper. A check compares a quantity, its ratio to another or its difference from another with a band.
"""

from __future__ import annotations

import itertools
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from auditor.errors import UsageError

Compared = Literal["value", "ratio", "difference"]

#: What names a quantity. What a paper's study does not tell apart is left empty.
KEYS = ("dataset", "metric", "candidate", "level", "statistic")

Quantity = tuple[str, ...]


@dataclass(frozen=True)
class Check:
    """One published figure: quantity `of`, compared with `to` where there is one, must lie from `low` to `high`.

    `item` is its number in the list of things that papers compute, `section` where the paper says it, `says` what it
    says. `strict` leaves the ends of the band out. `why` explains a difference that is known.
    """

    item: str
    section: str
    says: str
    of: Quantity
    to: Quantity | None
    compared: Compared
    low: float | None
    high: float | None
    strict: bool
    why: str | None

    def holds(self, value: float) -> bool:
        """Say whether a value lies within the band."""
        if self.strict:
            return (self.low is None or value > self.low) and (self.high is None or value < self.high)
        return (self.low is None or value >= self.low) and (self.high is None or value <= self.high)

    @property
    def band(self) -> str:
        """Write the band: `0.295 to 0.305`, `> 0`, `≤ 0.04`."""
        least, most = (">", "<") if self.strict else ("≥", "≤")
        low, high = (None if end is None else f"{end:.9g}" for end in (self.low, self.high))
        if low is not None and high is not None:
            return low if low == high else f"{low} to {high}"
        return f"{least} {low}" if low is not None else f"{most} {high}"


@dataclass(frozen=True)
class Paper:
    """A paper with its checks. `datasets` are those that it measures and that may be had, in its order."""

    name: str
    citation: str
    datasets: tuple[str, ...]
    checks: tuple[Check, ...]


def papers() -> list[str]:
    """Name the papers whose figures are here."""
    return sorted(path.stem for path in Path(__file__).parent.glob("*.toml"))


def paper(name: str) -> Paper:
    """Read the checks of a paper, sorted by item. Raises `UsageError` for one that is not here."""
    if name not in papers():
        raise UsageError(f"{name}: no such paper; known are {', '.join(papers())}")
    document = tomllib.loads((Path(__file__).parent / f"{name}.toml").read_text(encoding="utf-8"))
    kinds, groups = document["kinds"], document["groups"]
    checks = [
        check
        for kind, entries in document["checks"].items()
        for entry in entries
        for check in _expanded({**kinds[kind], **entry}, groups)
    ]
    ordered = tuple(sorted(checks, key=lambda check: check.item))
    return Paper(name, document["citation"], tuple(document["datasets"]), ordered)


def _expanded(entry: Mapping[str, Any], groups: Mapping[str, list[str]]) -> Iterator[Check]:
    """Make one check for every combination of what lists and groups stand for."""
    named = [entry.get(key, "") for key in KEYS]
    listed = [groups.get(value, [value]) if isinstance(value, str) else value for value in named]
    for combination in itertools.product(*listed):
        here = dict(zip(KEYS, combination, strict=True))
        yield Check(
            item=entry["item"],
            section=entry["section"],
            says=entry["says"],
            of=tuple((here | entry.get("of", {})).values()),
            to=tuple((here | entry["to"]).values()) if "to" in entry else None,
            compared=entry.get("compared", "difference" if "to" in entry else "value"),
            low=entry.get("low"),
            high=entry.get("high"),
            strict=entry.get("strict", False),
            why=_reason(entry.get("why"), here["dataset"]),
        )


def _reason(why: str | Mapping[str, str] | None, dataset: str) -> str | None:
    """Find the reason: one for all datasets, or one by dataset."""
    return why if why is None or isinstance(why, str) else why.get(dataset)
