"""Shared by the JSON formats: records with `image_id` and `caption` as frames, faults with their records."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import polars as pl

from auditor.model import CAPTION_SCHEMA
from auditor.sources.reading.json_stream import Item

BATCH = 50_000

_COLUMNS = ("line", "image", "rank", "identifier", "split", "text", "reason", "raw")

#: A file name, with or without folders; the group is the number: `train2014/COCO_train2014_000000000009.jpg` is 9.
COCO_FILE = r"(?:.*/)?(?:COCO_\w+_)?0*(\d+)\.jpg"


def batches(path: Path, items: Iterable[Item]) -> Iterator[pl.DataFrame]:
    """Turn items with `image_id` and `caption`, perhaps `split`, into frames of captions.

    Every `id` is unique, and numeric ids order the captions of an image.
    """
    remaining = iter(items)
    while batch := list(islice(remaining, BATCH)):
        yield frame(path, [_row(item) for item in batch])


def frame(path: Path, rows: list[tuple[Any, ...]]) -> pl.DataFrame:
    """Return a frame of rows: line, image, rank, identifier, split, text, reason, raw."""
    schema = {name: CAPTION_SCHEMA[name] for name in _COLUMNS}
    return pl.DataFrame(rows, schema=schema, orient="row").with_columns(source=pl.lit(path.name), unit=pl.lit("record"))


def _row(item: Item) -> tuple[Any, ...]:
    record = item.value
    reason = refuse(record) or item.fault
    if reason is not None:
        return (item.number, None, None, None, None, None, reason, show(record))
    identifier = record.get("id")
    rank = identifier if type(identifier) is int and abs(identifier) < 2**63 else None
    named = f"id {identifier}" if isinstance(identifier, int | str) and encodable(str(identifier)) else None
    split = _split(record.get("split"))
    return (item.number, id_of(record["image_id"]), rank, named, split, record["caption"], None, None)


def _split(value: Any) -> str | None:
    """Return the name of a split, which is a text or number; null for anything else."""
    named = isinstance(value, str | int) and not isinstance(value, bool) and encodable(str(value))
    return str(value) if named else None


def refuse(record: Any, image_key: str = "image_id") -> str | None:
    """Return why a record is not a caption; null if it is one."""
    if not isinstance(record, dict):
        return f"not an object; expected {image_key} and caption"
    image, caption = id_of(record.get(image_key)), record.get("caption")
    if image is None:
        return f"{image_key} is missing, or neither a whole number nor a string"
    if not isinstance(caption, str):
        return "caption is missing, or not a string"
    if not encodable(caption) or not encodable(image):
        return "not UTF-8 (a broken byte or a lone surrogate)"
    return None


def id_of(value: Any) -> str | None:
    """Return an id as text, 42 for 42.0; null if it is neither a whole number nor a text."""
    kind = type(value)
    if kind is str:
        return value or None
    return str(int(value)) if kind is int or (kind is float and value.is_integer()) else None


def encodable(text: str) -> bool:
    """Return whether a text has no lone surrogates, which JSON may hold and UTF-8 may not."""
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def show(record: Any) -> str:
    """Return a rejected record as JSON."""
    return json.dumps(record, ensure_ascii=True)
