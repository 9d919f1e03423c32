"""A report as one HTML file: tables that sort, plots that answer, no request: its own policy forbids any."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from string import Template

from auditor.reports.cells import sentence
from auditor.reports.figures.marks import Palette, palette
from auditor.reports.html import plots
from auditor.reports.html.result import digest, escaped, resource, table_element
from auditor.result import Document, Figure, Section, Table, counted

#: Rows of a figure that are shown as a table below it; a plot of more is read by its marks.
_MOST = 1_000


def render(document: Document) -> str:
    """Give the page. Its style and its script are named by their hashes, so that no other is obeyed."""
    page, style, script = (resource(f"report.{ending}") for ending in ("html", "css", "js"))
    paths = {statement.name: statement.path for statement in document.statements}
    made = f'</p>\n<p class="stamp">made <time>{document.made_at}</time>' if document.made_at else ""
    *first, last = document.sections
    colours = palette(figure for section in document.sections for figure in section.figures)
    return Template(page).substitute(
        title=escaped(document.title),
        program=escaped(document.program),
        made_at=made,
        style=style,
        style_hash=digest(style),
        script=script,
        script_hash=digest(script),
        contents="".join(f'<li><a href="#{one.name}">{escaped(one.title)}</a></li>\n' for one in document.sections),
        sections="".join(_section(one, paths, colours) for one in first)
        + _section(last, paths, colours, _method(document)),
    )


def _section(section: Section, paths: Mapping[str, str], colours: Palette, more: str = "") -> str:
    name = section.name
    parts = [f'<h2 id="{name}-title">{escaped(section.title)}</h2>\n']
    parts += [f'<p class="absent">{_said(section.absent)}</p>\n'] if section.absent else []
    parts += [_list(map(_said, section.words))]
    parts += [_table(table, section.title) for table in section.tables]
    figures = "".join(_figure(figure, f"{name}-{number}", colours) for number, figure in enumerate(section.figures, 1))
    parts += [f'<div class="figures">\n{figures}</div>\n'] if figures else []
    if section.further:
        tables = "".join(_table(table, section.title) for table in section.further)
        number = counted(len(section.further), "table", "tables")
        parts.append(f"<details>\n<summary>{number} more</summary>\n{tables}</details>\n")
    parts += [_list(map(_said, section.notes), "notes")] if section.notes else []
    parts += [more]
    if section.commands:
        commands = "\n".join(map(escaped, section.commands))
        parts.append(f'<pre class="command" tabindex="0"><code>{commands}</code></pre>\n')
    if section.sql:
        links = ", ".join(f'<a href="#sql-{one}">{escaped(paths[one])}</a>' for one in section.sql)
        parts.append(f'<p class="notes">SQL behind these numbers: {links}</p>\n')
    return f'<section id="{name}" aria-labelledby="{name}-title">\n{"".join(parts)}</section>\n'


def _figure(figure: Figure, name: str, colours: Palette) -> str:
    caption = f"<p>{escaped(figure.caption)}</p>" if figure.caption else ""
    small = " small" if figure.kind == "heatmap" else ""
    drawn = plots.svg(figure, f"{name}-title", colours).replace('class="plot"', f'class="plot{small}"', 1)
    data = ""
    if figure.frame.height <= _MOST:
        rows = _table(Table("", figure.frame), figure.title)
        data = f"<details>\n<summary>Numbers of this figure</summary>\n{rows}</details>\n"
    return (
        f'<figure id="figure-{name}" aria-labelledby="{name}-title">\n<h3 id="{name}-title" dir="auto">'
        f"{escaped(figure.title)}</h3>\n{plots.legend(figure, colours)}"
        f'<div class="scroll" tabindex="0" role="group" aria-labelledby="{name}-title">{drawn}</div>\n'
        f"<figcaption>{caption}</figcaption>\n{data}</figure>\n"
    )


def _table(table: Table, within: str) -> str:
    label = escaped(table.title or within)
    caption = f'<p class="caption">{escaped(table.caption)}</p>\n' if table.caption else ""
    return (
        f'<div class="scroll" tabindex="0" role="group" aria-label="{label}">\n{table_element(table)}</div>\n{caption}'
    )


def _method(document: Document) -> str:
    """Give versions, signatures and SQL."""
    versions = (
        f"{escaped(one.label)} = {escaped(one.version.label)}: <code>{escaped(one.version.version)}</code>"
        for one in document.selections
    )
    signatures = [f"<code>{escaped(one)}</code>" for one in document.signatures.values()]
    statements = "".join(
        f'<details class="sql" id="sql-{one.name}">\n<summary>{escaped(one.path)}</summary>\n'
        f'<pre tabindex="0"><code>{escaped(one.text)}</code></pre>\n</details>\n'
        for one in document.statements
    )
    parts = [f"<h3>Versions</h3>\n{_list(versions)}"]
    parts += (
        [f"<details>\n<summary>Signatures: {len(signatures)}</summary>\n{_list(signatures)}</details>\n"]
        if signatures
        else []
    )
    parts += [f"<h3>SQL</h3>\n{statements}"] if statements else []
    return "".join([*parts, "<h3>Commands</h3>\n"])


def _said(text: str) -> str:
    return sentence(text, escaped, lambda typed: f"<code>{escaped(typed)}</code>")


def _list(items: Iterable[str], kind: str = "") -> str:
    named = f' class="{kind}"' if kind else ""
    listed = "".join(f'<li dir="auto">{item}</li>\n' for item in items)
    return f"<ul{named}>\n{listed}</ul>\n" if listed else ""
