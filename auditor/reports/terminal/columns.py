"""Which columns of a table stand side by side at a width, and how wide each is.

What gives way first: the bars, then the blanks between columns, then texts and heads, which are broken into lines; then
whole columns, those first that say least. Ids and numbers are never cut.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from rich.cells import cell_len
from rich.text import Text

from auditor.reports.cells import block, cell, flush_right
from auditor.reports.harmless import harmless
from auditor.reports.terminal.screen import packed
from auditor.reports.word_marks import Marked, marks
from auditor.result import Table

#: Signs of a column's name after which it may be broken.
BREAKS = "_- "

_BAR_CELLS = 20

#: A column of texts is wrapped to so many cells before columns are left out, and to no fewer; it gets the second number
#: before heads get theirs.
_LEAST, _FAIR = 24, 36

#: Blanks right of a column, where there is room and where there is not; one more parts it from the next.
_GAPS = (2, 1)

#: How precise a number is, and where rows come from: what a reader misses least.
_ASIDE = frozenset({"se", "sd", "p", "t", "z", "p of t", "p of z", "created_at", "source_sha256", "similarity"})


@dataclass(frozen=True)
class Column:
    """One column as it is drawn: its cells, which may have bars. `key` columns say what a row is of."""

    name: str
    cells: tuple[Text, ...]
    right: bool
    key: bool = False

    @cached_property
    def _body(self) -> int:
        return max((cell_len(line) for one in self.cells for line in one.plain.split("\n")), default=0)

    @cached_property
    def _word(self) -> int:
        return max((cell_len(word) for one in self.cells for word in one.plain.split()), default=0)

    @property
    def prose(self) -> bool:
        """Say whether its texts may be broken between words."""
        return not self.right and self._body > _LEAST and self._word < self._body

    @property
    def natural(self) -> int:
        """Give the width at which nothing is broken."""
        return max(self._body, cell_len(self.name))

    @property
    def least(self) -> int:
        """Give the width below which a number or an id would be cut."""
        body = min(self._body, max(_LEAST, min(self._word, _FAIR))) if self.prose else self._body
        return max(body, *map(cell_len, packed(self.name, 1, after=BREAKS)))

    @property
    def value(self) -> str | None:
        """Give what stands in every row, of several; nothing may stand in one alone."""
        values = {one.plain for one in self.cells}
        return values.pop() if len(values) == 1 and (len(self.cells) > 1 or values == {""}) else None

    def head(self, width: int) -> Text:
        """Write its name, broken where it is too long."""
        return Text("\n".join(packed(self.name, width, after=BREAKS)))


@dataclass(frozen=True)
class Layout:
    """Columns side by side with their widths, and those that were left out."""

    columns: tuple[Column, ...]
    widths: tuple[int, ...]
    gap: int
    dropped: tuple[Column, ...] = ()


def columns_of(table: Table, *, bars: bool = True) -> tuple[Column, ...]:
    """Write the cells of a table; shares as numbers with bars, or as numbers alone."""
    columns: list[Column] = []
    apart = marks(table)
    for name in table.frame.columns:
        drawn = bars and name in table.bars
        right = not drawn and flush_right(table, name)
        key = not right and not drawn and all(one.key for one in columns)
        cells = tuple(
            _marked(told[name]) if name in told else _cell(table, name, value, bars=bars)
            for value, told in zip(table.frame[name], apart, strict=True)
        )
        column = Column(harmless(name), cells, right, key)
        columns.append(replace(column, key=key and not column.prose))
    return tuple(columns)


def _cell(table: Table, column: str, value: object, *, bars: bool) -> Text:
    if column not in table.bars or not (value is None or isinstance(value, float)):
        return Text(harmless(cell(table, column, value)))
    if value is None:
        return Text("")
    return Text.assemble(f"{value:.3f} ", (block(value, _BAR_CELLS), "cyan")) if bars else Text(f"{value:.3f}")


def _marked(text: Marked) -> Text:
    return Text("").join(Text(harmless(words), "bold" if own else "") for words, own in text)


def laid_out(table: Table, width: int | None) -> Layout | None:
    """Fit a table into a width; None where too little of it would be left."""
    columns = columns_of(table)
    natural = tuple(one.natural for one in columns)
    if width is None or _taken(natural, _GAPS[0]) <= width:
        return Layout(columns, natural, _GAPS[0])
    columns = columns_of(table, bars=False)
    natural = tuple(one.natural for one in columns)
    for gap in _GAPS:
        if _taken(natural, gap) <= width:
            return Layout(columns, natural, gap)
    dropped: list[Column] = []
    for column in [None, *_droppable(columns)]:
        dropped += [column] if column else []
        kept = tuple(one for one in columns if one not in dropped)
        least = [one.least for one in kept]
        if kept and (spare := width - _taken(least, _GAPS[-1])) >= 0:
            widths = _shared(kept, least, spare)
            return Layout(kept, tuple(widths), _GAPS[-1], tuple(one for one in columns if one in dropped))
    return None


def _taken(widths: Sequence[int], gap: int) -> int:
    """Give the cells of a row: columns, the blanks right of them, one between two, and one at each end."""
    return sum(widths) + len(widths) * (gap + 1) + 1


def _droppable(columns: Sequence[Column]) -> list[Column]:
    """Give the columns that may be left out, first those that say nothing or the same of every row.

    Then at most a third of the others: what is aside, then numbers, then words, from the right. Never what rows are of,
    and none of these where there is one record alone: a card has it whole.
    """
    same = [one for one in columns if one.value is not None]
    others = [one for one in reversed(columns) if one not in same and not one.key and not one.prose]
    others.sort(key=lambda one: (one.name not in _ASIDE, not one.right))
    most = len(columns) // 3 if len(columns[0].cells) > 1 else 0
    return [*(one for one in same if not one.value), *(one for one in same if one.value), *others[:most]]


def _shared(columns: Sequence[Column], least: Sequence[int], spare: int) -> list[int]:
    """Share what is left: texts first, to a fair width; then heads; then texts again. The narrowest grows first."""
    widths = list(least)
    for prose, most in ((True, _FAIR), (False, None), (True, None)):
        goals = [
            (one.natural if most is None else min(one.natural, most)) if one.prose is prose else 0 for one in columns
        ]
        while spare and (growing := [at for at, goal in enumerate(goals) if widths[at] < goal]):
            widths[min(growing, key=lambda at: widths[at])] += 1
            spare -= 1
    return widths
