"""The room of characters on a screen or page: one writer per format. It knows records, never a study."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from auditor.errors import UsageError
from auditor.model import Result
from auditor.reports import delimited, document, github, html, junit, latex, markdown


def _svg(result: Result) -> str:
    from auditor.reports import drawing

    return drawing.svg(result)


#: Writers of text formats. `table` is drawn by `terminal`, `parquet` is written by the frame itself.
TEXT_FORMATS: Mapping[str, Callable[[Result], str]] = {
    "json": document.render,
    "csv": delimited.render,
    "md": markdown.render,
    "latex": latex.render,
    "html": html.render,
    "svg": _svg,
    "junit": junit.render,
    "github": github.render,
}

FORMATS = ("table", *TEXT_FORMATS, "png", "parquet")

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


def chosen_format(name: str | None, output: Path | None) -> str:
    """Decide the format: the one named, else the one that the output file's ending stands for, else a table."""
    if name is not None:
        if name not in FORMATS:
            raise UsageError(f"{name}: no such format; known are {', '.join(FORMATS)}")
        if name in _BINARY and output is None:
            raise UsageError(f"{name} is not text: name a file with -o FILE")
        return name
    return _ENDINGS.get(output.suffix, "table") if output is not None else "table"
