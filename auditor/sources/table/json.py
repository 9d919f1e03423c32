"""Tables of JSON: a record a line (JSONL), or one list of records."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from auditor.errors import SourceError
from auditor.sources.reading import lines
from auditor.sources.reading.batches import batches
from auditor.sources.reading.json_records import encodable, show
from auditor.sources.reading.json_stream import DECODER, Item, items
from auditor.sources.table.columns import Fit, Wishes, choose, kind_of
from auditor.sources.table.layout import frame

#: Where a record of an image or a caption has the image's name or the caption's text.
INNER = {"image": ("path",), "caption": ("raw", "caption", "text", "sentence"), "identifier": ("sentid", "id")}

_LOOKED_AT = 100

_ENOUGH = 1 << 22

_MAY_BE_LISTS = ("caption", "identifier")


class Record(NamedTuple):
    """One record: its line or number, what it holds, its text as it stands, and what is wrong with it."""

    number: int
    value: Any
    raw: str | None
    fault: str | None


def first_keys(text: str) -> list[str]:
    """Return the keys of the first record of a text, none where it does not begin with a whole one.

    A record is an object in a list, or one that has its line to itself.
    """
    body = text[1:].lstrip() if text.startswith("[") else text.partition("\n")[0]
    try:
        value, end = json.JSONDecoder().raw_decode(body)
    except (ValueError, RecursionError):
        return []
    alone = text.startswith("[") or not body[end:].strip()
    return list(value) if alone and isinstance(value, dict) else []


def of_lines(path: Path) -> Iterator[Record]:
    """Yield the records of a JSONL file. Blank lines hold none; each fault stays with its line."""
    for block in lines.blocks(path):
        for number, raw, broken in block.select("line", "raw", "reason").iter_rows():
            if not raw.strip():
                continue
            value, fault = None, broken
            try:
                value = None if broken else DECODER.decode(raw)
            except json.JSONDecodeError as error:
                fault = f"not JSON at column {error.colno}: {error.msg}"
            except (ValueError, RecursionError) as error:
                fault = f"not JSON that can be read: {error}"
            yield Record(number, value, raw, fault)


def of_list(path: Path) -> Iterator[Record]:
    """Yield the records of a JSON list. Raises `SourceError` where the file is not JSON."""
    for item in items(path, "table"):
        if item == Item("", 0, []):
            return
        if item.key or not item.number:
            raise SourceError(f"{path}: no table: expected a list of JSON objects, or one a line")
        yield Record(item.number, item.value, None, None)


def frames(path: Path, unit: str, wanted: Wishes) -> Iterator[tuple[pl.DataFrame, dict[str, str]]]:
    """Yield the rows of the file and the columns chosen; the keys of the first hundred records are the columns.

    Raises `SourceError` where these lack what is needed.
    """
    columns: dict[str, str] = {}
    lists: dict[str, bool] = {}
    for batch in batches(_rows(path, unit, wanted, columns, lists), measured=1):
        yield frame(unit, batch, [(thing, lists.get(thing, False)) for thing in columns]), columns


def _rows(
    path: Path, unit: str, wanted: Wishes, columns: dict[str, str], lists: dict[str, bool]
) -> Iterator[tuple[Any, ...]]:
    records = iter(of_lines(path) if unit == "line" else of_list(path))
    first = _first(records)
    example = _example([record.value for record in first if isinstance(record.value, dict)])
    for record in chain(first, records):
        value, fault = record.value, record.fault
        if fault is None and not isinstance(value, dict):
            fault = "not an object"
        if fault is None and not columns:
            where = f"{path}:{record.number}" if unit == "line" else f"{path}, record {record.number}"
            columns |= choose(where, list(example), wanted, partial(_fit_of, example))
        try:
            if fault is None:
                found = [text_of(thing, value.get(name), name, lists) for thing, name in columns.items()]
                yield (record.number, record.raw, None, *found)
                continue
        except ValueError as error:
            fault = str(error)
        yield (record.number, show(value) if record.raw is None else record.raw, fault)


def _first(records: Iterator[Record]) -> list[Record]:
    """Take the records that show what columns there are: a hundred, or fewer large ones."""
    taken: list[Record] = []
    size = 0
    for record in records:
        taken.append(record)
        size += len(record.raw or "")
        if len(taken) == _LOOKED_AT or size > _ENOUGH:
            break
    return taken


def _example(found: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return every key that the records have, in the order of its appearance, with the first value that is not null."""
    example: dict[str, Any] = {}
    for record in found:
        for key, value in record.items():
            if example.get(key) is None:
                example[key] = value
    return example


def _fit_of(record: dict[str, Any], thing: str, name: str) -> Fit:
    return _fit(thing, record[name])


def _fit(thing: str, value: Any) -> Fit:
    if isinstance(value, dict):
        return 1 if any(name in value for name in INNER.get(thing, ())) else 0
    if isinstance(value, list):
        return 2 if thing in _MAY_BE_LISTS else 0
    return 0 if isinstance(value, bool) else 2


def text_of(thing: str, value: Any, name: str, lists: dict[str, bool]) -> str | list[str | None] | None:
    """Return what a record says of a thing as text. Raises `ValueError` where it cannot be that."""
    if value is None:
        return None
    kind, is_list = kind_of(thing), isinstance(value, list)
    if is_list and thing not in _MAY_BE_LISTS:
        raise ValueError(f"{name} is a list")
    if lists.setdefault(thing, is_list) != is_list:
        raise ValueError(f"{name} is {'a' if is_list else 'no'} list, unlike that of the first record")
    return [_plain(kind, item, name) for item in value] if is_list else _plain(kind, value, name)


def _plain(kind: str, value: Any, name: str) -> str | None:
    if isinstance(value, dict):
        value = next((value[inner] for inner in INNER.get(kind, ()) if inner in value), value)
    if value is None:
        return None
    if kind != "caption" and type(value) in (int, float) and math.isfinite(value):
        return str(int(value) if value == int(value) else value)
    if not isinstance(value, str):
        raise ValueError(f"{name} is {'not a string' if kind == 'caption' else 'neither a string nor a number'}")
    if not value.isascii() and not encodable(value):
        raise ValueError("not UTF-8 (a broken byte or a lone surrogate)")
    return value


def listed(cell: str, thing: str, name: str) -> str | list[str | None] | None:
    """Read the list that a cell of a delimited table holds as JSON. Raises `ValueError` where it holds none."""
    try:
        return text_of(thing, DECODER.decode(cell), name, {thing: True})
    except json.JSONDecodeError as error:
        raise ValueError(f"{name} is no list in JSON, unlike that of the first record") from error
    except RecursionError as error:
        raise ValueError(f"{name} is nested too deep") from error
