"""Display of results and reports: as a line, in a notebook, as a file.

Records know neither reporters nor image files: `auditor/__init__.py` provides both.
"""

from __future__ import annotations

import base64
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from auditor.errors import MissingExtraError, UsageError

if TYPE_CHECKING:
    from auditor.model import Pictures
    from auditor.result import Figure, Result
    from auditor.result.document import Document


class Front(Protocol):
    """An object that draws results and documents."""

    def cell(self, shown: Result | Document, pictures: Pictures) -> str:
        """Return the HTML of a notebook cell."""

    def svgs(self, result: Result, *names: str) -> Mapping[str, str]:
        """Draw figures of a result."""

    def save(self, shown: Result | Document, path: Path, format_name: str | None, *names: str) -> list[Path]:
        """Write a file, or one for each figure."""


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
    """Drawn figures of a result, for a notebook. `svgs` has the SVG of each by its name, numbered if two share it."""

    result: Result
    names: tuple[str, ...]
    svgs: Mapping[str, str]

    def __repr__(self) -> str:
        return f"<Plot of {self.result.command}: {', '.join(self.svgs)}>"

    def _repr_html_(self) -> str:
        """Return an image for each figure: the IDs of one SVG mean nothing in another."""
        return "".join(
            f'<img alt="{name}" src="data:image/svg+xml;base64,{base64.b64encode(svg.encode()).decode()}">\n'
            for name, svg in self.svgs.items()
        )

    def save(self, path: str | Path) -> list[Path]:
        """Write an SVG, a PDF or a PNG (200 dpi) by the ending of `path`, as `Result.save` does, of these figures."""
        return _front().save(self.result, Path(path), None, *self.names)


class Shown:
    """A record that a notebook displays and that can be saved as a file."""

    def __repr__(self) -> str:
        document: Document = self  # type: ignore[assignment]
        labels = [selection.label for selection in document.selections]
        return _line(type(self).__name__, labels, (len(document.sections), "section"))

    def _repr_html_(self) -> str:
        shown: Result | Document = self  # type: ignore[assignment]
        return _front().cell(shown, _pictures(shown))

    def save(self, path: str | Path, *, format_name: str | None = None) -> list[Path]:
        """Write a file in the format of its ending, or in `format_name`, and return the paths of what was written.

        Results: .json .csv .md .tex .html .svg .pdf .png .parquet .txt; reports: .html .md .tex .json. Each of several
        figures has its own file next to `path`, whose name ends with that of the figure. An existing file
        is replaced when the new one is complete. Raises `UsageError` for an unknown ending, an image format without
        figures, and a file that cannot be written.
        """
        return _front().save(self, Path(path), format_name)  # type: ignore[arg-type]


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
        return Plot(result, names, _front().svgs(result, *names))

    def drawn(self, *names: str) -> Sequence[Figure]:
        """Return all figures, or those with the given names; raises `UsageError` as `plot` does."""
        result: Result = self  # type: ignore[assignment]
        known = dict.fromkeys(figure.name for figure in result.figures)
        if not known:
            raise UsageError(f"{result.command}: no figure to draw")
        if unknown := [name for name in names if name not in known]:
            raise UsageError(f"{result.command}: no figure {unknown[0]}; its figures are {', '.join(known)}")
        return [figure for figure in result.figures if not names or figure.name in names]

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
