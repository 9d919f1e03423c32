"""The room of characters on a screen or page: one writer per format. It knows records, never a study."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from auditor.errors import UsageError
from auditor.model import Result
from auditor.reports import delimited, document, latex, markdown

#: Writers of text formats. `table` is drawn by `terminal`, `parquet` is written by the frame itself.
TEXT_FORMATS: Mapping[str, Callable[[Result], str]] = {
    "json": document.render,
    "csv": delimited.render,
    "md": markdown.render,
    "latex": latex.render,
}

FORMATS = ("table", *TEXT_FORMATS, "parquet")

_ENDINGS = {".json": "json", ".csv": "csv", ".md": "md", ".tex": "latex", ".parquet": "parquet", ".txt": "table"}


def chosen_format(name: str | None, output: Path | None) -> str:
    """Decide the format: the one named, else the one that the output file's ending stands for, else a table."""
    if name is not None:
        if name not in FORMATS:
            raise UsageError(f"{name}: no such format; known are {', '.join(FORMATS)}")
        if name == "parquet" and output is None:
            raise UsageError("parquet is not text: name a file with -o FILE")
        return name
    return _ENDINGS.get(output.suffix, "table") if output is not None else "table"
