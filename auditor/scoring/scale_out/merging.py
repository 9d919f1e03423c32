"""How counts of parts become those of all captions, by the headers of SELECTs (`merges`).

A part has whole images, or whole texts. Rows of a SELECT that `merges: rows` depend on the captions of a part alone,
and on sums. Those that `merges: sum …` or `merges: distinct` are counted in parts, then added. Others are computed from
sums, if they read nothing else. A SELECT that reads anything else does not merge.
"""

from __future__ import annotations

import functools

import polars as pl

from auditor.store.sqlfiles import catalogue

#: What differs between parts: tables of a store, what `Captions.workspace` binds, parallel lists, texts.
_OWN = frozenset({
    "caption", "caption_tokens", "distinct_text", "list_caption", "made_text", "membership", "reference",
    "text_at_work",
})  # fmt: skip

_NOT = "not, "


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


def _made_for(name: str) -> list[str]:
    """Name the SELECTs whose rows a SELECT reads."""
    return [read for read in catalogue()[name].reads if read in catalogue() and read not in _OWN]


@functools.cache
def merges(name: str) -> bool:
    """Return whether the rows of a SELECT over all captions follow from those of parts."""
    if why_not(name):
        return False
    below = _made_for(name)
    has_header, reads_a_part = catalogue()[name].merges, _OWN.intersection(catalogue()[name].reads)
    return all(map(merges, below)) and bool(has_header or not (reads_a_part or any(map(is_of_part, below))))


def given(name: str) -> set[str]:
    """Name the sums, and what follows from sums, that a part must be given before it runs a SELECT."""
    return set().union(*(given(read) if is_of_part(read) else {read} for read in _made_for(name)))


@functools.cache
def sums(name: str) -> frozenset[str]:
    """Name all sums behind a SELECT, with itself."""
    return frozenset([name] if is_sum(name) else []).union(*map(sums, _made_for(name)))


def follows(name: str) -> bool:
    """Return whether a SELECT reads sums alone, or what follows from them."""
    return merges(name) and not is_sum(name) and not is_of_part(name)


def round_of(name: str) -> int:
    """Return after how many rounds of counting the rows of a sum, or of what follows from sums, are known."""
    return max((round_of(each) for each in sums(name) - {name}), default=0) + is_sum(name)


def _numbers(name: str) -> list[str]:
    columns = catalogue()[name].merges.removeprefix("distinct").removeprefix("sum ").split(", ")
    return [column for column in columns if column]


def keys(name: str) -> list[str]:
    """Name the columns by which a sum adds up."""
    return [column for column in catalogue()[name].returns if column not in _numbers(name)]


def placed(name: str, rows: pl.DataFrame, partitions: int) -> pl.DataFrame:
    """Place the rows of a part in partitions, sorted by them: rows that are added up meet in one."""
    if partitions == 1:
        return rows
    return rows.with_columns(partition=(pl.struct(keys(name)).hash() % partitions).cast(pl.UInt32)).sort("partition")


def added(name: str, parts: pl.LazyFrame) -> pl.DataFrame:
    """Add up the rows of parts, sorted by all columns."""
    numbers, by = _numbers(name), keys(name)
    total = [pl.col(column).sum() for column in numbers]
    if not by:
        return parts.select(total).collect()
    made = parts.group_by(by).agg(total) if numbers else parts.unique()
    return made.sort(by).select(catalogue()[name].returns).collect(engine="streaming")
