"""The room of characters on a screen or page: one writer per format. It knows records, never a study."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from auditor.errors import UsageError
from auditor.replacing import is_plain
from auditor.reports import csv, latex, markdown, verdicts
from auditor.reports.html import document as html
from auditor.result import Document, Result


def _svg(result: Result) -> str:
    from auditor.reports.figures import drawing

    return drawing.svg(result)


#: Writers of text formats. `table` is drawn by `terminal`, `parquet` is written by the frame itself.
TEXT_FORMATS: Mapping[str, Callable[[Result], str]] = {
    "json": lambda result: result.to_json() + "\n",
    "csv": csv.render,
    "md": markdown.render,
    "latex": latex.render,
    "html": html.render,
    "svg": _svg,
    "junit": verdicts.junit,
    "github": verdicts.github,
}

FORMATS = ("table", *TEXT_FORMATS, "png", "parquet")

#: Writers of reports.
DOCUMENT_FORMATS: Mapping[str, Callable[[Document], str]] = {
    "html": html.render_document,
    "md": markdown.render_document,
    "latex": latex.render_document,
    "json": lambda document: document.to_json() + "\n",
}

#: Formats that show nothing but figures.
PICTURES = frozenset({"svg", "png"})

#: Formats that show nothing but verdicts.
VERDICTS = frozenset({"junit", "github"})

#: Formats that a terminal cannot show.
_BINARY = frozenset({"png", "parquet"})

_ENDINGS = {
    ".json": "json",
    ".csv": "csv",
    ".md": "md",
    ".tex": "latex",
    ".html": "html",
    ".htm": "html",
    ".svg": "svg",
    ".png": "png",
    ".parquet": "parquet",
    ".txt": "table",
    ".xml": "junit",
}

#: Counts the texts that a spreadsheet program takes for formulas.
formulas = csv.formulas


def document_format(name: str | None, output: Path | None) -> str:
    """Decide the format of a report: the one named, else the one that the output file's ending stands for."""
    known = ", ".join(DOCUMENT_FORMATS)
    if name is not None:
        if name not in DOCUMENT_FORMATS:
            raise UsageError(f"{name}: no format of a report; known are {known}")
        return name
    if output is None:
        raise UsageError(f"a report needs a file or a format: -o FILE.{{html,md,tex,json}}, or --format {known}")
    chosen = _ENDINGS.get(output.suffix.lower())
    if chosen not in DOCUMENT_FORMATS:
        raise UsageError(f"{output}: its ending names no format of a report; known are .html, .md, .tex and .json")
    return str(chosen)


def chosen_format(name: str | None, output: Path | None) -> str:
    """Decide the format: the one named, else the one that the output file's ending stands for.

    It is a table where there is no file, and where the file is a pipe or a device, whose name says nothing.
    """
    if name is not None:
        if name not in FORMATS:
            raise UsageError(f"{name}: no such format; known are {', '.join(FORMATS)}")
        if name in _BINARY and output is None:
            raise UsageError(f"{name} is not text: name a file with -o FILE")
        return name
    if output is None:
        return "table"
    chosen = _ENDINGS.get(output.suffix.lower())
    if chosen is None and is_plain(output):
        raise UsageError(f"{output}: its ending names no format; known are {', '.join(_ENDINGS)}; or name one")
    return chosen or "table"
