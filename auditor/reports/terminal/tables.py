"""Tables on a terminal, by rich: rows, with bars for shares of 1, or a card per record if rows do not fit."""

from __future__ import annotations

import re
import tomllib
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from importlib.resources import files
from math import inf

import polars.selectors as cs
import rich.box
import rich.table
from rich.cells import cell_len
from rich.text import Text

from auditor.reports.cells import Marked, begins_section, block, cell, filled, flush_right, marks
from auditor.reports.escaping import visible
from auditor.reports.terminal.screen import Part, Screen, packed
from auditor.result import Table, counted

#: The names of a card's values are broken if they need more than a third of the width.
_NAMES = 3

#: Characters of a column's name after which it may be broken.
BREAKS = "_- "

_BAR_CELLS = 20

#: A column of texts is wrapped to this many cells before columns are left out, and never to fewer. It gets the second
#: number before heads get theirs.
_LEAST, _FAIR = 24, 36

#: A hit in a table has so many characters of its text on either side.
_NEAR = 30

#: Spaces to the right of a column, in a wide and in a narrow table; one more separates it from the next.
_GAPS = (2, 1)

#: Terms are explained that stand in so many rows.
_EXPLAINED = 50

#: A table is not cut to fewer rows, nor to less than a card.
_FEWEST = 3

#: Columns on precision and sources, which are left out first.
_ASIDE = frozenset({"se", "sd", "p", "t", "z", "p of t", "p of z", "created_at", "source_sha256", "similarity"})


def explained(tables: Sequence[Table]) -> Iterator[Table]:
    """Yield the tables, each with an explanation of the terms that no table before it has."""
    known = set[str]()
    for table in tables:
        texts = table.frame.head(_EXPLAINED).select(cs.string()).iter_columns()
        words = {*table.frame.columns, *re.split(", | and ", table.title), *(each for text in texts for each in text)}
        new = [term for term in _terms() if term in words - known and f"{term}:" not in (table.caption or "")]
        known |= words
        captions = [table.caption, *(f"{term}: {_terms()[term]}" for term in new)]
        yield replace(table, caption="; ".join(filter(None, captions)) or None)


@cache
def _terms() -> Mapping[str, str]:
    return tomllib.loads(files(__name__.rpartition(".")[0]).joinpath("terms.toml").read_text(encoding="utf-8"))


def part(table: Table, screen: Screen, rank: float) -> Part:
    """Return a table as a part: whole, or if its lines are too many, as many of its first rows as fit."""
    height, layout = table.frame.height, laid_out(table, screen.edge)

    lines = cache(partial(screen.drawn, _show, table, layout, screen))

    def within(most: int | None) -> list[str]:
        if most is None:  # more rows than the screen has lines would be drawn in vain
            return lines(height if screen.most is None else min(height, screen.most + 1))
        least = min(_FEWEST if layout else 1, height)
        fit = bisect_right(range(least, min(height, most)), most, key=lambda rows: len(lines(rows)))
        return lines(max(least, least + fit - 1))

    return Part(within, rank, "table")


def show(table: Table, screen: Screen) -> None:
    """Print a table under its title, at most as wide as the screen, then what was left out, and its caption."""
    _show(table, laid_out(table, screen.edge), screen, table.frame.height)


def _show(table: Table, layout: Layout | None, screen: Screen, rows: int) -> None:
    if table.title:
        screen.say(visible(table.title), style="bold")
    if layout is None:
        _show_cards(columns_of(table, bars=False), screen, rows)
    else:
        _show_rows(table, layout, screen, rows)
    more = table.frame.height - rows
    below = [f"… {counted(more, 'more row', 'more rows')}"] if more else []
    dropped = layout.dropped if layout else ()
    same = [f"{column.name} {value}" for column in dropped if (value := column.value)]
    gone = [column.name for column in dropped if column.value is None]
    below += [f"in every row: {', '.join(same)}"] if same else []
    below += [f"no room for {', '.join(gone)}: `| less -S` shows all columns"] if gone else []
    below += [visible(table.caption)] if table.caption else []
    for line in below:
        screen.say(line, style="dim")
    if below:
        screen.print()


def _show_rows(table: Table, layout: Layout, screen: Screen, rows: int) -> None:
    drawn = rich.table.Table(box=rich.box.SIMPLE_HEAD, pad_edge=False, padding=(0, layout.gap, 0, 0))
    for column, width in zip(layout.columns, layout.widths, strict=True):
        drawn.add_column(
            Text("\n".join(packed(column.name, width, after=BREAKS))),
            justify="right" if column.right else "left",
            vertical="top",
            width=width,
            no_wrap=not column.prose,
            overflow="fold",
        )
    for number, row in enumerate(zip(*(column.cells[:rows] for column in layout.columns), strict=True)):
        if begins_section(table, number):
            drawn.add_section()
        drawn.add_row(*row)
    before = screen.width
    screen.width = sum(layout.widths) + len(layout.widths) * (layout.gap + 1) + 1
    screen.print(drawn, crop=False)
    screen.width = before


