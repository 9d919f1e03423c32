"""Tables on a terminal, by rich: ranked rows, bars for shares of 1, notes and signatures below."""

from __future__ import annotations

import rich.box
import rich.table
from rich.console import Console
from rich.markup import escape
from rich.text import Text

from auditor.model import Result, Table
from auditor.reports.cells import begins_section, flush_right, text

_BAR_CELLS = 20
_PROSE = 36  # a longer cell may wrap
_EIGHTHS = " ▏▎▍▌▋▊▉"


def show(result: Result, console: Console) -> None:
    """Draw every table of a result, then its notes, versions and signatures."""
    for table in result.tables:
        console.print(_draw(table))
        if table.caption:
            console.print(f"[dim]{escape(table.caption)}[/dim]")
        console.print()
    for note in result.notes:
        console.print(f"[yellow]•[/yellow] {escape(note)}")
    for selection in result.selections:
        version = selection.version
        console.print(f"[dim]{escape(selection.label)} = {version.label}, version {version.version[:12]}[/dim]")
    for signature in result.signatures.values():
        console.print(f"[dim]{escape(signature)}[/dim]", soft_wrap=True)


def _draw(table: Table) -> rich.table.Table:
    drawn = rich.table.Table(
        title=escape(table.title) or None,
        box=rich.box.SIMPLE_HEAD,
        title_justify="left",
        title_style="bold",
        pad_edge=False,
        padding=(0, 2, 0, 0),
    )
    for column in table.frame.columns:
        numeric = column not in table.bars and flush_right(table, column)
        prose = any(len(text(value)) > _PROSE for value in table.frame[column])
        drawn.add_column(escape(column), justify="right" if numeric else "left", no_wrap=not prose, overflow="fold")
    for number, row in enumerate(table.frame.iter_rows(named=True)):
        if begins_section(table, number):
            drawn.add_section()
        drawn.add_row(*(bar(value) if name in table.bars else Text(text(value)) for name, value in row.items()))
    return drawn


def bar(share: float | None) -> Text:
    """Draw a share of 1 as its number and a bar of at most 20 cells."""
    if share is None:
        return Text("")
    eighths = round(min(max(share, 0.0), 1.0) * _BAR_CELLS * 8)
    cells = "█" * (eighths // 8) + _EIGHTHS[eighths % 8].strip()
    return Text.assemble(f"{share:.3f} ", (cells, "cyan"))
