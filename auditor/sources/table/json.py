"""Tables of JSON: a record per line (JSONL), or one list of records."""

from __future__ import annotations

import json
import math
import re
from codecs import BOM_UTF8
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import chain, islice, takewhile
from pathlib import Path
from typing import Any

import polars as pl

from auditor.errors import SourceError
from auditor.sources.reading import lines
from auditor.sources.reading.batches import batches
from auditor.sources.reading.delimited import below_header, headers
from auditor.sources.reading.files import open_bytes
from auditor.sources.reading.json_records import encodable, show
from auditor.sources.reading.json_stream import DECODER, Item, items, values
from auditor.sources.table import content
from auditor.sources.table.by_content import Fit
from auditor.sources.table.columns import Columns, Wishes, choose, has_caption, kind_of, recognized
from auditor.sources.table.content import numbered
from auditor.sources.table.json_lines import Blocks, Record, block_by_block
from auditor.sources.table.layout import frame
from auditor.sources.table.nested import first_row, is_by_split, outline, records

#: Fields with the name of an image, or the text or id of a caption, inside an object.
INNER = {
    "image": ("path",),
    "caption": ("raw", "caption", "text", "sentence", "value", "content", "desc", "sent", "phrase", "description"),
    "identifier": ("sentid", "id"),
}

#: Who wrote the turns of a chat that are not a model's, by the keys of LLaVA and of OpenAI.
ASKING = ("human", "user", "system")

#: What stands for the separator of JSON records: one per line, or in a list.
LINES, LIST = "{", "["

#: The same for rows within other objects.
NESTED = "{{"

#: The beginning of an object up to its first list of objects, after values that are not lists.
_LISTED = re.compile(
    r'\{(?:\s*"[^"\\]{1,60}"\s*:\s*(?:"(?:[^"\\]|\\.)*"|[\w.+-]+|\{[^{}\[\]]*\})\s*,)*'
    r'\s*"[^"\\]{1,60}"\s*:\s*\[\s*(?=\{)'
)

_LOOKED_AT, _PAIR = 100, 2

_ENOUGH = 1 << 22

_MAY_BE_LISTS = ("caption", "identifier", "start")


def first_keys(text: str) -> list[str]:
    """Return the keys of the first record of a text; none if it does not begin with a whole record.

    A record is an object in a list, or an object on its own line. Lines of objects may begin with some that are broken.
    """
    if not text.startswith("["):
        begun = takewhile(lambda line: line.startswith("{"), text.split("\n")[:_LOOKED_AT])
        return next((keys for line in begun if (keys := _keys(line, alone=True))), [])
    return _keys(text[1:].lstrip(), alone=False)


def _keys(text: str, *, alone: bool) -> list[str]:
    """Return the keys of the object that a text begins with; none if it is broken, or must be `alone` and is not."""
    value, end = _first_value(text)
    value = value if alone else _as_object(value)
    return [] if not isinstance(value, dict) or (alone and text[end:].strip()) else list(value)


def _as_object(value: Any) -> Any:
    """Return a record that is a text or a list as an object: a caption, or `column 1`, `column 2`, …."""
    if isinstance(value, str):
        return {"caption": value}
    if not isinstance(value, list) or len(value) < _PAIR:
        return value
    named = [
        part if isinstance(part, dict) else {name: part} for name, part in zip(numbered(len(value)), value, strict=True)
    ]
    return {name: held for part in named for name, held in part.items()}


def table_keys(text: str) -> list[str]:
    """Return the keys of the first record of a text in any layout that `frames` reads; none without one.

    Records are as in `first_keys`, or follow each other over several lines, or are a list in an object.
    """
    if _is_sequence(text):
        return list(json.JSONDecoder().raw_decode(text)[0])
    return first_keys(_list(text) or text)


def header(text: str) -> dict[str, list[str]]:
    """Return what replaces the separator, `LINES` or `LIST`, and the keys of the first record."""
    listed = _list(text)
    keys = first_keys(listed or text)
    nested = [] if listed or has_caption(keys) else first_row(text)
    return {NESTED: nested} if nested else {LIST if listed else LINES: keys}


def first_names(head: bytes) -> dict[str, list[str]]:
    """Split the first line of a file by each separator; for JSON, return the keys of the first record as `header`."""
    text = head.removeprefix(BOM_UTF8).decode(errors="replace").lstrip("\r\n")
    return header(text.lstrip()) if text.lstrip().startswith((LINES, LIST)) else headers(text)


def _is_sequence(text: str) -> bool:
    """Return whether a text begins with an object over several lines that another object follows."""
    value, end = _first_value(text)
    return isinstance(value, dict) and "\n" in text[:end] and text[end:].lstrip().startswith("{")


