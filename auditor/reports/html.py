"""HTML: one file that needs nothing else. No script, no request, no inline style: its own policy forbids them."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterable
from html import escape
from importlib.resources import files
from string import Template

from auditor.figure import Figure
from auditor.model import Result, Table
from auditor.reports.cells import begins_section, flush_right, text

_BAR = 80  # dots
_NUMBER = ' class="number"'

#: What XML and HTML have no place for, and halves of characters.
_UNPRINTABLE = re.compile("[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")


def render(result: Result) -> str:
    """Give figures with their captions, tables, notes, versions and signatures as a page."""
    page, style = (_resource(f"page.{ending}") for ending in ("html", "css"))
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    named = ", ".join(selection.label for selection in result.selections)
    return Template(page).substitute(
        title=_escape(f"auditor {result.command}" + (f": {named}" if named else "")),
        style=style,
        style_hash=f"sha256-{digest}",
        figures="".join(_figure(figure, number) for number, figure in enumerate(result.figures, 1)),
        tables="".join(map(_table, result.tables)),
        notes=_list("Notes", (_escape(note) for note in result.notes)),
        versions=_list("Versions", _versions(result)),
        signatures=_list("Signatures", (f"<code>{_escape(one)}</code>" for one in result.signatures.values())),
    )


def _resource(name: str) -> str:
    return files("auditor.reports").joinpath(name).read_text(encoding="utf-8")


def _figure(figure: Figure, number: int) -> str:
    from auditor.reports import drawing

    drawn = drawing.inline(figure, f"f{number}-")
    caption = f"<figcaption>{_escape(figure.caption)}</figcaption>\n" if figure.caption else ""
    return f'<figure id="figure-{number}">\n<div class="scroll" tabindex="0">{drawn}</div>\n{caption}</figure>\n'


def _table(table: Table) -> str:
    columns = table.frame.columns
    right = [flush_right(table, column) and column not in table.bars for column in columns]
    heads = "".join(
        f'<th scope="col"{_NUMBER if flush else ""}>{_escape(column)}</th>'
        for column, flush in zip(columns, right, strict=True)
    )
    rows = []
    for number, row in enumerate(table.frame.iter_rows()):
        cells = (_cell(table, *one) for one in zip(columns, row, right, strict=True))
        begins = ' class="section"' if begins_section(table, number) else ""
        rows.append(f"<tr{begins}>{''.join(cells)}</tr>\n")
    title = f"<caption>{_escape(table.title)}</caption>\n" if table.title else ""
    body = f"<thead><tr>{heads}</tr></thead>\n<tbody>\n{''.join(rows)}</tbody>\n"
    caption = f'<p class="caption">{_escape(table.caption)}</p>\n' if table.caption else ""
    return f'<div class="scroll" tabindex="0">\n<table>\n{title}{body}</table>\n</div>\n{caption}'


def _cell(table: Table, column: str, value: object, flush: bool) -> str:
    written = _escape(text(value))
    if column in table.bars and isinstance(value, float):
        filled = round(min(max(value, 0.0), 1.0) * _BAR)
        bar = f'<svg class="bar" width="{_BAR}" height="9" aria-hidden="true"><rect width="{filled}" height="9"/></svg>'
        written = f"{value:.3f}{bar}"
    if column == table.frame.columns[0] and not flush:
        return f'<th scope="row" dir="auto">{written}</th>'
    return f"<td{_NUMBER}>{written}</td>" if flush else f'<td dir="auto">{written}</td>'


def _versions(result: Result) -> Iterable[str]:
    for one in result.selections:
        yield f"{_escape(one.label)} = {_escape(one.version.label)}: <code>{_escape(one.version.version)}</code>"


def _list(title: str, items: Iterable[str]) -> str:
    listed = "".join(f'<li dir="auto">{item}</li>\n' for item in items)
    return f"<section>\n<h2>{title}</h2>\n<ul>\n{listed}</ul>\n</section>\n" if listed else ""


def _escape(value: str) -> str:
    return escape(_UNPRINTABLE.sub("\N{REPLACEMENT CHARACTER}", value))
