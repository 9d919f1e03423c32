"""A report, or a result, as one HTML file: sortable tables, interactive plots, and a policy that forbids requests."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from html import escape
from importlib.resources import files
from string import Template

import polars as pl

from auditor.model import Pictures
from auditor.reports.cells import Marked, begins_section, beside_tables, cell, filled, flush_right, marks, sentence
from auditor.reports.figures.marks import Palette, palette
from auditor.reports.html import browsing, findings_table, first_screen, plots, tabs
from auditor.reports.html.pictures import Album
from auditor.result import Figure, Finding, Result, Table, answering, counted, program
from auditor.result.document import Document, Section

#: The most rows of a figure that are also shown as a table; the marks of a larger plot show its numbers.
_MOST = 1_000

_BAR = 80  # dots

#: Sections that are left out on paper.
_DEEP = ("correlation", "diversity", "people", "consensus", "templates", "versions", "method")

_LONG = 50  # characters of a text that may break anywhere

#: Columns of a table that has another beside it.
_NARROW = 7

_NUMBER = ' class="number"'

#: Characters that XML and HTML exclude, and lone surrogates.
_UNPRINTABLE = re.compile("[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")


def render(result: Result) -> str:
    """Return a result as a report of one section."""
    named = ", ".join(selection.label for selection in result.selections)
    answer, *more = result.lead or ("Result",)
    section = Section(
        result.command,
        answer,
        tuple(more),
        tables=result.page or result.tables,
        figures=result.figures,
        notes=beside_tables(result),
        sql=result.sql,
    )
    title = result.headline or f"auditor {result.command}" + (f": {named}" if named else "")
    return render_document(Document(title, result.selections, (section,), program(), signatures=result.signatures))


def part(section: Section, pictures: Pictures) -> str:
    """Return a single section as a part of another page; the style is `report.css`."""
    album = Album(pictures, _escaped)
    drawn = _section(section, palette(section.figures), album)
    return drawn + _list(map(_said, (*pictures.absent, *album.notes())), "notes")


def render_document(document: Document) -> str:
    """Return the page. Its policy names the hashes of its style and script and forbids all others."""
    if not document.pictures.shown:
        return _page(document, Album(document.pictures, _escaped))
    without = _page(document, Album(replace(document.pictures, shown={}), _escaped))
    return _page(document, Album(document.pictures, _escaped, beside=len(without.encode())))


def _page(document: Document, album: Album) -> str:
    page, style, script = (resource(f"report.{ending}") for ending in ("html", "css", "js"))
    made = f'</p>\n<p class="stamp">made <time>{document.made_at}</time>' if document.made_at else ""
    *first, last = document.sections
    colors = palette(figure for section in document.sections for figure in section.figures)
    sections = [
        (section, _first(document, colors, album))
        if number == 0 and document.portraits
        else (section, _section(section, colors, album, "", document, folded=tabs.is_folded(section)))
        for number, section in enumerate(first)
    ]
    if document.browsed:
        numbers = {one.label: number for number, one in enumerate(document.browsed)} | dict(colors.get("dataset", {}))
        sections.append((browsing.WORDS, browsing.words(document.browsed, numbers, _escaped)))
        sections.append((browsing.BROWSE, browsing.captions(document.browsed, album, _printable)))
    sections.append((last, _section(last, colors, album, _method(document, album))))
    links, shown = tabs.arranged(sections, _escaped)
    return Template(page).substitute(
        title=_escaped(document.title),
        program=_escaped(document.program),
        made_at=made,
        style=style,
        style_hash=_digest(style),
        script=script,
        script_hash=_digest(script),
        tabs=links,
        sections=shown,
    )


def _first(document: Document, colors: Palette, album: Album) -> str:
    """Draw the first screen, which replaces the section with the same content as sentences."""
    section = document.sections[0]
    numbers = next((known for series, known in colors.items() if series == "dataset"), {})
    labels = [portrait.label for portrait in document.portraits]
    answer = first_screen.answer(document.answer, _said)
    figure = _placed(section, numbers, labels)
    wrong, unchecked = (_tables_called(name, section) for name in ("dimensions", "unchecked"))
    absent = f'<p class="absent">{_said(section.absent)}</p>\n' if section.absent and not document.answer else ""
    named = dict.fromkeys(finding.kind for finding in document.cards)
    every = [finding for one in document.sections for finding in one.findings] or document.cards
    shown = [finding for kind in named for finding in every if finding.kind == kind and finding.severity != "info"]
    worst = absent + wrong + (_findings(shown, document, album) if shown else "")
    # Of a single dataset, readers ask first what is wrong; of several, which of them differ.
    halves = [("comparison", figure), ("findings", worst)][:: 1 if len(labels) > 1 else -1]
    sides = "".join(f'<div data-of="{source}">{half}</div>\n' for source, half in halves if half)
    drawn = (
        f'{answer}<div class="halves">\n{sides}</div>\n'
        f"{first_screen.strips(document.portraits, numbers, document.browsed, _escaped)}{unchecked}"
    )
    notes = _list(map(_said, (*section.notes, *document.pictures.absent)), "notes")
    return (
        f'<section id="{section.name}" aria-labelledby="{section.name}-title">\n'
        f'<h2 id="{section.name}-title" class="unseen">{_escaped(section.title)}</h2>\n{drawn}{notes}</section>\n'
    )


def _placed(section: Section, numbers: Mapping[str, int], labels: Sequence[str]) -> str:
    return "".join(
        first_screen.placed(
            [table for table in section.tables if table.sample and table.bars == first.bars],
            numbers, labels, lambda table: _table(table, section.title), _escaped,
        )
        for first in answering(section.tables)
    )  # fmt: skip


def _tables_called(name: str, section: Section) -> str:
    return "".join(_table(table, section.title) for table in section.tables if table.name == name)


def _findings(
    findings: Sequence[Finding], document: Document, album: Album, typed: Callable[[str], str] | None = None
) -> str:
    listed = {(one.label, kind) for one in document.browsed for kind in one.listed}
    return findings_table.table(findings, document.selections, album, _escaped, typed, listed)


def resource(name: str) -> str:
    """Return the text of a file of this folder."""
    return files("auditor.reports.html").joinpath(name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def _section(
    section: Section, colors: Palette, album: Album, more: str = "",
    document: Document | None = None, *, folded: bool = False,
) -> str:  # fmt: skip
    name = section.name
    heading = f'<h2 id="{name}-title">{_escaped(section.title)}</h2>'
    parts = [f'<p class="absent">{_said(section.absent)}</p>\n'] if section.absent else []
    parts += [_list(map(_said, section.words))]
    if section.findings and document:
        parts.append(_findings(section.findings, document, album, _said))
    tables, further = section.tables, section.further
    figures = "".join(_figure(figure, f"{name}-{number}", colors) for number, figure in enumerate(section.figures, 1))
    figures = f'<div class="figures">\n{figures}</div>\n' if figures else ""
    more_tables = f"{counted(len(further), 'table', 'tables')} more"
    if document and section.name in tabs.TABS["Compare"]:
        own = [portrait.label for portrait in document.portraits]
        if len(own) == 1:  # of several datasets, the first screen has this figure
            figures = _placed(section, {}, own) + figures
            tables = tuple(table for table in tables if not table.sample)
        tables, further, more_tables = (), (*tables, *further), "Numbers"
    parts += [_tables(tables, section.title, album), figures]
    if further:
        behind = _tables(further, section.title, album)
        parts.append(f"<details>\n<summary>{more_tables}</summary>\n{behind}</details>\n")
    parts += [_list(map(_said, section.notes), "notes")] if section.notes else []
    parts += [more]
    if section.commands:
        commands = "\n".join(map(_escaped, section.commands))
        parts.append(f'<pre class="command" tabindex="0"><code>{commands}</code></pre>\n')
    if section.sql:
        whole = document.statements if document else {}
        links = (f'<a href="#sql-{path}">{path}</a>' if path in whole else path for path in section.sql)
        ran = f"SQL behind these numbers: {counted(len(section.sql), 'SELECT', 'SELECTs')}"
        parts.append(f'<details class="notes">\n<summary>{ran}</summary>\n{", ".join(links)}</details>\n')
    kind = ' class="deep"' if name in _DEEP else ""
    body = "".join(parts)
    if folded:
        body = f'<details class="fold">\n<summary>{heading}</summary>\n{body}</details>\n'
    else:
        body = f"{heading}\n{body}"
    return f'<section id="{name}"{kind} aria-labelledby="{name}-title">\n{body}</section>\n'


def _figure(figure: Figure, name: str, colors: Palette) -> str:
    caption = f"<p>{_escaped(figure.caption)}</p>" if figure.caption else ""
    small = " small" if figure.kind == "heatmap" else ""
    drawn = plots.svg(figure, f"{name}-title", colors).replace('class="plot"', f'class="plot{small}"', 1)
    data = ""
    if figure.frame.height <= _MOST:
        rows = _table(Table("", figure.frame), figure.title)
        data = f"<details>\n<summary>Numbers of this figure</summary>\n{rows}</details>\n"
    return (
        f'<figure id="figure-{name}" aria-labelledby="{name}-title">\n<h3 id="{name}-title" dir="auto">'
        f"{_escaped(figure.title)}</h3>\n{plots.legend(figure, colors)}"
        f'<div class="scroll" tabindex="0" role="group" aria-labelledby="{name}-title">{drawn}</div>\n'
        f"<figcaption>{caption}</figcaption>\n{data}</figure>\n"
    )


def _tables(tables: Sequence[Table], within: str, album: Album) -> str:
    """Write tables side by side where they fit; on paper, several samples at once are left out."""
    if len(tables) < 2:
        return "".join(_table(table, within, album) for table in tables)
    first = answering(tables)

    def is_again(table: Table) -> bool:
        return bool(table.sample) and all(table is not shown for shown in first)

    wide = ("wide " * (_columns(table) > _NARROW or bool(table.pictured or table.filters)) for table in tables)
    deep = ("deep" * (is_again(table) or "raw_rank" in table.frame.columns) for table in tables)
    drawn = "".join(
        f'<div class="{"".join(kinds).strip()}">\n{_table(table, within, album)}</div>\n'
        for *kinds, table in zip(wide, deep, tables, strict=True)
    )
    return f'<div class="tables">\n{drawn}</div>\n'


def _columns(table: Table) -> int:
    """Count the columns of a table, each with long texts as four more."""
    texts = table.frame.select(pl.col(pl.String).str.len_chars().max() > _LONG)
    return table.frame.width + 4 * sum(map(bool, texts.row(0) if texts.height else ()))


def _table(table: Table, within: str, album: Album | None = None) -> str:
    label = _escaped(table.title or within)
    caption = f'<p class="caption">{_escaped(table.caption)}</p>\n' if table.caption else ""
    rows = _table_element(table, album)
    return f'<div class="scroll" tabindex="0" role="group" aria-label="{label}">\n{rows}</div>\n{caption}'


def _table_element(table: Table, album: Album | None) -> str:
    columns = table.frame.columns
    right = [flush_right(table, column) and column not in table.bars for column in columns]
    heads = "".join(
        f'<th scope="col"{_NUMBER if flush else ""}>{_escaped(column)}</th>' if column else "<td></td>"
        for column, flush in zip(columns, right, strict=True)
    )
    rows = []
    drawn = album.of_rows(table) if album else {}
    for number, (row, apart) in enumerate(zip(table.frame.iter_rows(), marks(table), strict=True)):
        pictures = (drawn[column][number] if column in drawn else "" for column in columns)
        cells = (_cell(table, number, *cell, apart) for cell in zip(columns, row, right, pictures, strict=True))
        begins = ' class="section"' if begins_section(table, number) else ""
        anchor = f' id="{_escaped(str(row[columns.index(table.anchors)]))}"' if table.anchors else ""
        source = f' data-of="{_escaped(str(row[columns.index("section")]))}"' if "section" in columns else ""
        rows.append(f"<tr{anchor}{begins}{source}>{''.join(cells)}</tr>\n")
    title = f"<caption>{_escaped(table.title)}</caption>\n" if table.title else ""
    body = f"<thead><tr>{heads}</tr></thead>\n<tbody>\n{''.join(rows)}</tbody>\n"
    places = " ".join(str(columns.index(column)) for column in table.filters)
    filtered = f' data-filters="{places}"' if table.filters else ""
    return f"<table{filtered}>\n{title}{body}</table>\n"


def _cell(
    table: Table, row: int, column: str, value: object, flush: bool, picture: str, apart: Mapping[str, Marked]
) -> str:
    written = (_said if column in table.sentences else _escaped)(cell(table, column, value))
    if column in apart:
        written = findings_table.marked(apart[column], _escaped)
    if column in table.bars and isinstance(value, float):
        width = round(filled(table, row, column) * _BAR)
        bar = f'<svg class="bar" width="{_BAR}" height="9" aria-hidden="true"><rect width="{width}" height="9"/></svg>'
        written = f"{value:.3f}{bar}"
    if (row, column) in table.best:
        written = f"<strong>{written}</strong>"
    written = picture + written
    if column == table.anchors:
        written = f'<a href="#{_escaped(str(value))}">{written}</a>'
    if column == table.frame.columns[0] and not flush:
        return f'<th scope="row" dir="auto">{written}</th>'
    long = ' class="long"' if isinstance(value, str) and len(value) > _LONG else ""
    return f"<td{_NUMBER}>{written}</td>" if flush else f'<td{long} dir="auto">{written}</td>'


def _method(document: Document, album: Album) -> str:
    """Return versions, signatures, SQL, and notes on images, after all of them are drawn."""
    versions = (
        f"{_escaped(selection.label)} = {_escaped(selection.version.label)}: "
        f"<code>{_escaped(selection.version.version)}</code>"
        for selection in document.selections
    )
    signatures = [f"<code>{_escaped(signature)}</code>" for signature in document.signatures.values()]
    statements = "".join(
        f'<details class="sql" id="sql-{path}">\n<summary>{path}</summary>\n'
        f'<pre tabindex="0"><code>{_escaped(text)}</code></pre>\n</details>\n'
        for path, text in document.statements.items()
    )
    parts = [f"<h3>Versions</h3>\n{_list(versions)}"] if document.selections else []
    parts += (
        [f"<details>\n<summary>Signatures: {len(signatures)}</summary>\n{_list(signatures)}</details>\n"]
        if signatures
        else []
    )
    notes = _list(map(_said, album.notes()))
    parts += [f"<h3>Images</h3>\n{notes}"] if notes else []
    parts += [f"<h3>SQL</h3>\n{statements}"] if statements else []
    parts += ["<h3>Commands</h3>\n"] if document.sections[-1].commands else []
    return "".join(parts)


def _said(text: str) -> str:
    return sentence(text, _escaped, lambda typed: f"<code>{_escaped(typed)}</code>")


def _list(items: Iterable[str], kind: str = "") -> str:
    named = f' class="{kind}"' if kind else ""
    listed = "".join(f'<li dir="auto">{item}</li>\n' for item in items)
    return f"<ul{named}>\n{listed}</ul>\n" if listed else ""


def _printable(value: str) -> str:
    return _UNPRINTABLE.sub("\N{REPLACEMENT CHARACTER}", value)


def _escaped(value: str) -> str:
    return escape(_printable(value))