def _list(text: str) -> str:
    """Return a text from its list of records on: all of it, or the first list in an object; empty without one.

    An object that is itself a record, or that another follows, is a line of a table.
    """
    within = None if text.startswith("[") else _LISTED.match(text)
    if within is None:
        return text if text.startswith("[") else ""
    listed = f"[{text[within.end() :]}"
    value, end = _first_value(text)
    is_line = text[end:].lstrip().startswith("{") or (recognized([*value]) and not recognized(first_keys(listed)))
    return "" if value and is_line else listed


def _first_value(text: str) -> tuple[Any, int]:
    """Return the first value of a text and its end; an empty object for one that is broken or longer than the text."""
    try:
        return json.JSONDecoder().raw_decode(text)
    except (ValueError, RecursionError):
        return {}, 0


def of_lines(path: Path) -> Iterator[Record]:
    """Yield the records of a JSONL file; empty lines are skipped, and a fault only affects its line."""
    for block in lines.blocks(path):
        yield from of_block(block)


def of_block(block: pl.DataFrame) -> Iterator[Record]:
    """Yield the records of a block of lines."""
    for number, raw, broken in block.select("line", "raw", "reason").iter_rows():
        if not raw.strip():
            continue
        value, fault = None, broken
        try:
            value = None if broken else DECODER.decode(raw)
        except json.JSONDecodeError as error:
            fault = f"not JSON at column {error.colno}: {error.msg}"
        except (ValueError, RecursionError) as error:
            fault = f"JSON cannot be read: {error}"
        yield Record(number, value, raw, fault)


def of_list(path: Path) -> Iterator[Record]:
    """Yield the records of a JSON list, or of the first list in an object.

    Raises `SourceError` if it is not JSON, and if a second list holds records with the same keys.
    """
    first: Item | None = None
    item = Item("", 0, [])
    for item in items(path, "table"):
        if not item.number:
            continue
        first = first or item
        if item.key == first.key:
            yield Record(item.number, _as_object(item.value), None, None)
        elif isinstance(item.value, dict) and isinstance(first.value, dict) and {*item.value} == {*first.value}:
            why = f"{path}: lists {first.key!r} and {item.key!r} hold records of one kind; only one list is read"
            raise SourceError(f"{why}; write each to a separate file, then --from {first.key}=FILE for each")
    if first is None and item != Item("", 0, []):
        raise SourceError(f"{path}: not a table; expected a list of JSON objects, or one object per line")


def rows_of(path: Path, separator: str, names: Sequence[str]) -> Iterator[tuple[int, str, str | None, list[Any]]]:
    """Yield line, raw, fault and fields of each record below the header, or of each record of JSON, by its keys."""
    if separator not in (LINES, LIST, NESTED):
        with open_bytes(path) as file:
            yield from below_header(file, path, separator, len(names))
        return
    found = outline(path) if separator == NESTED else None
    nested = records(path, (), found) if found else of_lines(path)
    for record in of_list(path) if separator == LIST else nested:
        fault = record.fault or (None if isinstance(record.value, dict) else "not an object")
        fields = [] if fault else [record.value.get(name) for name in names]
        yield record.number, record.raw or show(record.value), fault, fields


def of_sequence(path: Path) -> Iterator[Record]:
    """Yield the records of a file of JSON objects one after the other. Raises `SourceError` if it is not JSON."""
    for item in values(path, "table"):
        yield Record(item.number, item.value, None, None)


def frames(path: Path, start: str, wanted: Wishes) -> Iterator[tuple[pl.DataFrame, Columns]]:
    """Yield the rows of the file and the chosen columns; the columns are the keys of the first hundred records.

    `start` is the beginning of its text. Raises `SourceError` if a required column is missing.
    """
    read = of_list if _list(start) else of_sequence if _is_sequence(start) else of_lines
    found = (
        None if _names_columns(start, wanted) and not is_by_split(start) else outline(path, wanted.columns["caption"])
    )
    if found is not None:
        read = partial(records, wanted=wanted.columns["caption"], found=found)
    unit = "line" if read is of_lines else "record"
    columns = Columns()
    lists: dict[str, bool] = {}
    if read is of_lines:
        blocks = Blocks(lines.blocks(path), of_block)
        rows = _rows(path, read, blocks.records(), wanted, columns, lists)
        yield from ((part, columns) for part in block_by_block(blocks, rows, columns, lists))
        return
    skipped = found.unread if found is not None else ()
    remarks = (f"without captions, not read: {', '.join(skipped)}",) if skipped else ()
    for batch in batches(_rows(path, read, read(path), wanted, columns, lists, remarks), measured=1):
        yield frame(unit, batch, [(thing, lists.get(thing, False)) for thing in columns]), columns


def _names_columns(start: str, wanted: Wishes) -> bool:
    """Return whether the first record has the columns that are asked for, or those of an image and a caption."""
    asked, names = {*wanted.columns["image"], *wanted.columns["caption"]}, table_keys(start)
    return recognized(names) or bool(asked and asked <= {*names})


