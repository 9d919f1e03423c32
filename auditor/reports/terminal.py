"""Tables on a terminal, by rich: ranked rows, bars for shares of 1, figures, notes and signatures below."""

from __future__ import annotations

from typing import TextIO

import rich.box
import rich.table
from rich.console import RenderableType
from rich.measure import Measurement
from rich.text import Text

from auditor.reports.cells import begins_section, block, cell, flush_right
from auditor.reports.figures import terminal
from auditor.reports.harmless import HarmlessConsole, harmless
from auditor.result import Result, Table, counted

_BAR_CELLS = 20

_PROSE = 36  # a cell of text longer than this may wrap

_GAP = 2

_FIGURE_LINES = 40  # of all figures together

_WIDEST = 1000


class Screen(HarmlessConsole):
    """A terminal, a pipe or a file that tables are drawn on.

    Text is never read as markup, emoji or numbers to be coloured; a reader that leaves early (`| head`) is no error.
    """

    def __init__(self, file: TextIO, *, color: bool = True, width: int | None = None) -> None:
        super().__init__(file=file, no_color=not color or None, width=width, highlight=False, emoji=False, markup=False)


def show(result: Result, screen: Screen) -> None:
    """Draw every table of a result, what figures there is room for, then its notes, versions and signatures."""
    for table in result.tables:
        drawn = _draw(table)
        _print(drawn, screen, _width(drawn, screen))
        if table.caption:
            screen.print(harmless(table.caption), style="dim")
        screen.print()
    _show_figures(result, screen)
    for note in result.sentences:
        screen.print(Text.assemble(("• ", "yellow"), harmless(note)), soft_wrap=True)
    for selection in result.selections:
        version = selection.version
        screen.print(
            f"{selection.label} = {version.label}, version {version.version[:12]}", style="dim", soft_wrap=True
        )
    for signature in result.signatures.values():
        screen.print(signature, style="dim", soft_wrap=True)


def _show_figures(result: Result, screen: Screen) -> None:
    """Draw figures in their order, 40 lines in all, and say how to see the others."""
    left = _FIGURE_LINES
    undrawn = 0
    for figure in result.figures:
        lines = terminal.height(figure)
        if figure.tabled or lines > left:
            undrawn += 1
            continue
        left -= lines
        for part in terminal.draw(figure):
            if isinstance(part, Text):
                screen.print(part)
            else:
                _print(part, screen, Measurement.get(screen, screen.options.update(width=_WIDEST), part).maximum)
        screen.print()
    if undrawn:
        figures = counted(len(result.figures), "figure", "figures")
        screen.print(f"-o FILE.svg, .png or .html draws {figures}", style="dim", soft_wrap=True)


def _print(drawn: RenderableType, screen: Screen, width: int) -> None:
    """Print with room for every number, even beyond the edge of the screen."""
    before = screen.width
    screen.width = width
    screen.print(drawn, crop=False)
    screen.width = before


def _draw(table: Table) -> rich.table.Table:
    drawn = rich.table.Table(
        title=Text(harmless(table.title), style="bold") if table.title else None,
        box=rich.box.SIMPLE_HEAD,
        title_justify="left",
        pad_edge=False,
        padding=(0, _GAP, 0, 0),
    )
    cells = {column: [_cell(table, column, value) for value in table.frame[column]] for column in table.frame.columns}
    for column, drawn_cells in cells.items():
        head = Text(harmless(column))
        widest = max(cell.cell_len for cell in [head, *drawn_cells])
        numeric = column not in table.bars and flush_right(table, column)
        prose = not numeric and widest > _PROSE and column not in table.bars
        drawn.add_column(
            head,
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
    if column in table.bars and (value is None or isinstance(value, float)):
        return bar(value)
    return Text(harmless(cell(table, column, value)))


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
    return Text.assemble(f"{share:.3f} ", (block(share, _BAR_CELLS), "cyan"))
