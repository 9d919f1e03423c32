"""Format `triplets`: PASCAL-50S as JSON, `{HC, HI, HM, MM: [{image, captions, label, references}]}`.

A label is the majority of the triplets that compared the two captions with references of the image. No single reference
belongs to it, so it counts as one vote on the pair.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

from auditor.errors import SourceError
from auditor.model import Batches, Part
from auditor.sources.format import Format
from auditor.sources.reading import files
from auditor.sources.reading.json_stream import items
from auditor.sources.sides import CATEGORIES, JudgedCaption, fault, frames, pair_sides, refused

_FORM = "{HC, HI, HM, MM: [{image, captions, label}]}"


def recognizes(path: Path, head: bytes) -> bool:
    """Recognize an object whose first key is one of the four kinds of pairs."""
    return re.match(rb'(?:\xef\xbb\xbf)?\s*\{\s*"(HC|HI|HM|MM)"\s*:\s*\[', head) is not None


def read(part: Part) -> Batches:
    """Yield both captions of each pair: label 0 is a vote for the first (B), 1 one for the second (C).

    Pairs are numbered from 1 through all files of the part. References belong to another dataset and are left out.
    Raises `SourceError` for a file without any of the four lists.
    """
    numbers = count(1)
    for path in files.expand(part):
        yield from frames(path.name, _sides(path, numbers))


def _sides(path: Path, numbers: Iterator[int]) -> Iterator[JudgedCaption]:
    has_pairs = False
    for item in items(path, "triplets"):
        if not item.number:
            continue
        known = item.key in CATEGORIES
        has_pairs |= known
        number, position = next(numbers), (f"{item.key} record" if known else "record", item.number)
        record = item.value
        reason = _fault(record) if known else f"in list {json.dumps(item.key)[:40]}; expected {_FORM}"
        if reason is not None:
            yield refused(*position, reason, record)
            continue
        votes = (1, 0) if record["label"] == 0 else (0, 1)
        first, second = record["captions"]
        yield from pair_sides(position, number, record["image"], (first, second), item.key, (None, None), votes)
    if not has_pairs:
        raise SourceError(f'{path}: not of format "triplets": expected {_FORM}')


def _fault(record: Any) -> str | None:
    captions = record.get("captions") if isinstance(record, dict) else None
    if not isinstance(captions, list) or len(captions) != 2:
        return "not an image with two captions"
    label = record.get("label")
    if isinstance(label, bool) or label not in (0, 1):
        return f"label {json.dumps(label)[:20]}; expected 0 (the first caption) or 1 (the second)"
    return fault({"image": record.get("image"), "the first caption": captions[0], "the second caption": captions[1]})


FORMAT = Format("triplets", recognizes, read, kind="pairs")
