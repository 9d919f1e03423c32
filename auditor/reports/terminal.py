"""Tables on a terminal, by rich: ranked rows, bars for shares of 1, notes and signatures below."""

from __future__ import annotations

from typing import TextIO

import rich.box
import rich.table
from rich.console import Console
from rich.text import Text

from auditor.model import Result, Table
from auditor.reports.cells import begins_section, flush_right, text

_BAR_CELLS = 20
_PROSE = 36  # a cell of text longer than this may wrap
_GAP = 2
_EIGHTHS = " ▏▎▍▌▋▊▉"


class Screen(Console):
    """A terminal, a pipe or a file that tables are drawn on.

    Text is never read as markup, emoji or numbers to be coloured; a reader that leaves early (`| head`) is no error.
    """

    def __init__(self, file: TextIO, *, color: bool = True, width: int | None = None) -> None:
        super().__init__(file=file, no_color=not color or None, width=width, highlight=False, emoji=False, markup=False)

    def on_broken_pipe(self) -> None:
        """Let the caller end the process."""
        raise BrokenPipeError


def show(result: Result, screen: Screen) -> None:
    """Draw every table of a result, then its notes, versions and signatures."""
    width = screen.width
    for table in result.tables:
        drawn = _draw(table)
        screen.width = _width(drawn, screen)
        screen.print(drawn, crop=False)
        screen.width = width
        if table.caption:
            screen.print(table.caption, style="dim")
        screen.print()
    for note in result.notes:
        screen.print(Text.assemble(("• ", "yellow"), note), soft_wrap=True)
    for selection in result.selections:
        version = selection.version
        screen.print(
            f"{selection.label} = {version.label}, version {version.version[:12]}", style="dim", soft_wrap=True
        )
    for signature in result.signatures.values():
        screen.print(signature, style="dim", soft_wrap=True)


def _draw(table: Table) -> rich.table.Table:
    drawn = rich.table.Table(
        title=Text(table.title, style="bold") if table.title else None,
        box=rich.box.SIMPLE_HEAD,
        title_justify="left",
        pad_edge=False,
        padding=(0, _GAP, 0, 0),
    )
    cells = {column: [_cell(table, column, value) for value in table.frame[column]] for column in table.frame.columns}
    for column, drawn_cells in cells.items():
        widest = max(cell.cell_len for cell in [Text(column), *drawn_cells])
        numeric = column not in table.bars and flush_right(table, column)
        prose = not numeric and widest > _PROSE and column not in table.bars
        drawn.add_column(
            Text(column),
            justify="right" if numeric else "left",
            no_wrap=not prose,
            min_width=_PROSE if prose else widest,
            max_width=widest,
            overflow="fold",
        )
    for number, row in enumerate(zip(*cells.values(), strict=True)):
        if begins_section(table, number):
            drawn.add_section()
        drawn.add_row(*row)
    return drawn


def _cell(table: Table, column: str, value: object) -> Text:
    return bar(value) if column in table.bars and (value is None or isinstance(value, float)) else Text(text(value))


def _width(drawn: rich.table.Table, screen: Screen) -> int:
    """Take the width of the screen, or more where columns need it: a line may run over, a number is never cut.

    In a pipe or file nothing is wrapped.
    """
    gaps = (len(drawn.columns) + 1) * (_GAP + 1)
    natural = gaps + sum(column.max_width or 0 for column in drawn.columns)
    needed = gaps + sum(column.min_width or 0 for column in drawn.columns)
    return min(natural, max(screen.width, needed)) if screen.is_terminal else natural


def bar(share: float | None) -> Text:
    """Draw a share of 1 as its number and a bar of at most 20 cells."""
    if share is None:
        return Text("")
    eighths = round(min(max(share, 0.0), 1.0) * _BAR_CELLS * 8)
    cells = "█" * (eighths // 8) + _EIGHTHS[eighths % 8].strip()
    return Text.assemble(f"{share:.3f} ", (cells, "cyan"))
