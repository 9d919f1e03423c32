"""Format `list`: a flat JSON list of `{image_id, caption}`, one or several records per image."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from auditor.errors import SourceError
from auditor.model import Batches, Part
from auditor.sources.format import Format, Reading
from auditor.sources.reading import files
from auditor.sources.reading.json_records import batches
from auditor.sources.reading.json_stream import Item, items
from auditor.sources.table import names_of
from auditor.sources.table.json import first_record


def recognizes(path: Path, head: bytes) -> bool:
    """Recognize a list whose first record has an image_id, and a caption that is a text."""
    if re.match(rb'(?:\xef\xbb\xbf)?\s*\[\s*\{[^{}]*"image_id"\s*:', head) is None:
        return False
    first = first_record(head.decode("utf-8-sig", errors="replace").lstrip())
    return not first or isinstance(first.get("caption"), str | None)


def read(part: Part) -> Batches:
    """Yield the captions of a flat list; the slot is the position among the records of the same image."""
    for path in files.expand(part):
        yield from batches(path, _records(path), ids=False)


def _records(path: Path) -> Iterator[Item]:
    for item in items(path, "list"):
        if item == Item("", 0, []):
            return
        if item.key or not item.number:
            raise SourceError(f'{path}: not of format "list": expected a JSON list of {{"image_id": …, "caption": …}}')
        yield item


def reading(part: Part) -> Reading:
    """Return the keys of a record, and those that are not read."""
    unread = tuple(key for key in names_of(files.expand(part)[0]) if key not in ("image_id", "caption", "split"))
    return Reading({"image": "image_id", "caption": "caption", "slot": "the order of the records"}, unread)


FORMAT = Format("list", recognizes, read, names_of=names_of, reading=reading)
