"""Output on a screen or page: one writer per format. It knows records, not studies."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from auditor.dataset_card import DatasetCard
from auditor.errors import UsageError
from auditor.files import is_plain
from auditor.reports import rows
from auditor.result import Result
from auditor.result.document import Document


def _later(module: str, name: str) -> Callable[[Any], str]:
    """Return a writer that is imported when it writes first."""

    def writer(written: Any) -> str:
        write: Callable[[Any], str] = getattr(import_module(f"{__name__}.{module}"), name)
        return write(written)

    return writer


#: Writers of text formats. `table` is drawn by `terminal`, `parquet` is written by the frame itself.
TEXT_FORMATS: Mapping[str, Callable[[Result], str]] = {
    "json": lambda result: result.to_json() + "\n",
    "csv": rows.csv,
    "md": _later("markdown", "render"),
    "latex": _later("latex", "render"),
    "html": _later("html.document", "render"),
    "junit": _later("verdicts", "junit"),
    "github": _later("annotations", "github"),
    "sarif": _later("annotations", "sarif"),
}

#: Formats with a figure each.
PICTURES = ("svg", "pdf", "png")

FORMATS = ("table", *TEXT_FORMATS, *PICTURES, "parquet")


def table(shown: Result | Document) -> str:
    """Return a result or a report as a terminal without a right edge shows it."""
    from auditor.reports import terminal
    from auditor.reports.terminal.document import show

    drawn = io.StringIO()
    screen = terminal.Screen(drawn, color=False, endless=True)
    terminal.show(shown, screen) if isinstance(shown, Result) else show(shown, screen)
    return drawn.getvalue()


#: Writers of reports.
DOCUMENT_FORMATS: Mapping[str, Callable[[Document], str]] = {
    "html": _later("html.document", "render_document"),
    "md": _later("markdown", "render_document"),
    "latex": _later("latex", "render_document"),
    "json": lambda document: document.to_json() + "\n",
    "table": table,
}

#: The name of a dataset's card among the formats of a report; the file's ending chooses how it is written.
_CARD = "card"

#: Writers for dataset cards only.
CARD_FORMATS: Mapping[str, Callable[[DatasetCard], str]] = {"croissant": _later("croissant", "render")}

#: Formats that annotate lines of files.
ANNOTATIONS = frozenset({"github", "sarif"})

#: Formats that a terminal cannot show.
_BINARY = frozenset({"pdf", "png", "parquet"})

_ENDINGS = {
    ".json": "json",
    ".csv": "csv",
    ".md": "md",
    ".tex": "latex",
    ".html": "html",
    ".htm": "html",
    ".svg": "svg",
    ".pdf": "pdf",
    ".png": "png",
    ".parquet": "parquet",
    ".txt": "table",
    ".xml": "junit",
    ".sarif": "sarif",
}

_CARD_ENDINGS = {".jsonld": "croissant"}

#: Counts the texts that a spreadsheet program would read as formulas.
formulas = rows.formulas


def document_text(document: Document, chosen: str) -> str:
    """Write a report, or a card, in a format that `document_format` gave for it."""
    if isinstance(document, DatasetCard) and chosen in CARD_FORMATS:
        return CARD_FORMATS[chosen](document)
    return DOCUMENT_FORMATS[chosen](document)


def is_card(name: str | None, output: Path | None) -> bool:
    """Return whether the format of a report, or the ending of its file, is that of a dataset's card."""
    ending = output.suffix.lower() if output is not None and name is None else ""
    return name in (_CARD, *CARD_FORMATS) or ending in _CARD_ENDINGS


def document_format(name: str | None, output: Path | None, *, card: bool = False) -> str:
    """Return the format of a report: the named one, else the one of the output file's ending.

    Without either it is a table, as a terminal shows it. A `card` has further formats, and is Markdown by default.
    """
    formats = (*DOCUMENT_FORMATS, *(CARD_FORMATS if card else ()))
    if name is not None and not (card and name == _CARD):
        if name not in formats:
            raise UsageError(f"{name}: unsupported {'card' if card else 'report'} format; use {', '.join(formats)}")
        return name
    if output is None and card:
        return "md"
    if output is None:
        return "table"
    endings = _ENDINGS | (_CARD_ENDINGS if card else {})
    chosen = endings.get(output.suffix.lower(), "")
    if chosen not in formats:
        usable = ", ".join(ending for file_format in formats for ending, name in endings.items() if name == file_format)
        raise UsageError(f"{output}: unsupported {'card' if card else 'report'} format; use {usable}")
    return chosen


def chosen_format(name: str | None, output: Path | None) -> str:
    """Return the format: the named one, else the one of the output file's ending.

    Without a file, or for a pipe or a device, it is a table.
    """
    if name is not None:
        if name not in FORMATS:
            raise UsageError(f"{name}: unknown format; use {', '.join(FORMATS)}")
        if name in _BINARY and output is None:
            raise UsageError(f"{name} is not text: name a file with -o FILE")
        return name
    if output is None:
        return "table"
    chosen = _ENDINGS.get(output.suffix.lower())
    if chosen is None and is_plain(output):
        raise UsageError(f"{output}: unknown file ending; use {', '.join(_ENDINGS)}, or set --format")
    return chosen or "table"
