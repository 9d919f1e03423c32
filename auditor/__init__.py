"""auditor: audit image-caption datasets.

    import auditor

    with auditor.open("audit.duckdb") as audit:
        result = audit.bounds("flickr8k:test", metrics=["cider"])
        result.frame  # a Polars frame, the rows of `auditor bounds --json`

The library and the command line run the same studies.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from auditor.version import VERSION

if TYPE_CHECKING:
    from pathlib import Path

    from auditor.api import Auditor
    from auditor.model import Pictures
    from auditor.result import Finding, Result
    from auditor.result.display import Front
    from auditor.result.document import Document
    from auditor.scoring.registry import metric

__version__ = VERSION

__all__ = ["Auditor", "Document", "Finding", "Result", "__version__", "metric", "open"]


def _front() -> Front:
    """Import the renderer of results when the first result is shown."""
    from auditor.reports import notebook

    return notebook


def _illustrated(shown: Result | Document) -> Pictures:
    """Import the reader of image files when a result that names images is shown."""
    from auditor.studies.report import pictures_of_result

    return pictures_of_result(shown)


def __getattr__(name: str) -> object:
    """Import each class on first use: `auditor --help` needs none of them."""
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
    """Open a store: for reading, or with `write=True` also for ingesting, which creates a missing store.

    `wait` is how many seconds to wait for a store that another process uses. Raises `StoreError` if the file is not a
    store or has another schema, and `StoreLockedError` if another process still uses it.
    """
    from auditor.api import Auditor

    return Auditor(path, write=write, wait=wait)
