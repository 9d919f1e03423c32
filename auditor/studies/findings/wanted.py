"""What work on shards is wanted: the kinds that are checked, what is counted for them, the number of tasks."""

from __future__ import annotations

import functools
from collections.abc import Callable
from math import isqrt

from auditor.findings import CAPTION_KINDS, searched_by_default
from auditor.scoring.scale_out import merging, shuffle
from auditor.studies.duplicates import AT_SEVERAL
from auditor.studies.findings.captions import COPIES, FINDERS
from auditor.studies.findings.protected import CONTAMINATED
from auditor.studies.findings.shards import ShardPlan


def selects(kind: str) -> tuple[str, ...]:
    """Name the SELECTs that find the captions of a kind."""
    entry = CAPTION_KINDS[kind]
    return (*([entry.select] if entry.select else []), *(["sign"] if entry.patterns else []), *entry.further)


#: The kinds whose texts are counted in partitions.
OF_TEXTS = (COPIES, AT_SEVERAL)

#: The kinds that are searched for in stages: those whose SELECTs merge, as their headers say, and these.
CHECKED = (*(kind for kind in FINDERS if all(map(merging.merges, selects(kind)))), *OF_TEXTS)


def is_measured(plan: ShardPlan) -> bool:
    """Return whether all kinds are searched for that are by default: then the whole audit is wanted."""
    return {*CHECKED}.intersection(searched_by_default()) - {"listed-words", CONTAMINATED} <= {*plan.kinds}


def is_compared(plan: ShardPlan) -> bool:
    """Return whether equal texts of all shards are searched for."""
    return not {*OF_TEXTS}.isdisjoint(plan.kinds)


def given_to(kinds: tuple[str, ...]) -> set[str]:
    """Name the sums, and what follows from sums, that buckets are given to find the captions of kinds."""
    names = {name for kind in kinds if kind not in OF_TEXTS for name in selects(kind)}
    return set().union(*(merging.given(name) if merging.is_of_part(name) else {name} for name in names))


@functools.cache
def behind(kind: str) -> frozenset[str]:
    """Name the sums, and what follows from sums, that are computed to find the captions of a kind."""
    names = selects(kind)
    added = {name for select in names for name in merging.sums(select)}
    followed = {name for name in names if merging.follows(name)}.union(*map(merging.given, (*names, *added)))
    return frozenset(added | followed)


def known(plan: ShardPlan, round_: int, is_one: Callable[[str], bool]) -> list[str]:
    """Name the sums, or what follows from sums, that the kinds of a plan need and that a round makes known."""
    names = {name for kind in plan.kinds if kind not in OF_TEXTS for name in behind(kind)}
    return sorted(name for name in names if is_one(name) and merging.round_of(name) == round_)


@functools.cache
def _partitioned() -> frozenset[str]:
    """Name the sums that may be large: those with keys, unless buckets are given them, which then have all of one."""
    added = {name for kind in CHECKED if kind not in OF_TEXTS for name in behind(kind) if merging.is_sum(name)}
    return frozenset(filter(merging.keys, added - given_to(CHECKED).union(*map(merging.given, added))))


def partitions_of(plan: ShardPlan, name: str) -> int:
    """Return in how many partitions a sum is added up: words grow with about the root of captions."""
    return isqrt(len(plan.buckets)) if len(plan.buckets) > shuffle.FEW and name in _partitioned() else 1


def summed(plan: ShardPlan, round_: int) -> list[tuple[str, int]]:
    """List the tasks of a round that add up: the sums, each with the number of its partition."""
    names = known(plan, round_, merging.is_sum)
    return [(name, number) for name in names for number in range(partitions_of(plan, name))]


def of_buckets(plan: ShardPlan) -> int:
    """Return the number of buckets."""
    return len(plan.buckets)


def of_partitions(plan: ShardPlan) -> int:
    """Return the number of partitions."""
    return plan.partitions


def if_compared(of: Callable[[ShardPlan], int]) -> Callable[[ShardPlan], int]:
    """Return so many, if equal texts are searched for."""
    return lambda plan: of(plan) if is_compared(plan) else 0


def if_measured(of: Callable[[ShardPlan], int]) -> Callable[[ShardPlan], int]:
    """Return so many, if the whole audit is wanted."""
    return lambda plan: of(plan) if is_measured(plan) else 0
