"""Format `mapping`: JSON of captions by image, as evaluation programs use it.

`{IMAGE: [CAPTION, …]}`, `{IMAGE: CAPTION}`, or a list of such objects with one image each.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from auditor.errors import SourceError
from auditor.model import Batches, Option, Part
from auditor.sources.format import Format, Reading
from auditor.sources.reading import files
from auditor.sources.reading.json_records import BATCH, encodable, frame, show
from auditor.sources.reading.json_stream import Item, items
from auditor.sources.table.columns import recognized
from auditor.sources.table.json import table_keys

_KEY = r'\{\s*"(?P<key>(?:[^"\\]|\\.)+)"\s*:\s*'

#: The beginning of a list of objects with one key, and of an object.
_LISTED = re.compile(r"\[\s*" + _KEY + r'["\[]')

_OBJECT = re.compile(_KEY + r'(?:(?P<list>\[\s*(?:"|\{\s*"caption"\s*:))|")')

_IMAGE_FILE = re.compile(r"(?i).+\.(jpe?g|png|gif|webp|bmp|tiff?|wav|mp3|flac|ogg|mp4|avi|mkv|webm)")

_BLANK, _DECODER = re.compile(r"\s*"), json.JSONDecoder()

_LOOKED_AT, _FEW = 100, 5

_FORM = "{IMAGE: [CAPTION, …]}"


def recognizes(path: Path, head: bytes) -> bool:
    """Recognize an object, or a list of objects with one key, whose values are captions or lists of captions.

    Keys that are columns of a table, and texts of single words, are not recognized.
    """
    text = head.decode("utf-8-sig", errors="replace").lstrip()
    if (match := _LISTED.match(text)) is not None:
        return _are_captions(_pairs(text), match)
    match = _OBJECT.match(text)
    if match is None or recognized(table_keys(text)):
        return False
    return match["list"] is not None or _are_captions(_pairs(text), match)


def _are_captions(pairs: list[tuple[str, Any]] | None, first: re.Match[str]) -> bool:
    """Return whether the first pairs are images and captions: keys that are file names or numbers, or long texts."""
    if pairs is None or not pairs or len({key for key, _ in pairs}) < len(pairs):
        return False
    if not all(isinstance(value, str | list) for _, value in pairs):
        return False
    if _IMAGE_FILE.fullmatch(first["key"]):
        return True
    named = sum(any(map(str.isdigit, key)) for key, _ in pairs)
    long = sum(len(value) > 1 and (isinstance(value, list) or len(value.split()) > 2) for _, value in pairs)
    return 2 * long > len(pairs) and (2 * named > len(pairs) or len(pairs) > _FEW)


def _pairs(text: str) -> list[tuple[str, Any]] | None:
    """Return the first keys and values of an object, or of the objects of a list.

    Null if an object of the list has another number of keys than one, or more follows an object than whitespace.
    """
    pairs, at, is_list = list[tuple[str, Any]](), 1, text.startswith("[")
    while len(pairs) < _LOOKED_AT:
        try:
            held, at = _decoded(text, at)
            if not is_list:
                value, at = _decoded(text, at + 1)
                held = {str(held): value}
        except (ValueError, RecursionError):
            break
        if not isinstance(held, dict) or len(held) != 1:
            return None
        pairs += held.items()
        if text[at : at + 1] != ",":
            return pairs if is_list or not text[at + 1 :].strip() else None
        at += 1
    return pairs


def _decoded(text: str, at: int) -> tuple[Any, int]:
    """Decode the value at a place; return it, and the place of what follows after whitespace."""
    value, end = _DECODER.raw_decode(text, _BLANK.match(text, at).end())  # type: ignore[union-attr]
    return value, _BLANK.match(text, end).end()  # type: ignore[union-attr]


def read(part: Part) -> Batches:
    """Yield the captions of each image, in the order of its list, which holds texts or `{"caption": …}`.

    An image can have a single text instead of a list. Raises `SourceError` for a file that is not an object.
    """
    for path in files.expand(part):
        rows = _rows(path, part.options.get("none"))
        while batch := list(islice(rows, BATCH)):
            yield frame(path, batch)


def _rows(path: Path, none: Option | None) -> Iterator[tuple[Any, ...]]:
    """Yield line (the number of the caption in the file), image, rank, identifier, split, text, reason, raw."""
    for number, item in enumerate(_items(path), 1):
        if not item.key:
            raise SourceError(f'{path}: not of format "mapping": expected {_FORM}')
        caption = item.value.get("caption") if isinstance(item.value, dict) else item.value
        is_none = none is not None and item.value == []
        caption, fault = (none, None) if is_none else (caption, _fault(item, caption))
        if fault is None:
            yield (number, item.key, max(item.number, 1), None, None, caption, None, None)
        else:
            yield (number, None, None, None, None, None, fault, show({item.key: item.value}))


def _items(path: Path) -> Iterator[Item]:
    """Yield the captions with their image as key; those of an object in a list as if it were the whole file."""
    for item in items(path, "mapping"):
        if item.key or not item.number or not isinstance(item.value, dict) or len(item.value) != 1:
            yield item
            continue
        ((image, value),) = item.value.items()
        if isinstance(value, list) and value:
            yield from (Item(image, number, caption) for number, caption in enumerate(value, 1))
        else:
            yield Item(image, 0, value)


def _fault(item: Item, caption: Any) -> str | None:
    if item.value == []:
        return "an image without captions; in lists of objects, --option none=- keeps it"
    if not isinstance(caption, str):
        return f"the caption is not a string; expected {_FORM}"
    return None if encodable(f"{item.key}{caption}") else "not UTF-8 (a broken byte or a lone surrogate)"


FORMAT = Format(
    "mapping", recognizes, read,
    options={"none": "the text of an image with an empty list, which is rejected otherwise; for lists of objects: -"},
    reading=lambda _: Reading({"image": "the keys", "caption": "the values", "slot": "the position in the list"}),
)  # fmt: skip
