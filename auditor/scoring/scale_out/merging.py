"""How counts of parts become those of all captions, by the headers of SELECTs (`merges`).

A part has whole images, or whole texts. Rows of a SELECT that `merges: rows` depend on the captions of a part alone,
and on sums. Those that `merges: sum …` or `merges: distinct` are counted in parts, then added. Others are computed from
sums, if they read nothing else. A SELECT that reads anything else does not merge.
"""

from __future__ import annotations

import functools

import polars as pl

from auditor.store.sqlfiles import catalogue

#: What a part has of its own: tables of its store, what `Captions.workspace` binds, parallel lists, or texts.
_OWN = frozenset({
    "caption", "caption_tokens", "distinct_text", "list_caption", "made_text", "membership", "reference",
    "text_at_work",
})  # fmt: skip

_NOT = "not, "

#: What parts have in common: words have the same numbers in all.
_SHARED = "vocabulary"


def is_of_part(name: str) -> bool:
    """Return whether the rows of parts together are those of all."""
    return catalogue()[name].merges == "rows"


def is_sum(name: str) -> bool:
    """Return whether the rows of parts are added up."""
    return catalogue()[name].merges.startswith(("sum ", "distinct"))


def why_not(name: str) -> str:
    """Return why the rows of a SELECT do not merge, from its header; empty if it gives no reason."""
    said = catalogue()[name].merges
    return said.removeprefix(_NOT) if said.startswith(_NOT) else ""


@functools.cache
def merges(name: str) -> bool:
    """Return whether the rows of a SELECT over all captions follow from those of parts."""
    if why_not(name):
        return False
    reads = [read for read in catalogue()[name].reads if read != _SHARED]
    below = all(merges(read) for read in reads if read in catalogue() and read not in _OWN)
    return below and bool(catalogue()[name].merges or not any(read in _OWN or _depends(read) for read in reads))


def _depends(read: str) -> bool:
    """Return whether a relation has rows of a part alone."""
    return read in catalogue() and is_of_part(read)


def given(name: str) -> set[str]:
    """Name the sums, and what follows from sums, that a part must be given before it runs a SELECT."""
    reads = [read for read in catalogue()[name].reads if read in catalogue() and read not in _OWN]
    return set().union(*(given(read) if is_of_part(read) else {read} for read in reads))


@functools.cache
def sums(name: str) -> frozenset[str]:
    """Name all sums behind a SELECT, with itself."""
    reads = [read for read in catalogue()[name].reads if read in catalogue() and read not in _OWN]
    return frozenset([name] if is_sum(name) else []).union(*map(sums, reads))


def follows(name: str) -> bool:
    """Return whether a SELECT reads sums alone, or what follows from them."""
    return merges(name) and not is_sum(name) and not is_of_part(name)


def round_of(name: str) -> int:
    """Return after how many rounds of counting the rows of a sum, or of what follows from sums, are known."""
    return max((round_of(each) for each in sums(name) - {name}), default=0) + is_sum(name)


def added(name: str, parts: pl.LazyFrame) -> pl.DataFrame:
    """Add up the rows of parts, sorted by all columns."""
    columns = catalogue()[name].merges.removeprefix("distinct").removeprefix("sum ").split(", ")
    numbers = [column for column in columns if column]
    keys = [column for column in catalogue()[name].returns if column not in numbers]
    total = [pl.col(column).sum() for column in numbers]
    if not keys:
        return parts.select(total).collect()
    made = parts.group_by(keys).agg(total) if numbers else parts.unique()
    return made.sort(keys).select(catalogue()[name].returns).collect(engine="streaming")
