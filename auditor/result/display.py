"""Display of results and reports: as a line, in a notebook, as a file.

Records know neither reporters nor image files: `auditor/__init__.py` provides both.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from auditor.errors import MissingExtraError, UsageError

if TYPE_CHECKING:
    from auditor.model import Pictures
    from auditor.result import Result
    from auditor.result.document import Document


class Front(Protocol):
    """An object that draws results and documents."""

    def cell(self, shown: Result | Document, pictures: Pictures) -> str:
        """Return the HTML of a notebook cell."""

    def svg(self, result: Result) -> str:
        """Draw the figures of a result."""

    def save(self, shown: Result | Document, path: Path, format_name: str | None) -> None:
        """Write a file."""


def _front() -> Front:
    """Return the object that draws. The package provides it, and is not imported here to avoid a cycle."""
    front: Front = sys.modules["auditor"]._front()
    return front


def _pictures(shown: Result | Document) -> Pictures:
    """Read the image files that the examples name, from the folders in datasets.toml."""
    pictures: Pictures = sys.modules["auditor"]._illustrated(shown)
    return pictures


@dataclass(frozen=True)
class Plot:
    """The drawn figures of a result, for a notebook. `svg` is one SVG with all figures, one below the other."""

    result: Result
    svg: str

    def __repr__(self) -> str:
        return f"<Plot of {self.result.command}: {', '.join(figure.name for figure in self.result.figures)}>"

    def _repr_svg_(self) -> str:
        return self.svg

    def save(self, path: str | Path) -> Path:
        """Write an SVG, a PDF or a PNG (200 dpi), by the ending of `path`. Raises `UsageError` for another ending."""
        return self.result.save(path)


class Shown:
    """A record that a notebook displays and that can be saved as a file."""

    def __repr__(self) -> str:
        document: Document = self  # type: ignore[assignment]
        labels = [selection.label for selection in document.selections]
        return _line(type(self).__name__, labels, (len(document.sections), "section"))

    def _repr_html_(self) -> str:
        shown: Result | Document = self  # type: ignore[assignment]
        return _front().cell(shown, _pictures(shown))

    def save(self, path: str | Path, *, format_name: str | None = None) -> Path:
        """Write a file in the format of its ending, or in `format_name`, and return its path.

        Results: .json .csv .md .tex .html .svg .pdf .png .parquet .txt; reports: .html .md .tex .json. An existing file
        is replaced when the new one is complete. Raises `UsageError` for an unknown ending, an image format without
        figures, and a file that cannot be written.
        """
        _front().save(self, Path(path), format_name)  # type: ignore[arg-type]
        return Path(path)


class ShownResult(Shown):
    """The display of a result, with figures and a pandas frame."""

    def __repr__(self) -> str:
        result: Result = self  # type: ignore[assignment]
        held = ((result.frame.height, "row"), (len(result.tables), "table"), (len(result.figures), "figure"))
        labels = [selection.label for selection in result.selections]
        return _line(f"Result {result.command}", labels, *held, (len(result.findings), "finding"))

    def plot(self, *names: str) -> Plot:
        """Draw all figures, or those with the given names, in the order of `figures`.

        Raises `UsageError` for a result without figures, and for an unknown name.
        """
        result: Result = self  # type: ignore[assignment]
        known = [figure.name for figure in result.figures]
        if not known:
            raise UsageError(f"{result.command}: no figure to draw")
        if unknown := [name for name in names if name not in known]:
            raise UsageError(f"{result.command}: no figure {unknown[0]}; its figures are {', '.join(known)}")
        drawn = replace(result, figures=tuple(figure for figure in result.figures if not names or figure.name in names))
        return Plot(drawn, _front().svg(drawn))

    def to_pandas(self) -> Any:
        """Return `frame` as a pandas frame, row for row; null is NaN in columns of numbers.

        Raises `MissingExtraError` if pandas is not installed.
        """
        try:
            import pandas  # type: ignore[import-untyped,unused-ignore]  # noqa: PLC0415  an extra
        except ImportError as error:
            raise MissingExtraError("to_pandas: pandas is not installed: pip install pandas") from error
        result: Result = self  # type: ignore[assignment]
        return pandas.DataFrame(result.frame.to_dict(as_series=False))


def _line(what: str, labels: Sequence[str], *held: tuple[int, str]) -> str:
    """Return a one-line description: `<Result bounds of flickr8k@v1: 48 rows, 2 tables, 1 figure>`."""
    of = f" of {', '.join(labels)}" if labels else ""
    counts = ", ".join(f"{number:,} {name if number == 1 else f'{name}s'}" for number, name in held if number)
    return f"<{what}{of}{': ' if counts else ''}{counts}>"
