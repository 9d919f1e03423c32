"""What a notebook shows, and what `save` writes: the front of `auditor.result.display`."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from auditor import reports
from auditor.dataset_card import DatasetCard
from auditor.errors import UsageError
from auditor.files import replacing
from auditor.files.rows import disk_errors
from auditor.model import Pictures
from auditor.reports.html import cells
from auditor.result import Result
from auditor.result.document import Document


def cell(shown: Result | Document, pictures: Pictures) -> str:
    """Give a result as a part of the notebook's page, a report, which has its own pictures, as a page within it."""
    return cells.of_document(shown) if isinstance(shown, Document) else cells.of_result(shown, pictures)


def svg(result: Result) -> str:
    """Draw the figures of a result as one SVG. Raises `UsageError` where there are none."""
    return reports.TEXT_FORMATS["svg"](result)


def save(shown: Result | Document, path: Path, format_name: str | None) -> None:
    """Write a file in the format named, or in that of its ending. Raises `UsageError` for what cannot be."""
    if isinstance(shown, Document):
        chosen = reports.document_format(format_name, path, card=isinstance(shown, DatasetCard))
        text = reports.document_text(shown, chosen)
        with written(path) as file:
            file.write(text.encode())
        return
    chosen = reports.chosen_format(format_name, path)
    with written(path) as file:
        write(shown, chosen, file)


@contextmanager
def written(output: Path) -> Iterator[BinaryIO]:
    """Give a draft of a file, which takes its place when all is in it; until then what was there stands as it was.

    Raises `UsageError` for a file that cannot be written.
    """
    try:
        with replacing(output) as file:
            yield file
    except BrokenPipeError:  # a reader that leaves early is no error, behind -o as behind a pipe
        raise
    except OSError as error:
        raise UsageError(f"{output}: cannot be written: {error.strerror or error}") from error


def write(result: Result, chosen: str, file: BinaryIO) -> None:
    """Write a result in one of `reports.FORMATS`. Raises `UsageError` for pictures of what has no figures."""
    if chosen == "parquet":
        with disk_errors():
            result.frame.write_parquet(file)
    elif chosen == "png":
        from auditor.reports.figures import drawing

        file.write(drawing.png(result))
    elif chosen == "table":
        from auditor.reports import terminal

        drawn = io.StringIO()
        terminal.show(result, terminal.Screen(drawn, color=False, endless=True))
        file.write(drawn.getvalue().encode())
    else:
        file.write(reports.TEXT_FORMATS[chosen](result).encode())