def _rows(
    path: Path,
    read: Callable[[Path], Iterator[Record]],
    records: Iterator[Record],
    wanted: Wishes,
    columns: Columns,
    lists: dict[str, bool],
    remarks: tuple[str, ...] = (),
) -> Iterator[tuple[Any, ...]]:
    plain, first = False, _first(records)
    example = _example([record.value for record in first if isinstance(record.value, dict)])
    for record in chain(first, records):
        value, fault = record.value, record.fault
        if fault is None and not isinstance(value, dict):
            fault = "not an object"
        if fault is None and not columns:
            where = f"{path}:{record.number}" if read is of_lines else f"{path}, record {record.number}"
            sampled = partial(_values, path, read, list(example))
            chosen = choose(where, list(example), wanted, lambda thing, name: _fit(thing, example[name]), sampled)
            columns |= chosen
            columns.unread, columns.remarks = chosen.unread, (*remarks, *chosen.remarks)
        try:
            if fault is None:
                values = [value.get(name) for name in columns.values()]
                plain = plain or (len(lists) == len(columns) and not any(lists.values()))
                if not plain or not all(type(held) is str and held.isascii() for held in values):  # the rare case
                    values = [text_of(thing, value.get(name), name, lists) for thing, name in columns.items()]
                yield (record.number, record.raw, None, *values)
                continue
        except ValueError as error:
            fault = str(error)
        yield (record.number, show(value) if record.raw is None else record.raw, fault)


def _values(path: Path, read: Callable[[Path], Iterator[Record]], names: list[str]) -> content.Values:
    """Return the values of the first records by column, as texts."""
    records = (record.value for record in islice(read(path), content.ROWS) if isinstance(record.value, dict))
    return content.columns_of(names, ([_shown(record.get(name)) for name in names] for record in records))


def _shown(value: Any) -> str | None:
    return value if value is None or isinstance(value, str) else json.dumps(value)


def _first(records: Iterator[Record]) -> list[Record]:
    """Return the records that define the columns: a hundred, or fewer large ones."""
    taken: list[Record] = []
    size = 0
    for record in records:
        taken.append(record)
        size += len(record.raw or "")
        if len(taken) == _LOOKED_AT or size > _ENOUGH:
            break
    return taken


def _example(records: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return every key of the records in order of appearance, with its first value that is not null."""
    example: dict[str, Any] = {}
    for record in records:
        for key, value in record.items():
            if example.get(key) is None:
                example[key] = value
    return example


def _fit(thing: str, value: Any) -> Fit:
    if isinstance(value, dict):
        return 1 if any(name in value for name in INNER.get(thing, ())) else 0
    if isinstance(value, list):
        return 2 if thing in _MAY_BE_LISTS else 0
    return 0 if isinstance(value, bool) else 2


def text_of(thing: str, value: Any, name: str, lists: dict[str, bool]) -> str | list[str | None] | None:
    """Return the value of a thing in a record as text. Raises `ValueError` if it is not a text."""
    if value is None:
        return None
    if thing == "start" and isinstance(value, list):
        value = _spans(value)
    kind, is_list = kind_of(thing), isinstance(value, list)
    if is_list and thing not in _MAY_BE_LISTS:
        raise ValueError(f"{name} is a list")
    if lists.setdefault(thing, is_list) != is_list:
        raise ValueError(
            f"{name} is {'' if is_list else 'not '}a list, but the first record has {'no' if is_list else 'a'} list"
        )
    return [_plain(kind, item, name) for item in value if not _asks(item)] if is_list else _plain(kind, value, name)


def _spans(value: list[Any]) -> str | list[str]:
    """Return the start and end of a segment as a text, or those of several as texts."""
    several = [part for part in value if isinstance(part, list)]
    return [_spans(part) for part in several] if several else "-".join(map(str, value))  # type: ignore[misc]  # one level


def _asks(item: Any) -> bool:
    return isinstance(item, dict) and (item.get("from") in ASKING or item.get("role") in ASKING)


def _plain(kind: str, value: Any, name: str) -> str | None:
    if isinstance(value, dict):
        value = next((value[inner] for inner in INNER.get(kind, ()) if inner in value), value)
    if value is None:
        return None
    if kind != "caption" and (type(value) is int or (type(value) is float and math.isfinite(value))):
        return str(int(value) if value == int(value) else value)
    if not isinstance(value, str):
        raise ValueError(f"{name} is {'not a string' if kind == 'caption' else 'neither a string nor a number'}")
    if not value.isascii() and not encodable(value):
        raise ValueError("not UTF-8 (a broken byte or a lone surrogate)")
    return value


def listed(cell: str, thing: str, name: str) -> str | list[str | None] | None:
    """Read the JSON list in a cell of a delimited table. Raises `ValueError` if it is not a list."""
    try:
        return text_of(thing, DECODER.decode(cell), name, {thing: True})
    except json.JSONDecodeError as error:
        raise ValueError(f"{name} is not a JSON list, but the first record has a list") from error
    except RecursionError as error:
        raise ValueError(f"{name} is nested too deeply") from error
