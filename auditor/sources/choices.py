"""Format `choices`: forced-choice items: an image with right and wrong captions, or with a question and its options.

JSON (a list, or an object of items by id as in SugarCrepe and VALSE), JSON lines, CSV or TSV. Keys and columns are
recognized by the names that benchmarks use. The answer to a question is an option, its letter or its number from 0; a
question without options is answered by yes or no.
"""

from __future__ import annotations

import json
import re
import string
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

from auditor.errors import SourceError
from auditor.model import Batches, Option, Part
from auditor.sources.format import Format, Reading, column_names
from auditor.sources.reading import files
from auditor.sources.reading.delimited import below_header
from auditor.sources.reading.json_stream import items
from auditor.sources.reading.lines import first_line
from auditor.sources.sides import JudgedCaption, fault, frames, refused
from auditor.sources.table.json import LIST, first_keys, first_names, header, of_lines, of_list

#: Fewest and most options of a question.
_FEWEST, _MOST = 2, 10

#: The captions of an item by their names in `sql/choices`, and in words. The second right caption is optional.
SIDES: Mapping[str, str] = {"right": "right", "right2": "second right", "wrong": "wrong"}

_NAMES: dict[str, tuple[str, ...]] = column_names("choices")
_NAMES["options"] += (
    *(",".join(f"a{place}" for place in range(number)) for number in range(_MOST, 3, -1)),
    *(",".join(string.ascii_uppercase[:number]) for number in range(_MOST, 2, -1)),
)
_NEEDED, _ASKED = ("right", "wrong", "image"), ("image", "question", "answer")

#: Answers in words: the second is the answer 1, true or yes.
_ANSWERS = "no,yes"
_TRUTH = {"0": 0, "no": 0, "false": 0, "1": 1, "yes": 1, "true": 1}

#: An option in the text of a question: (A) …, A. …
_OPTION = re.compile(r"^[ \t]*\(?([A-J])[).:][ \t]+(.*)$", re.MULTILINE)

#: VALSE's votes, by side: annotators who chose the caption, or only the foil, as a description of the image.
_MTURK = {"votes_right": "caption", "votes_wrong": "foil"}

_BY_ID = re.compile(rb'(?:\xef\xbb\xbf)?\s*\{\s*"(?:[^"\\]|\\.)*"\s*:\s*(?=\{)')

_FORM = (
    "items with image, right and wrong (caption and negative_caption, caption and foil, …), or image, question, options"
    " and answer"
)


class _NoChoiceError(ValueError):
    """An item that no system can get right or wrong: it is left out, and does not count as rejected."""


class _Record(NamedTuple):
    """A record: its position in the file, its name there, its fields, and a fault of the whole record."""

    unit: str
    number: int
    name: str
    fields: Any
    fault: str | None = None


def recognizes(path: Path, head: bytes) -> bool:
    """Recognize records with a right and a wrong caption, or a question with options, by the names benchmarks use."""
    found = [columns_of(names, {}).keys() for names in _first_names(head)]
    return any({*_NEEDED} <= keys or {*_ASKED, "options"} <= keys for keys in found)


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
        votes = {side: fields.get(f"votes_{side}") for side in SIDES}
        try:
            is_asked = "answer" in fields and not {"right", "wrong"} <= fields.keys()
            texts = _of_question(fields, options) if is_asked else _of_captions(fields)
            _check(texts, votes)
            image = _image(fields)
        except _NoChoiceError as error:
            yield JudgedCaption(record.unit, record.number, left_out=f"item {name}: {error}")
            continue
        except ValueError as error:
            yield refused(record.unit, record.number, f"item {name}: {error}", record.fields)
            continue
        number = next(numbers)
        for side, text in texts.items():
            vote = votes.get(side)
            count = None if vote is None else int(vote)
            known = {"pair": number, "side": side, "category": category, "origin": name, "votes": count}
            called = f"{SIDES[side]} caption" if side in SIDES else side
            identifier = f"the {called} of item {name}"
            yield JudgedCaption(record.unit, record.number, image=image, identifier=identifier, text=text, pair=known)


