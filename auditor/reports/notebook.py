"""The display of results in notebooks, and the files of `save`, for `auditor.result.display`."""

from __future__ import annotations

import functools
import hashlib
import re
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import replace
from html import escape
from pathlib import Path
from typing import BinaryIO, TypeVar

from auditor import reports
from auditor.dataset_card import DatasetCard
from auditor.errors import UsageError
from auditor.files import is_plain, written
from auditor.files.rows import disk_errors
from auditor.model import Pictures
from auditor.reports.cells import beside_tables
from auditor.reports.html.document import part, render_document, resource
from auditor.result import Result, Table
from auditor.result.document import Document, Section

#: The most rows of a table in a cell, since the notebook's file contains them.
_MOST = 200

_CLASS = "auditor-result"

T = TypeVar("T")

#: Stops a notebook's MathJax (versions 3 and 2) from reading dollar signs of captions as formulas.
_NO_FORMULA = "mathjax_ignore tex2jax_ignore"


def cell(shown: Result | Document, pictures: Pictures) -> str:
    """Return a result as a part of the notebook's page, or a report, with its own images, as a page within it."""
    return of_document(shown) if isinstance(shown, Document) else of_result(shown, pictures)


def svgs(result: Result, *names: str) -> Mapping[str, str]:
    """Draw the figures of a result, or those with the given names. Raises `UsageError` without them."""
    from auditor.reports.figures.drawing import drawn

    return {word: svg.decode() for word, svg in drawn(result, "svg", *names).items()}


def only(drawings: Mapping[str, T]) -> T:
    """Return the drawing if there is one. Raises `UsageError` for several, which need files."""
    if len(drawings) > 1:
        raise UsageError(f"each figure needs a file: set -o FILE.svg, or one with --figure: {', '.join(drawings)}")
    return next(iter(drawings.values()))


def save(shown: Result | Document, path: Path, format_name: str | None, *names: str) -> list[Path]:
    """Write a file in the named format, or in that of its ending; each of several figures to a file next to `path`.

    If one of them cannot be written, none is. Raises `UsageError` for an unsupported format, and several figures in a
    pipe. Returns the paths of the files.
    """
    if isinstance(shown, Document):
        chosen = reports.document_format(format_name, path, card=isinstance(shown, DatasetCard))
        text = reports.document_text(shown, chosen)
        with written(path) as file:
            file.write(text.encode())
        return [path]
    chosen = reports.chosen_format(format_name, path)
    if chosen not in reports.PICTURES:
        with written(path) as file:
            write(shown, chosen, file)
        return [path]
    from auditor.reports.figures.drawing import drawn

    drawings = drawn(shown, chosen, *names)
    if len(drawings) == 1 or not is_plain(path):
        files = {path: only(drawings)}
    else:
        files = {path.with_name(f"{path.stem}-{word}{path.suffix}"): drawing for word, drawing in drawings.items()}
    with ExitStack() as drafts:
        for draft, drawing in [(drafts.enter_context(written(file)), drawing) for file, drawing in files.items()]:
            draft.write(drawing)
    return [*files]


def write(result: Result, chosen: str, file: BinaryIO) -> None:
    """Write a result in one of `reports.FORMATS`, except those of images."""
    if chosen == "parquet":
        with disk_errors():
            result.frame.write_parquet(file)
    else:
        text = reports.table if chosen == "table" else reports.TEXT_FORMATS[chosen]
        file.write(text(result).encode(errors="backslashreplace"))


def of_result(result: Result, pictures: Pictures) -> str:
    """Return a result as HTML within another page: title, tables, images, notes and figures."""
    named = ", ".join(selection.label for selection in result.selections)
    title = f"{result.command}: {named}" if named else result.command
    tables = result.tables or (Table("", result.frame, name="rows"),)
    content = (*result.signatures.values(), *(table.title for table in tables), named)
    mark = hashlib.sha256("\0".join((result.command, *content)).encode()).hexdigest()[:8]
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
    """Return a report as a page within the page; its script cannot access the notebook."""
    page = escape(render_document(document), quote=True)
    return (
        f'<iframe title="{escape(document.title, quote=True)}" sandbox="allow-scripts" '
        f'style="width: 100%; height: 48rem; border: 1px solid #d4d7dc; background: #fff" srcdoc="{page}"></iframe>\n'
    )


def _short(table: Table) -> Table:
    """Cut a table to the rows of a cell, and add to its caption how many are left out."""
    beyond = table.frame.height - _MOST
    if beyond <= 0:
        return table
    more = f"{beyond:,} more rows: .frame has all rows of the result, .tables those of its tables"
    caption = f"{table.caption}; {more}" if table.caption else more
    pictured = tuple((column, dataset, images[:_MOST]) for column, dataset, images in table.pictured)
    best = tuple((row, column) for row, column in table.best if row < _MOST)
    return replace(table, frame=table.frame.head(_MOST), caption=caption, pictured=pictured, best=best)


@functools.cache
def _scoped() -> str:
    """Return the report's style for cells of results only, with the rules for root and body applied to the cell."""
    rules = resource("report.css")
    rules = rules[: rules.index("@page")]
    rules = re.sub(r"@media \(prefers-color-scheme: dark\) \{.*?\n\}\n", "", rules, flags=re.DOTALL)
    rules = rules.replace(":root[data-theme=dark]", "[data-jp-theme-light=false] &, .vscode-dark &")
    rules = re.sub(r"(?m)^(?::root|html|body) \{", "& {", rules)
    rules += resource("cell.css")  # the notebook's width and margins, and no lines around headings
    return f".{_CLASS}.{_CLASS} {{{rules}}}"  # twice: takes precedence over the notebook's style of tables
