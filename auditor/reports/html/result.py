"""HTML: one file that needs nothing else. No script, no request, no inline style: its own policy forbids them."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterable
from html import escape
from importlib.resources import files
from string import Template

from auditor.reports.cells import begins_section, cell, flush_right
from auditor.reports.figures.marks import Palette, palette
from auditor.result import Figure, Result, Table

_BAR = 80  # dots

_LONG = 50  # signs of a text that may break anywhere

_NUMBER = ' class="number"'

#: What XML and HTML have no place for, and halves of characters.
_UNPRINTABLE = re.compile("[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")


def render(result: Result) -> str:
    """Give figures with their captions, tables, notes, versions and signatures as a page."""
    page, style = (resource(f"page.{ending}") for ending in ("html", "css"))
    named = ", ".join(selection.label for selection in result.selections)
    colours = palette(result.figures)
    return Template(page).substitute(
        title=escaped(f"auditor {result.command}" + (f": {named}" if named else "")),
        style=style,
        style_hash=digest(style),
        figures="".join(_figure(figure, number, colours) for number, figure in enumerate(result.figures, 1)),
        tables="".join(map(_table, result.tables)),
        notes=_list("Notes", (escaped(note) for note in result.sentences)),
        versions=_list("Versions", _versions(result)),
        signatures=_list("Signatures", (f"<code>{escaped(one)}</code>" for one in result.signatures.values())),
    )


def resource(name: str) -> str:
    """Read a file that stands beside this module."""
    return files("auditor.reports.html").joinpath(name).read_text(encoding="utf-8")


def digest(text: str) -> str:
    """Hash a style or a script as a page's policy names it."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def _figure(figure: Figure, number: int, colours: Palette) -> str:
    from auditor.reports.figures import drawing

    drawn = drawing.inline(figure, f"f{number}-", colours)
    caption = f"<figcaption>{escaped(figure.caption)}</figcaption>\n" if figure.caption else ""
    return f'<figure id="figure-{number}">\n<div class="scroll" tabindex="0">{drawn}</div>\n{caption}</figure>\n'


def _table(table: Table) -> str:
    caption = f'<p class="caption">{escaped(table.caption)}</p>\n' if table.caption else ""
    return f'<div class="scroll" tabindex="0">\n{table_element(table)}</div>\n{caption}'


def table_element(table: Table) -> str:
    """Write the rows of a table, under its title; who shows it says where it may scroll."""
    columns = table.frame.columns
    right = [flush_right(table, column) and column not in table.bars for column in columns]
    heads = "".join(
        f'<th scope="col"{_NUMBER if flush else ""}>{escaped(column)}</th>' if column else "<td></td>"
        for column, flush in zip(columns, right, strict=True)
    )
    rows = []
    for number, row in enumerate(table.frame.iter_rows()):
        cells = (_cell(table, number, *one) for one in zip(columns, row, right, strict=True))
        begins = ' class="section"' if begins_section(table, number) else ""
        rows.append(f"<tr{begins}>{''.join(cells)}</tr>\n")
    title = f"<caption>{escaped(table.title)}</caption>\n" if table.title else ""
    body = f"<thead><tr>{heads}</tr></thead>\n<tbody>\n{''.join(rows)}</tbody>\n"
    return f"<table>\n{title}{body}</table>\n"


def _cell(table: Table, row: int, column: str, value: object, flush: bool) -> str:
    written = escaped(cell(table, column, value))
    if column in table.bars and isinstance(value, float):
        filled = round(min(max(value, 0.0), 1.0) * _BAR)
        bar = f'<svg class="bar" width="{_BAR}" height="9" aria-hidden="true"><rect width="{filled}" height="9"/></svg>'
        written = f"{value:.3f}{bar}"
    if (row, column) in table.best:
        written = f"<strong>{written}</strong>"
    if column == table.frame.columns[0] and not flush:
        return f'<th scope="row" dir="auto">{written}</th>'
    long = ' class="long"' if isinstance(value, str) and len(value) > _LONG else ""
    return f"<td{_NUMBER}>{written}</td>" if flush else f'<td{long} dir="auto">{written}</td>'


def _versions(result: Result) -> Iterable[str]:
    for one in result.selections:
        yield f"{escaped(one.label)} = {escaped(one.version.label)}: <code>{escaped(one.version.version)}</code>"


def _list(title: str, items: Iterable[str]) -> str:
    listed = "".join(f'<li dir="auto">{item}</li>\n' for item in items)
    return f"<section>\n<h2>{title}</h2>\n<ul>\n{listed}</ul>\n</section>\n" if listed else ""


def escaped(value: str) -> str:
    """Write a text as a text of a page, with a sign for what a page has no place for."""
    return escape(_UNPRINTABLE.sub("\N{REPLACEMENT CHARACTER}", value))
