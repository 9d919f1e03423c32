"""Tables on a terminal, by rich: rows, bars for shares of 1; records as cards where there is no room for rows."""

from __future__ import annotations

import rich.box
import rich.table
from rich.cells import cell_len
from rich.text import Text

from auditor.reports.cells import begins_section
from auditor.reports.harmless import harmless
from auditor.reports.terminal.columns import BREAKS, Column, Layout, columns_of, laid_out
from auditor.reports.terminal.screen import Screen, packed
from auditor.result import Table

#: The names of a card's values are broken where they take more than a third of the width.
_NAMES = 3


def show(table: Table, screen: Screen) -> None:
    """Print a table under its title, as wide as the screen at most; say what was left out, and what it means."""
    if table.title:
        screen.say(harmless(table.title), style="bold")
    layout = laid_out(table, screen.edge)
    if layout is None:
        _show_cards(columns_of(table, bars=False), screen)
    else:
        _show_rows(table, layout, screen)
    below = _left_out(layout.dropped if layout else ())
    below += [harmless(table.caption)] if table.caption else []
    for line in below:
        screen.say(line, style="dim")
    if below:
        screen.print()


def _show_rows(table: Table, layout: Layout, screen: Screen) -> None:
    drawn = rich.table.Table(box=rich.box.SIMPLE_HEAD, pad_edge=False, padding=(0, layout.gap, 0, 0))
    for column, width in zip(layout.columns, layout.widths, strict=True):
        drawn.add_column(
            column.head(width),
            justify="right" if column.right else "left",
            vertical="top",
            width=width,
            no_wrap=not column.prose,
            overflow="fold",
        )
    for number, row in enumerate(zip(*(column.cells for column in layout.columns), strict=True)):
        if begins_section(table, number):
            drawn.add_section()
        drawn.add_row(*row)
    before = screen.width
    screen.width = sum(layout.widths) + len(layout.widths) * (layout.gap + 1) + 1
    screen.print(drawn, crop=False)
    screen.width = before


def _show_cards(columns: tuple[Column, ...], screen: Screen) -> None:
    """Print one record after another, a value a line beside its name; what is empty is left out."""
    width = screen.edge or screen.width
    pieces = (piece for one in columns for piece in packed(one.name, width // _NAMES, after=BREAKS))
    room = max(map(cell_len, pieces))
    for row in range(len(columns[0].cells)):
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


def _left_out(dropped: tuple[Column, ...]) -> list[str]:
    """Say which columns are not shown, and what stands in those that say the same of every row."""
    same = [f"{one.name} {value}" for one in dropped if (value := one.value)]
    gone = [one.name for one in dropped if one.value is None]
    lines = [f"in every row: {', '.join(same)}"] if same else []
    return [*lines, f"no room for {', '.join(gone)}: a pipe (`| less -S`) has all columns"] if gone else lines
