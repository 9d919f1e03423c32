"""The room of files: one module per format turns a file into batches of captions.

A reader refuses single records with a reason and yields them all the same, so that nothing is dropped silently; a file
that is not of its format at all raises `SourceError`. Readers never see the store.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from auditor.errors import SourceError, UsageError
from auditor.model import Batches, place
from auditor.sources import coco, flat_list, flickr

Reader = Callable[[Path], Batches]

#: Every file format by the name that datasets.toml and --format use.
FORMATS: Mapping[str, Reader] = {"flickr": flickr.read, "coco": coco.read, "list": flat_list.read}


def reader(file_format: str) -> Reader:
    """Look a format up, or say which there are."""
    if file_format not in FORMATS:
        raise UsageError(f"{file_format}: no such format; known are {', '.join(FORMATS)}")
    return FORMATS[file_format]


def read(path: Path, file_format: str) -> Batches:
    """Yield the captions of a file as frames of `CAPTION_SCHEMA`.

    Raises `SourceError` where no record of the file is a caption of that format.
    """
    accepted = refused = 0
    first: str | None = None
    for batch in reader(file_format)(path):
        refusals = batch.filter(batch["reason"].is_not_null())
        if first is None and refusals.height:
            row = refusals.row(0, named=True)
            first = f"{place(file_format, row['source'], row['line'])}: {row['reason']}"
        refused += refusals.height
        accepted += batch.height - refusals.height
        yield batch
    if not accepted:
        detail = f"all {refused} records were refused; the first: {first}" if refused else "it holds no record"
        raise SourceError(f'{path}: not of format "{file_format}": {detail}')
