"""Lines of JSON, a block at a time: plain lines are taken apart at once, the others are read one by one."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import polars as pl

from auditor.sources.table.columns import kind_of
from auditor.sources.table.layout import frame

#: The first lines are read one by one: they define the columns.
_FIRST = 1_000

#: Keys that a pattern can hold as they are.
_KEY = re.compile(r"[A-Za-z0-9_ -]+")

_TEXT = r'"([^"\\\x00-\x1f]*)"'

_WHOLE = r"(0|-?[1-9][0-9]{0,17})"

_ANY = r'(?:"[^"\\\x00-\x1f]*"|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?|true|false|null)'


class Record(NamedTuple):
    """A record: its line or number, its value, its original text, and its fault."""

    number: int
    value: Any
    raw: str | None
    fault: str | None


class Blocks:
    """The blocks of lines of a file, and how many of their records were asked for one by one."""

    def __init__(self, blocks: Iterator[pl.DataFrame], records_of: Callable[[pl.DataFrame], Iterator[Record]]) -> None:
        self._blocks, self._records_of = blocks, records_of
        self._waiting: list[pl.DataFrame] = []
        self._is_begun = False
        self.given = 0
        self.keys: list[str] = []

    def next(self) -> pl.DataFrame | None:
        """Return the next block; null at the end. The first is short."""
        block = self._waiting.pop() if self._waiting else next(self._blocks, None)
        if block is not None and not self._is_begun and block.height > _FIRST:
            self._waiting.append(block.slice(_FIRST))
            block = block.head(_FIRST)
        self._is_begun = True
        return block

    def give_back(self, block: pl.DataFrame) -> None:
        """Put a block in front of the others."""
        self._waiting.append(block)

    def records(self) -> Iterator[Record]:
        """Yield the records of the next blocks."""
        while (block := self.next()) is not None:
            records = [*self._records_of(block)]
            self.given += len(records)
            first = next((record.value for record in records if isinstance(record.value, dict)), {})
            self.keys = self.keys or [*first]
            yield from records


def block_by_block(
    blocks: Blocks, rows: Iterator[tuple[Any, ...]], columns: Mapping[str, str], lists: dict[str, bool]
) -> Iterator[pl.DataFrame]:
    """Yield the rows of all blocks. `rows` has a row for each record that the blocks give; `lists` are of these."""
    taken = 0

    def one_by_one() -> pl.DataFrame:
        nonlocal taken
        batch = [row for row in (next(rows, None),) if row is not None]
        batch += [next(rows) for _ in range(blocks.given - taken - len(batch))]
        taken += len(batch)
        return frame("line", batch, [(thing, lists.get(thing, False)) for thing in columns])

    first = one_by_one()
    if taken:
        yield first
    while (block := blocks.next()) is not None:
        form = _form(blocks.keys, columns) if columns and not any(lists.values()) else None
        is_plain = pl.col("reason").is_null() & (pl.col("raw").str.contains(form[0]) if form else pl.lit(False))
        plain, rest = block.filter(is_plain), block.filter(~is_plain)
        parts = []
        if form is not None and plain.height:
            parts.append(_taken_apart(plain, *form, columns))
            lists.update({thing: False for thing, name in columns.items() if name in form[1]})
        if rest["raw"].str.strip_chars().str.len_bytes().sum():
            blocks.give_back(rest)
            parts.append(one_by_one())
        if parts:
            yield pl.concat(parts).sort("line")


def _form(keys: Sequence[str], columns: Mapping[str, str]) -> tuple[str, list[str]] | None:
    """Return the pattern of a plain line with the keys of the first record, and the keys of its groups.

    A plain line has texts without escapes and whole numbers: each reader of JSON reads them as they are written.
    """
    if not keys or not all(map(_KEY.fullmatch, keys)):
        return None
    kinds = {name: kind_of(thing) for thing, name in columns.items()}
    held = [key for key in keys if key in kinds]
    value = {key: _TEXT if kinds[key] == "caption" else f"(?:{_TEXT}|{_WHOLE})" for key in held}
    members = "[ \t]*,[ \t]*".join(f'"{key}"[ \t]*:[ \t]*{value.get(key, _ANY)}' for key in keys)
    named = [key for key in held for _ in range(1 if kinds[key] == "caption" else 2)]
    return rf"^[ \t]*\{{[ \t]*{members}[ \t]*\}}[ \t]*$", named


def _taken_apart(lines: pl.DataFrame, form: str, named: Sequence[str], columns: Mapping[str, str]) -> pl.DataFrame:
    """Return the values of plain lines, as `frame` has those of rows; `named` has the key of each group."""
    groups = lines.select(pl.col("raw").str.extract_groups(form)).to_series().struct.unnest()
    values = {
        thing: [groups.to_series(place) for place, key in enumerate(named) if key == name]
        for thing, name in columns.items()
    }
    absent = pl.Series([None] * lines.height, dtype=pl.String)
    cells = [pl.coalesce([pl.lit(part) for part in parts or [absent]]).alias(thing) for thing, parts in values.items()]
    return lines.select(pl.col("line").cast(pl.UInt32), "raw", "reason", *cells, unit=pl.lit("line"))
