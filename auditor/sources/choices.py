"""Format `choices`: forced-choice items: an image with one or two right captions and a wrong one.

JSON (a list, or an object of items by id as in SugarCrepe and VALSE), JSON lines, CSV or TSV. Keys and columns are
recognized by the names that benchmarks use.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

from auditor.errors import SourceError
from auditor.model import Batches, Option, Part
from auditor.sources.format import Format
from auditor.sources.reading import files
from auditor.sources.reading.delimited import below_header, headers
from auditor.sources.reading.json_records import COCO_FILE
from auditor.sources.reading.json_stream import items
from auditor.sources.sides import JudgedCaption, fault, frames, refused
from auditor.sources.table.json import first_keys, of_lines

#: The captions of an item by their names in `sql/choices`, and in words. The second right caption is optional.
SIDES: Mapping[str, str] = {"right": "right", "right2": "second right", "wrong": "wrong"}

_RIGHT = ("right", "caption", "true_caption", "positive_caption", "positive", "correct")

_NAMES: Mapping[str, tuple[str, ...]] = {
    "right": _RIGHT,
    "right2": tuple(f"{name}{two}" for name in _RIGHT for two in ("2", "_2")),
    "wrong": ("wrong", "negative_caption", "foil", "false_caption", "distractor", "negative", "hard_negative"),
    "image": ("image", "filename", "file_name", "image_file", "image_path", "image_id", "img"),
    "item": ("item", "item_id", "id"),
    "part": ("part", "task", "subtask", "linguistic_phenomena", "category", "type"),
    "split": ("split",),
    "votes_right": ("votes_right",),
    "votes_wrong": ("votes_wrong",),
}

_NEEDED = ("right", "wrong", "image")

#: VALSE's votes, by side: annotators who chose the caption, or only the foil, as a description of the image.
_MTURK = {"votes_right": "caption", "votes_wrong": "foil"}

_BY_ID = re.compile(rb'(?:\xef\xbb\xbf)?\s*\{\s*"(?:[^"\\]|\\.)*"\s*:\s*(?=\{)')

_FORM = "items with image, right and wrong (caption and negative_caption, caption and foil, …)"


class _Record(NamedTuple):
    """A record: its position in the file, its name there, its fields, and a fault of the whole record."""

    unit: str
    number: int
    name: str
    fields: Any
    fault: str | None = None


def recognizes(path: Path, head: bytes) -> bool:
    """Recognize records with a right and a wrong caption, by the names that benchmarks use."""
    return any({*_NEEDED} <= columns_of(names, {}).keys() for names in _first_names(head))


def read(part: Part) -> Batches:
    """Yield the captions of each item; items are numbered from 1 through all files of the part.

    If the items do not name their part of the benchmark, the file does. An item is named by its part and its id there.
    """
    numbers = count(1)
    for path in files.expand(part):
        yield from frames(path.name, _sides(path, part.options, numbers))


def _sides(path: Path, options: Mapping[str, Option], numbers: Iterator[int]) -> Iterator[JudgedCaption]:
    stem = re.sub(r"(\.(json|jsonl|csv|tsv|txt|gz|zst))+$", "", path.name)
    for record in _records(path):
        if record.fault is not None or not isinstance(record.fields, dict):
            reason = f"item {record.name}: {record.fault or f'not an object; expected {_FORM}'}"
            yield refused(record.unit, record.number, reason, record.fields)
            continue
        fields = _named(record.fields, options)
        category = str(fields.get("part") or stem)
        item = fields.get("item")
        has_name = item is not None and not _is_count(item)
        name = str(item) if has_name else f"{category}/{record.name if item is None else item}"
        texts = {thing: fields.get(thing) for thing in _NEEDED}
        if fields.get("right2") is not None:
            texts["right2"] = fields["right2"]
        votes = {side: fields.get(f"votes_{side}") for side in SIDES}
        why = _fault(texts, votes, options)
        if why is not None:
            yield refused(record.unit, record.number, f"item {name}: {why}", record.fields)
            continue
        number = next(numbers)
        for side, called in SIDES.items():
            if side in texts:
                vote = votes[side]
                count = None if vote is None else int(vote)
                known = {"pair": number, "side": side, "category": category, "origin": name, "votes": count}
                yield JudgedCaption(
                    record.unit,
                    record.number,
                    image=texts["image"],
                    identifier=f"the {called} caption of item {name}",
                    text=texts[side],
                    pair=known,
                )


def _fault(texts: dict[str, Any], votes: Mapping[str, Any], options: Mapping[str, Option]) -> str | None:
    """Return the fault of a record, null for an item; change `texts` to name its image as captions do."""
    if type(texts["image"]) is int:
        texts["image"] = str(texts["image"])
    reason = fault(texts)
    if reason is None and options.get("coco_ids") is True:
        named = re.fullmatch(COCO_FILE, texts["image"])
        texts["image"], reason = (named[1], None) if named else (None, "the image is not named like a file of COCO")
    for side, called in SIDES.items():
        if reason is None and side in texts and side != "wrong" and texts[side].strip() == texts["wrong"].strip():
            reason = f"the {called} and the wrong caption are the same"
    given = [vote for vote in votes.values() if vote is not None]
    if reason is None and not all(map(_is_count, given)):
        reason = f"votes {json.dumps(given)[:40]} are not whole numbers"
    return reason


def _is_count(vote: Any) -> bool:
    return not isinstance(vote, bool) and re.fullmatch(r"\d{1,9}", str(vote)) is not None


def _named(fields: Mapping[str, Any], options: Mapping[str, Option]) -> dict[str, Any]:
    """Return the fields of a record by their meaning; VALSE has votes in a separate object."""
    named = {thing: fields[name] for thing, name in columns_of([*fields], options).items()}
    judged = fields.get("mturk")
    if isinstance(judged, dict):
        named |= {side: judged.get(name) for side, name in _MTURK.items()}
    return {thing: value for thing, value in named.items() if value != ""}


def columns_of(names: Sequence[str], options: Mapping[str, Option]) -> dict[str, str]:
    """Find the columns of the image, the right caption, the wrong caption …, by the names that benchmarks use."""
    lower = {str(name).strip().lower(): name for name in reversed(names)}
    places = {}
    for thing, known in _NAMES.items():
        option = options.get(f"{thing}_col")
        there = [option] if option in names else [lower[name] for name in known if name in lower and option is None]
        if there:
            places[thing] = str(there[0])
    return places


def _first_names(head: bytes) -> Iterator[list[str]]:
    """Yield the keys of the first record: of an object of objects, a list, lines of JSON, or a table."""
    by_id = _BY_ID.match(head)
    if by_id is not None:
        yield first_keys("[" + head[by_id.end() :].decode(errors="replace"))
    text = head.decode("utf-8-sig", errors="replace").lstrip()
    if text.startswith(("{", "[")):
        yield first_keys(text)
        return
    yield from _headers(text).values()


def _headers(text: str) -> dict[str, list[str]]:
    """Split the first line of a text by each separator; return nothing for binary data."""
    return {} if "\0" in text.partition("\n")[0] else headers(text)


def _records(path: Path) -> Iterator[_Record]:
    head = files.head(path)
    text = head.decode("utf-8-sig", errors="replace").lstrip()
    if text.startswith("[") or _BY_ID.match(head):
        for number, item in enumerate(items(path, "choices"), 1):
            name = item.key if not item.number else str(item.number)
            yield _Record("record", number, name, item.value, item.fault)
    elif text.startswith("{"):
        for number, value, _, reason in of_lines(path):
            yield _Record("line", number, str(number), value, reason)
    else:
        yield from _of_table(path, _headers(text))


def _of_table(path: Path, split: Mapping[str, list[str]]) -> Iterator[_Record]:
    separator, names = max(split.items(), key=lambda item: len(item[1]), default=("", []))
    if len(names) < len(_NEEDED):
        raise SourceError(f'{path}:1: not of format "choices": expected {_FORM}')
    with files.open_bytes(path) as file:
        for line, raw, reason, fields in below_header(file, path, separator, len(names)):
            record = raw if reason else dict(zip(names, fields, strict=True))
            yield _Record("line", line, str(line - 1), record, reason)


FORMAT = Format(
    "choices", recognizes, read, kind="choices",
    options={
        "image_col": "key or column with the image name",
        "right_col": "key or column with the right caption",
        "right2_col": "key or column with a second right caption",
        "wrong_col": "key or column with the wrong caption",
        "item_col": "key or column with the item name, or its number within its part; default: the key of the object, "
        "or the number of the record",
        "part_col": "key or column with the part of the benchmark; default: the file name",
        "coco_ids": "true: name COCO images by the number in their file names (000000565045.jpg is 565045)",
    },
)  # fmt: skip