def _of_captions(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the captions of an item. Raises `_NoChoiceError` if a right one is wrong, too."""
    texts = {side: fields.get(side) for side in SIDES if side != "right2" or fields.get(side) is not None}
    for side, called in SIDES.items():
        if side != "wrong" and side in texts and str(texts[side]).strip() == str(texts["wrong"]).strip() != "":
            raise _NoChoiceError(f"the {called} and the wrong caption are the same")
    return texts


def _of_question(fields: Mapping[str, Any], options: Mapping[str, Option]) -> dict[str, Any]:
    """Return the question of an item, then its options in the order of the source.

    Wrong options are numbered by their position, which the right one lacks among them; yes and no have no order.
    Raises `ValueError` for an answer that is none of the options, `_NoChoiceError` if all options have the same text.
    """
    question, listed, answer = fields.get("question"), fields.get("options"), str(fields["answer"]).strip()
    labels: list[str] = []
    if isinstance(listed, dict):
        labels = [str(label).strip() for label in listed]
        labels, listed = labels if answer in labels else [], [*listed.values()]
    if listed is None and isinstance(question, str) and (found := list(_OPTION.finditer(question))):
        labels, listed = [option[1] for option in found], [option[2] for option in found]
        question = re.sub(r"^\s*Question:\s*", "", question[: found[0].start()]).strip()
    if listed is None:
        return {"question": question, **_of_two_answers(answer, options)}
    if isinstance(listed, list) and len(listed) == 1:
        raise _NoChoiceError("it has a single option")
    if not isinstance(listed, list) or not _FEWEST <= len(listed) <= _MOST:
        raise ValueError(f"expected a list of {_FEWEST} to {_MOST} options")
    texts = [str(option).strip() for option in listed]
    place = _place_of(answer, labels or texts)
    if place >= len(listed):
        raise ValueError(f"the answer {answer[:40]!r} is none of the {len(listed)} options")
    if len({*texts}) == 1:
        raise _NoChoiceError("its options are the same")
    sides = ["right" if number == place else f"wrong{number + 1}" for number in range(len(listed))]
    asked = {} if question is None else {"question": question}
    return {**asked, **dict(zip(sides, listed, strict=True))}


def _of_two_answers(answer: str, options: Mapping[str, Option]) -> dict[str, str]:
    """Return the right and the wrong answer to a question without options, such as yes and no."""
    words = str(options.get("answers", _ANSWERS)).split(",")
    place = words.index(answer) if answer in words else _TRUTH.get(answer.lower())
    if place is None:
        raise ValueError(f"the answer is {answer[:40]!r}; expected {' or '.join(words)}, or options beside it")
    return {"right": words[place], "wrong": words[1 - place]}


def _place_of(answer: str, called: Sequence[str]) -> int:
    """Return the position of an answer: by what the options are called, by a letter, or as a number."""
    if answer in called:
        return called.index(answer)
    if letter := re.fullmatch(r"\(?([A-Ja-j])[).:]?", answer):
        return ord(letter[1].upper()) - ord("A")
    return int(answer) if _is_count(answer) else _MOST


def _check(texts: Mapping[str, Any], votes: Mapping[str, Any]) -> None:
    """Raise `ValueError` for a text that is missing or empty, and for votes that are not numbers."""
    given = [vote for vote in votes.values() if vote is not None]
    reason = fault(texts)
    if reason is None and not all(map(_is_count, given)):
        reason = f"votes {json.dumps(given)[:40]} are not whole numbers"
    if reason is not None:
        raise ValueError(reason)


def _image(fields: Mapping[str, Any]) -> str:
    """Return the name of an item's image. Raises `ValueError` if it has none."""
    image = fields.get("image")
    image = str(image) if type(image) is int else image
    if (reason := fault({"image": image})) is not None:
        raise ValueError(reason)
    return str(image)


def _is_count(vote: Any) -> bool:
    return not isinstance(vote, bool) and re.fullmatch(r"\d{1,9}", str(vote)) is not None


def _named(fields: Mapping[str, Any], options: Mapping[str, Option]) -> dict[str, Any]:
    """Return the fields of a record by their meaning; VALSE has votes in a separate object."""
    named = {thing: _at(fields, place, thing) for thing, place in columns_of([*fields], options).items()}
    judged = fields.get("mturk")
    if isinstance(judged, dict):
        named |= {side: judged.get(name) for side, name in _MTURK.items()}
    return {thing: value for thing, value in named.items() if value != ""}


def _at(fields: Mapping[str, Any], place: str, thing: str) -> Any:
    """Return the value at a key, or inside it (messages.0.text); of several keys a list, or a name with slashes."""
    if place in fields:
        return fields[place]
    values = []
    for name in place.split(","):
        value: Any = fields
        for key in [name] if name in fields else name.split("."):
            value = dict(enumerate(value)).get(int(key)) if isinstance(value, list) and key.isdigit() else value
            value = value.get(key) if isinstance(value, dict) and not key.isdigit() else value
        values.append(value)
    if thing == "options":
        return [value for value in values if value not in (None, "")]
    return values[0] if len(values) == 1 else "/".join(map(str, values))


def columns_of(names: Sequence[str], options: Mapping[str, Option]) -> dict[str, str]:
    """Find the columns of the image, the right caption, the wrong caption …, by the names that benchmarks use."""
    lower = {str(name).strip().lower(): name for name in reversed(names)}
    places = {}
    for thing, known in _NAMES.items():
        option = options.get(f"{thing}_col")
        tried = known if option is None else (str(option),)
        there = [
            ",".join(lower.get(part.lower(), part) if option is None else part for part in place.split(","))
            for place in tried
            if all(_is_in(part, names if option is not None else lower) for part in place.split(","))
        ]
        if there:
            places[thing] = there[0]
    return places


def reading(part: Part) -> Reading:
    """Return the columns of the first item, and those that are not read."""
    for path in files.expand(part):
        for names in ([*record.fields] for record in _records(path) if isinstance(record.fields, dict)):
            places = columns_of(names, part.options)
            read = {place.partition(".")[0] for places in places.values() for place in (places, *places.split(","))}
            return Reading(places, tuple(name for name in names if name not in read and name != "mturk"))
    return Reading()


def _is_in(place: str, names: Collection[str]) -> bool:
    return place in names or place.lower() in names or place.partition(".")[0] in names


def _first_names(head: bytes) -> Iterator[list[str]]:
    """Yield the keys of the first record: of an object of objects, a list, lines of JSON, or a table."""
    by_id = _BY_ID.match(head)
    if by_id is not None:
        yield first_keys("[" + head[by_id.end() :].decode(errors="replace"))
    yield from first_names(head).values()


def _records(path: Path) -> Iterator[_Record]:
    head = files.head(path)
    text = head.decode("utf-8-sig", errors="replace").lstrip()
    if text.startswith("{") and LIST in header(text):
        for number, value, _, _ in of_list(path):
            yield _Record("record", number, str(number), value)
    elif text.startswith("[") or _BY_ID.match(head):
        for number, item in enumerate(items(path, "choices"), 1):
            name = item.key if not item.number else str(item.number)
            yield _Record("record", number, name, item.value, item.fault)
    elif text.startswith("{"):
        for number, value, _, reason in of_lines(path):
            yield _Record("line", number, str(number), value, reason)
    else:
        yield from _of_table(path, first_names(head))


def _of_table(path: Path, split: Mapping[str, list[str]]) -> Iterator[_Record]:
    separator, names = max(split.items(), key=lambda item: len(item[1]), default=("", []))
    if len(names) < len(_NEEDED):
        first_line(path)  # raises an error for text that is not UTF-8
        raise SourceError(f'{path}:1: not of format "choices": expected {_FORM}')
    with files.open_bytes(path) as file:
        for line, raw, reason, fields in below_header(file, path, separator, len(names)):
            record = raw if reason else dict(zip(names, fields, strict=True))
            yield _Record("line", line, str(line - 1), record, reason)


FORMAT = Format(
    "choices", recognizes, read, reading=reading, kind="choices",
    why_left_out="their right and wrong captions are the same, or they have one option",
)  # fmt: skip
