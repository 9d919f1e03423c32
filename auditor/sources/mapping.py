"""Format `mapping`: a JSON object of captions by image, `{IMAGE: [CAPTION, …]}`, as evaluation programs use it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from auditor.errors import SourceError
from auditor.model import Batches, Part
from auditor.sources.format import Format
from auditor.sources.reading import files
from auditor.sources.reading.json_records import BATCH, encodable, frame, show
from auditor.sources.reading.json_stream import Item, items
from auditor.sources.table.columns import recognized
from auditor.sources.table.json import first_keys

_BEGINNING = re.compile(
    rb'(?:\xef\xbb\xbf)?\s*\{\s*"(?:[^"\\]|\\.)*"\s*:\s*\[\s*(?:"|\{\s*"caption"\s*:)'
    rb'|(?:\xef\xbb\xbf)?\s*\{\s*"[^"\\]+\.(?i:jpe?g|png|gif|webp|bmp|tiff?|wav|mp4|avi)"\s*:\s*"'
)

_FORM = "{IMAGE: [CAPTION, …]}"


def recognizes(path: Path, head: bytes) -> bool:
    """Recognize an object whose first value is a list of strings, unless its keys are columns of a table."""
    if _BEGINNING.match(head) is None:
        return False
    return not recognized(first_keys(head.decode("utf-8-sig", errors="replace").lstrip()))


def read(part: Part) -> Batches:
    """Yield the captions of each image, in the order of its list, which holds texts or `{"caption": …}`.

    An image can have a single text instead of a list. Raises `SourceError` for a file that is not an object.
    """
    for path in files.expand(part):
        rows = _rows(path)
        while batch := list(islice(rows, BATCH)):
            yield frame(path, batch)


def _rows(path: Path) -> Iterator[tuple[Any, ...]]:
    """Yield line (the number of the caption in the file), image, rank, identifier, split, text, reason, raw."""
    for number, item in enumerate(items(path, "mapping"), 1):
        if not item.key:
            raise SourceError(f'{path}: not of format "mapping": expected {_FORM}')
        caption = item.value.get("caption") if isinstance(item.value, dict) else item.value
        fault = _fault(item, caption)
        if fault is None:
            yield (number, item.key, max(item.number, 1), None, None, caption, None, None)
        else:
            yield (number, None, None, None, None, None, fault, show({item.key: item.value}))


def _fault(item: Item, caption: Any) -> str | None:
    if item.value == []:
        return "an image without captions"
    if not isinstance(caption, str):
        return f"the caption is not a string; expected {_FORM}"
    return None if encodable(f"{item.key}{caption}") else "not UTF-8 (a broken byte or a lone surrogate)"


FORMAT = Format("mapping", recognizes, read)
