"""Format `list`: a flat JSON list of `{image_id, caption}`, several records an image or one."""

from __future__ import annotations

from pathlib import Path

from auditor.errors import SourceError
from auditor.model import Batches
from auditor.sources.json_records import frame, load


def read(path: Path) -> Batches:
    """Yield the captions of a flat list; the slot is the position among the records of the same image."""
    records = load(path, "list")
    if not isinstance(records, list):
        raise SourceError(f'{path}: not of format "list": expected a JSON list of {{"image_id": …, "caption": …}}')
    yield frame(path, records)
