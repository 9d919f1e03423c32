"""Format `coco`: MS COCO's annotations (`{"images": …, "annotations": …}`) and results (`[{image_id, caption}]`)."""

from __future__ import annotations

from pathlib import Path

from auditor.errors import SourceError
from auditor.model import Batches
from auditor.sources.json_records import frame, load


def read(path: Path) -> Batches:
    """Yield the captions of an annotation or a results file; images are named by their ids.

    The slot follows the annotation ids, so that the order of the records in the file does not matter.
    """
    content = load(path, "coco")
    records = content.get("annotations") if isinstance(content, dict) else content
    if not isinstance(records, list):
        raise SourceError(
            f'{path}: not of format "coco": expected an object with a list "annotations", or a list of results'
        )
    yield frame(path, records, identifier="id")
