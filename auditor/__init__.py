"""auditor: what is inside an image-description dataset.

    import auditor

    with auditor.open("audit.duckdb") as audit:
        result = audit.bounds("flickr8k:test", metrics=["cider"])
        result.frame  # a Polars frame, the rows of `auditor bounds --json`

The library and the command line are two faces of the same studies.
"""

from __future__ import annotations

from importlib.metadata import version as _version
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from auditor.api import Auditor
    from auditor.model import Pictures
    from auditor.result import Finding, Result
    from auditor.result.display import Front
    from auditor.result.document import Document
    from auditor.scoring.registry import metric

__version__ = _version("auditor")

__all__ = ["Auditor", "Document", "Finding", "Result", "__version__", "metric", "open"]


def _front() -> Front:
    """Import what draws results when the first is shown."""
    from auditor.reports import notebook

    return notebook


def _illustrated(shown: Result | Document) -> Pictures:
    """Import what reads image files when something that names images is shown."""
    from auditor.studies.report import pictures_of_result

    return pictures_of_result(shown)


def __getattr__(name: str) -> object:
    """Import the classes when they are first asked for: `auditor --help` needs none of them."""
    if name == "Auditor":
        from auditor.api import Auditor

        return Auditor
    if name in ("Document", "Finding", "Result"):
        from auditor.result import document

        return getattr(document, name)
    if name == "metric":
        from auditor.scoring.registry import metric

        return metric
    raise AttributeError(f"module 'auditor' has no attribute {name!r}")


def open(path: str | Path = "audit.duckdb", *, write: bool = False, wait: float = 10.0) -> Auditor:  # noqa: A001
    """Open a store: for reading, or with `write=True` also for ingesting, which makes it when there is none.

    `wait` is how many seconds to wait for a store that another process uses. Raises `StoreError` for a file that is no
    store or of another schema, and `StoreLockedError` where another process still holds it.
    """
    from auditor.api import Auditor

    return Auditor(path, write=write, wait=wait)