def _show_cards(columns: tuple[Column, ...], screen: Screen, rows: int) -> None:
    """Print one record after another, with a name and value per line, without empty values."""
    width = screen.edge or screen.width
    pieces = (piece for column in columns for piece in packed(column.name, width // _NAMES, after=BREAKS))
    room = max(map(cell_len, pieces))
    for row in range(rows):
        screen.print()
        for column in columns:
            if not (value := column.cells[row].plain):
                continue
            names, values = packed(column.name, room, after=BREAKS), screen.lines(value, room + 3)
            for at in range(max(len(names), len(values))):
                name, line = (part[at] if at < len(part) else "" for part in (names, values))
                padded = name + " " * (room - cell_len(name))
                screen.print(Text.assemble(" ", (padded, "dim"), "  ", line), soft_wrap=True)
    screen.print()


@dataclass(frozen=True)
class Column:
    """One column as it is drawn: its cells, which may have bars. `key` columns identify a row."""

    name: str
    cells: tuple[Text, ...]
    right: bool
    key: bool = False

    @cached_property
    def _body(self) -> int:
        return max((cell_len(line) for cell in self.cells for line in cell.plain.split("\n")), default=0)

    @cached_property
    def _word(self) -> int:
        return max((cell_len(word) for cell in self.cells for word in cell.plain.split()), default=0)

    @property
    def prose(self) -> bool:
        """Return whether its texts may be broken between words."""
        return not self.right and self._body > _LEAST and self._word < self._body

    @property
    def natural(self) -> int:
        """Return the width at which nothing is broken."""
        return max(self._body, cell_len(self.name))

    @property
    def least(self) -> int:
        """Return the width below which a number or an id would be cut."""
        body = min(self._body, max(_LEAST, min(self._word, _FAIR))) if self.prose else self._body
        return max(body, *map(cell_len, packed(self.name, 1, after=BREAKS)))

    @property
    def value(self) -> str | None:
        """Return the value that all of several rows share, or that of a single empty one."""
        values = {cell.plain for cell in self.cells}
        return values.pop() if len(values) == 1 and (len(self.cells) > 1 or values == {""}) else None


@dataclass(frozen=True)
class Layout:
    """Columns with their widths, and those that were left out."""

    columns: tuple[Column, ...]
    widths: tuple[int, ...]
    gap: int
    dropped: tuple[Column, ...] = ()


def columns_of(table: Table, *, bars: bool = True) -> tuple[Column, ...]:
    """Write the cells of a table; shares as numbers with bars, or as numbers alone."""
    columns: list[Column] = []
    apart = marks(table, _NEAR)
    for name in table.frame.columns:
        drawn = bars and name in table.bars
        right = not drawn and flush_right(table, name)
        key = not right and not drawn and all(column.key for column in columns)
        cells = tuple(
            marked(parts[name]) if name in parts else _cell(table, row, name, bars=bars)
            for row, parts in enumerate(apart)
        )
        column = Column(visible(name), cells, right, key)
        columns.append(replace(column, key=key and not column.prose))
    return tuple(columns)


def _cell(table: Table, row: int, column: str, *, bars: bool) -> Text:
    value = table.frame[column][row]
    if column not in table.bars or not (value is None or isinstance(value, float)):
        return Text(visible(cell(table, column, value)))
    number = Text("" if value is None else f"{value:.3f}")
    has_bar = bars and value is not None
    return number.append(" ").append(block(filled(table, row, column), _BAR_CELLS), "cyan") if has_bar else number


def marked(text: Marked) -> Text:
    """Return a text with its marked parts in bold."""
    return Text("").join(Text(visible(words), "bold" if own else "") for words, own in text)


def laid_out(table: Table, width: int | None) -> Layout | None:
    """Fit a table into a width; None if too little of it would be left."""
    for bars in (True, False):
        columns = columns_of(table, bars=bars)
        natural = tuple(column.natural for column in columns)
        for gap in _GAPS:
            if width is None or _taken(natural, gap) <= width:
                return Layout(columns, natural, gap)
    assert width is not None  # noqa: S101 -- else all columns fit
    dropped: list[Column] = []
    for column in [None, *_droppable(columns)]:
        dropped += [column] if column else []
        kept = tuple(column for column in columns if column not in dropped)
        least = [column.least for column in kept]
        if kept and (spare := width - _taken(least, _GAPS[-1])) >= 0:
            widths = _shared(kept, least, spare)
            return Layout(kept, tuple(widths), _GAPS[-1], tuple(column for column in columns if column in dropped))
    return None


def _taken(widths: Sequence[int], gap: int) -> int:
    """Return the cells of a row: columns, the spaces after them, one between two, and one at each end."""
    return sum(widths) + len(widths) * (gap + 1) + 1


def _droppable(columns: Sequence[Column]) -> list[Column]:
    """Return the columns that may be left out, first those that are empty or the same in every row.

    Then at most a third of the others, from the right: precision and sources, numbers, words. The columns that identify
    a row stay. A single record keeps all others: a card shows it whole.
    """
    same = [column for column in columns if column.value is not None]
    others = [column for column in reversed(columns) if column not in same and not column.key and not column.prose]
    others.sort(key=lambda column: (column.name not in _ASIDE, not column.right))
    most = len(columns) // 3 if len(columns[0].cells) > 1 else 0
    return [*(row for row in same if not row.value), *(row for row in same if row.value), *others[:most]]


def _shared(columns: Sequence[Column], least: Sequence[int], spare: int) -> list[int]:
    """Distribute the spare cells: to texts up to a fair width, to heads, to texts again, the narrowest first."""
    widths = list(least)
    for prose, most in ((True, _FAIR), (False, inf), (True, inf)):
        goals = [min(column.natural, most) if column.prose is prose else 0 for column in columns]
        while spare and (growing := [at for at, goal in enumerate(goals) if widths[at] < goal]):
            widths[min(growing, key=lambda at: widths[at])] += 1
            spare -= 1
    return widths
