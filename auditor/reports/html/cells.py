"""Results and reports as the output of a notebook's cell.

A result becomes a part of the notebook's own page, with the style of the report held to it; without that style it is
plain tables, which is what a page shows that takes no style from notebooks. A report stays a page of its own.
"""

from __future__ import annotations

import functools
import hashlib
import re
from dataclasses import replace
from html import escape

from auditor.model import Pictures
from auditor.reports.cells import beside_tables
from auditor.reports.html.document import part, render_document, style
from auditor.result import Result, Table
from auditor.result.document import Document, Section

#: Rows of a table that a cell shows; the notebook's file holds them all.
_MOST = 200

_CLASS = "auditor-result"

#: What tells a notebook's MathJax, of version 3 and of 2, that dollar signs of captions begin no formula.
_NO_FORMULA = "mathjax_ignore tex2jax_ignore"

#: What says how a cell differs from a page: the notebook's own width and margins, and no heading between lines.
_OWN = """
& { padding: .2rem .8rem .8rem; font-size: 14px }
& section { padding-top: 0 } & h2, & h3 { font-weight: bold }
& h2 { border: 0; padding: 0; font-size: 1.15rem }
& table { margin-left: 0; margin-right: 0; border: 0; table-layout: auto; color: inherit }
& tbody tr, & tbody tr:nth-child(odd), & tbody tr:hover { background: none }
& th, & td { text-align: left } & .number { text-align: right }
& .legend button { cursor: default }
"""


def of_result(result: Result, pictures: Pictures) -> str:
    """Give a result as HTML that stands within another page: title, tables, pictures, notes and figures."""
    named = ", ".join(selection.label for selection in result.selections)
    title = f"{result.command}: {named}" if named else result.command
    tables = result.tables or (Table("", result.frame, name="rows"),)
    told = (*result.signatures.values(), *(one.title for one in tables), named)
    mark = hashlib.sha256("\0".join((result.command, *told)).encode()).hexdigest()[:8]
    section = Section(
        f"{result.command.replace(' ', '-')}-{mark}",
        title,
        result.lead,
        tables=tuple(map(_short, tables)),
        figures=result.figures,
        notes=(*beside_tables(result), *(str(result.failure) for _ in range(result.failure is not None))),
    )
    return f'<div class="{_CLASS} {_NO_FORMULA}">\n<style>{_scoped()}</style>\n{part(section, pictures)}</div>\n'


def of_document(document: Document) -> str:
    """Give a report as a page within the page; it runs its own script, and reaches nothing of the notebook's."""
    page = escape(render_document(document), quote=True)
    return (
        f'<iframe title="{escape(document.title, quote=True)}" sandbox="allow-scripts" '
        f'style="width: 100%; height: 48rem; border: 1px solid #d4d7dc; background: #fff" srcdoc="{page}"></iframe>\n'
    )


def _short(table: Table) -> Table:
    """Leave out the rows beyond what a cell shows, and say so."""
    beyond = table.frame.height - _MOST
    if beyond <= 0:
        return table
    said = f"{beyond:,} rows more: .frame has all rows of the result, .tables those of its tables"
    caption = f"{table.caption}; {said}" if table.caption else said
    pictured = tuple((column, dataset, images[:_MOST]) for column, dataset, images in table.pictured)
    best = tuple(one for one in table.best if one[0] < _MOST)
    return replace(table, frame=table.frame.head(_MOST), caption=caption, pictured=pictured, best=best)


@functools.cache
def _scoped() -> str:
    """Hold the report's style to cells of results: what it says of a page's root and body it says of these."""
    rules = style()
    rules = rules[: rules.index("@page")]
    rules = re.sub(r"@media \(prefers-color-scheme: dark\) \{.*?\n\}\n", "", rules, flags=re.DOTALL)
    rules = rules.replace(":root[data-theme=dark]", "[data-jp-theme-light=false] &, .vscode-dark &")
    rules = re.sub(r"(?m)^(?::root|html|body) \{", "& {", rules)
    return f".{_CLASS}.{_CLASS} {{{rules}{_OWN}}}"  # twice: to weigh more than what notebooks say of tables
