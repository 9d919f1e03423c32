"""JSON of captions by image, and with captions deeper than its records: regions of an image, lists next to other lists.

Each object with a caption is a row. It also has the fields of the objects around it, and the name of its object as a
column (`KEY`) if names are images. Names such as `train` are splits. Texts by name are captions if names look like
images, or texts like captions.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from auditor.errors import SourceError
from auditor.sources.reading.json_stream import Item, items
from auditor.sources.table.columns import KEY, has_caption, recognized
from auditor.sources.table.content import is_file
from auditor.sources.table.json_lines import Record

_SPLIT = re.compile(r"(?i)(train|val|valid|validation|dev|test|eval)(ing)?[ _-]?\w{0,8}")

_BY_NAME = re.compile(r'\{\s*"(?:[^"\\]|\\.)*"\s*:\s*(?=\{)')

#: How many items show whether names are images; in how many a caption must be found.
_LOOKED_AT, _WALKED = 2_000, 200_000

#: Texts of this many words are short; as many names may be those of settings.
_SHORT, _FEW = 2, 5


class Outline(NamedTuple):
    """Whether the names of the outermost object are images, and the lists in it that hold no captions."""

    by_image: bool
    unread: tuple[str, ...]


def outline(path: Path, wanted: Collection[str] = ()) -> Outline | None:
    """Return how a file is read; null if it has no row with an image and a caption. `wanted` are names of captions."""
    shapes: dict[str, Any] = {}
    unread = dict[str, None]()
    try:
        for item in islice(items(path, "table"), _LOOKED_AT):
            name, value = _named(item)
            shapes.setdefault(name, [value] if item.key and item.number else value)
        by_image = _are_images(shapes) or _are_captions(shapes)
        for item in islice(items(path, "table"), _WALKED):
            name, value = _named(item)
            row = next(_rows(value, _own(name, by_image=by_image), wanted), None)
            if row is not None and (recognized([*row]) or (wanted and recognized([*row, "caption"]))):
                return Outline(by_image, tuple(name for name in unread if name and name != item.key))
            unread[item.key] = None
    except SourceError:
        return None
    return None


def is_by_split(text: str) -> bool:
    """Return whether a text begins with an object whose first name is a split, with a list."""
    begun = re.match(r'\{\s*"([^"\\]+)"\s*:\s*\[', text)
    return begun is not None and _SPLIT.fullmatch(begun[1]) is not None


def first_row(text: str) -> list[str]:
    """Return the keys of the first row in a text that begins with an object of objects; none without one."""
    begun = _BY_NAME.match(text)
    if begun is None:
        return []
    try:
        value, _ = json.JSONDecoder().raw_decode(text, begun.end())
    except (ValueError, RecursionError):
        return []
    return [*next(_rows(value, {KEY: ""}, ()), ())]


def records(path: Path, wanted: Collection[str], found: Outline) -> Iterator[Record]:
    """Yield the rows of a file as records; those of an item have its number."""
    for number, item in enumerate(items(path, "table"), 1):
        if item.number and found.by_image and type(item.value) is str:  # the usual case
            yield Record(number, {KEY: item.key, "caption": item.value}, None, None)
            continue
        name, value = _named(item)
        for row in _rows(value, _own(name, by_image=found.by_image), wanted):
            yield Record(number, row, None, None)


def _named(item: Item) -> tuple[str, Any]:
    """Return the name of an item and its value: of an object with one text, or list of texts, the name within."""
    if not item.key and isinstance(item.value, dict) and len(item.value) == 1:
        ((name, value),) = item.value.items()
        if isinstance(value, str) or (isinstance(value, list) and not _holds_objects(value)):
            return name, value
    return item.key, item.value


def _own(name: str, *, by_image: bool) -> dict[str, Any]:
    """Return what the name of an object or list is for its rows: the image, the split, or nothing."""
    if by_image:
        return {KEY: name}
    return {"split": name} if _SPLIT.fullmatch(name) else {}


def _rows(value: Any, around: Mapping[str, Any], wanted: Collection[str]) -> Iterator[dict[str, Any]]:
    if isinstance(value, list) and value:
        for part in value:
            yield from _rows(part, around, wanted)
        return
    if not isinstance(value, dict):
        yield from [{**around, "caption": value or None}] if KEY in around else []
        return
    if has_caption(value) or not {*wanted}.isdisjoint(value):
        yield {**around, **value}
        return
    inner = {name: part for name, part in value.items() if _holds_objects(part)}
    held = {name: part for name, part in value.items() if name not in inner}
    if not inner and _are_captions(value):
        inner, held = value, {}
    by_image = _are_images(inner) or inner is value
    for name, part in inner.items():
        yield from _rows(part, {**around, **held, **_own(name, by_image=by_image)}, wanted)


def _holds_objects(value: Any) -> bool:
    return bool(value) and (isinstance(value, dict) or (isinstance(value, list) and isinstance(value[0], dict)))


def _are_images(values: Mapping[str, Any]) -> bool:
    """Return whether the names of objects are images: file names, or several for objects with the same keys."""
    held = [{*(value[0] if isinstance(value, list) else value)} for value in values.values() if _holds_objects(value)]
    alike = [2 * len(held[0] & other) >= len(held[0] | other) for other in held[1:]]
    if len(held) < len(values) or all(map(_SPLIT.fullmatch, values)):
        return False
    return (len(held) > 1 and all(alike[:9])) or all(map(is_file, values))


def _are_captions(values: Mapping[str, Any]) -> bool:
    """Return whether texts by name are captions by image: names are files or have digits, or texts are long."""
    if not values or is_file(next(iter(values))):
        return bool(values)
    if not all(isinstance(value, str | list) and not _holds_objects(value) for value in values.values()):
        return False
    named = sum(any(map(str.isdigit, name)) for name in values)
    long = sum(isinstance(value, list) or len(value.split()) > _SHORT for value in values.values())
    return 2 * long > len(values) and (2 * named > len(values) or len(values) > _FEW)
