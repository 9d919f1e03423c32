"""Format `votes`: which of two captions each rater chose, from `auditor tasks` or in your own table.

A row is a question with a choice (B or C) in a column for each rater, one rater's vote, or a comparison with its votes
counted; CSV, TSV or JSON lines. With a column for A the questions are triplets, without one pairs. A choice can also
name the column or author of a caption. A tie (equal, tie, both) is a vote for each caption. Votes of several rows on
the same captions add up, also those of several files.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import Any

import polars as pl

from auditor.errors import SourceError
from auditor.model import Batches, Kind, Option, Part
from auditor.sources.format import Description, Format, Reading, column_names, located
from auditor.sources.reading import files, lines
from auditor.sources.sides import frames
from auditor.sources.table import json
from auditor.sources.votes import counts

#: Line, original text, fault, fields.
_Record = tuple[int, str, str | None, list[str]]

_TASK = re.compile(r"(t[0-9a-f]{16})(-\d+)?")

_NAMES: Mapping[str, tuple[str, ...]] = column_names("votes")
#: Columns of the two captions of a pair that only their ends tell apart; the end names a choice too.
_FIRST, _SECOND = (
    re.compile(rf"(?P<stem>caption|sentence|text|response|output|candidate)[ _-]?(?P<end>{end})")
    for end in ("1|a|left", "2|b|right")
)

#: A choice of neither caption over the other.
_TIES = {"equal", "equally good", "tie", "tied", "tie (bothbad)", "draw", "same", "both", "neither", counts.TIE}

_OF_A_JUDGE = re.compile(r"judge[-_ ]?\d+")

#: Positions of columns by their content; only `choice` can have several, one per judge.
Places = Mapping[str, tuple[int, ...]]


def recognizes(path: Path, head: bytes) -> bool:
    """Recognize a table by columns for image, B, C, and choices or votes."""
    return any(lacking(find(names, {}), {}) is None for names in json.first_names(head).values())


def describe(part: Part) -> Description:
    """Return what the votes are on (triplets if there is a column for A, else pairs) and the dataset of the images.

    Only the questions of `auditor tasks` name the dataset whose images they show.
    """
    path = files.expand(part)[0]
    separator, names = _layout(path, part.options)
    kind: Kind = "triplets" if "a" in find(names, part.options) else "pairs"
    if not {"task", "dataset", "version"} <= set(names):
        return Description(kind)
    _, _, reason, fields = next(_records(path, separator, names), (0, "", "no records", []))
    about = "" if reason else fields[names.index("dataset")]
    return Description(kind, related=(about,) if about else ())


def reading(part: Part) -> Reading:
    """Return the columns of the image, the captions and the choices, and those that are not read."""
    _, names = _layout(files.expand(part)[0], part.options)
    places = {thing: ", ".join(names[at] for at in held) for thing, held in find(names, part.options).items()}
    read = {name for place in places.values() for name in place.split(", ")}
    return Reading(places, tuple(name for name in names if name not in read))


def read(part: Part) -> Batches:
    """Yield the captions of each comparison with their votes; comparisons without votes are left out.

    Comparisons are numbered from 1 in order of appearance, through all files of the part. Raises `SourceError` for a
    file without the required columns or without votes, and for a file that is not a key.
    """
    key = counts.key(files.locate(Path(str(part.options["key_file"])))) if "key_file" in part.options else None
    paths, numbers = files.expand(part), count(1)
    rows = []
    for file, path in enumerate(paths):
        separator, names = _layout(path, part.options)
        places = find(names, part.options)
        rows += [(file, *_row(record, places, names)) for record in _records(path, separator, names)]
    compared = counts.gathered(paths, pl.DataFrame(rows, schema=counts.RECORD, orient="row"), key)
    for file, path in enumerate(paths):
        yield from frames(path.name, counts.sides(compared.filter(file=file), numbers))


def _layout(path: Path, options: Mapping[str, Option]) -> tuple[str, list[str]]:
    """Return the separator (of JSON lines `LINES`) and the columns. Raises `SourceError` if one is missing."""
    headers = json.first_names(files.head(path))
    missing = {separator: lacking(find(names, options), options) for separator, names in headers.items()}
    for separator, what in missing.items():
        if what is None:
            return separator, headers[separator]
    next(lines.blocks(path), None)  # raises an error for text that is not UTF-8
    widest = max(headers, key=lambda separator: len(headers[separator]), default=None)
    names = headers[widest] if widest is not None else []
    if widest is None or not names:
        raise SourceError(f'{path}:1: not of format "votes": expected a header, or a JSON object on each line')
    listed = ", ".join(name[:40] for name in names[:20])
    raise SourceError(f'{path}:1: not of format "votes": expected {missing[widest]}; the columns are {listed}')


def _records(path: Path, separator: str, names: list[str]) -> Iterator[_Record]:
    for line, raw, fault, fields in json.rows_of(path, separator, names):
        is_sound = (isinstance(field, str | int | None) and not isinstance(field, bool) for field in fields)
        odd = next((name for name, sound in zip(names, is_sound, strict=False) if not sound), None)
        reason = f"{odd} is neither a string nor a number" if odd else fault
        yield line, raw, reason, ["" if field is None else str(field) for field in fields]


def _row(record: _Record, places: Places, header: Sequence[str]) -> tuple[Any, ...]:
    """Return a record in the fields of `counts.RECORD`, except the file; missing columns are null."""
    line, raw, reason, fields = record
    if reason is not None:
        return (line, raw, reason, *[None] * (len(counts.RECORD) - 4))
    values = {thing: fields[at[0]] for thing, at in places.items()}
    texts: dict[str, str] = {thing: values[thing] for thing in ("image", "a", "b", "c") if thing in values}
    reason = next((f"{thing} is empty" for thing, text in texts.items() if not text.strip()), None)
    task = values.get("task", "").strip() or None
    if reason is None and task is not None and (ours := _TASK.fullmatch(task)) and ours[1] != _name(texts):
        reason = f"task {task} does not match its texts: the image or a sentence has changed"
    names = {
        side: (
            side, *(header[places[thing][0]] for thing in (side, f"origin_{side}") if thing in places),
            values.get(f"origin_{side}"), values[side], _end(header[places[side][0]]),
        )
        for side in "bc"
    }  # fmt: skip
    choices = [_choice(fields[at], names) for at in places["choice"]] if "choice" in places else None
    return (
        line, raw, reason, task, values["image"], values.get("a"), values["b"], values["c"], values.get("judge"),
        choices, values.get("votes_b"), values.get("votes_c"), values.get("category"),
        values.get("origin_b"), values.get("origin_c"),
    )  # fmt: skip


def _choice(cell: str, names: Mapping[str, Sequence[str | None]]) -> str:
    """Return B, C or a tie, if a cell names one of the captions, by its side, column, author or text, or both."""
    chosen = re.sub(r"^winner\s*:", "", _small(cell)).strip()
    named = {side: {_small(name) for name in known if name} for side, known in names.items()}
    parts = {part.strip() for part in re.split(r"\s+and\s+|[,/&+=]", chosen)}
    of_both = [[side for side in "bc" if part in named[side] - named["c" if side == "b" else "b"]] for part in parts]
    if chosen in _TIES or (len(parts) == 2 and sorted(of_both) == [["b"], ["c"]]):
        return counts.TIE
    sides = [side for side in "bc" if chosen in named[side]]
    return sides[0].upper() if len(sides) == 1 else cell.strip()


def _end(name: str) -> str | None:
    ends = (form.fullmatch(name.lower().strip()) for form in (_FIRST, _SECOND))
    return next((found["end"] for found in ends if found), None)


def _small(cell: str) -> str:
    return cell.strip().lower()


def _name(texts: Mapping[str, str]) -> str:
    """Return the name of a question, by its content, as `sql/tasks/judge_question.sql` does."""
    form = "triplets" if "a" in texts else "pairs"
    shown = [form, texts["image"], *(texts[side].strip(" ") for side in "abc" if side in texts)]
    return "t" + hashlib.md5("\x1f".join(shown).encode(), usedforsecurity=False).hexdigest()[:16]


FORMAT = Format(
    "votes", recognizes, read, kind="pairs", describe=describe, reading=reading, adds_up=True,
    why_left_out="they have no votes",
)  # fmt: skip


def find(header: Sequence[str], options: Mapping[str, Option]) -> Places:
    """Find the columns by options, or by their names."""
    names = [name.strip() for name in header]
    small = [name.lower() for name in names]
    places = {thing: located(names, options.get(f"{thing}_col"), known) for thing, known in _NAMES.items()}
    if not places["choice"] and "choice_col" not in options:
        places["choice"] = tuple(at for at, name in enumerate(small) if _OF_A_JUDGE.fullmatch(name))
    if not places["c"] and not {"a_col", "b_col", "c_col"} & {*options}:
        first, second = ([at for at, name in enumerate(small) if form.fullmatch(name)] for form in (_FIRST, _SECOND))
        if len(first) == len(second) == 1:
            places |= {"a": (), "b": (first[0],), "c": (second[0],)}
    return {thing: columns for thing, columns in places.items() if len(columns) == 1 or (columns and thing == "choice")}


def lacking(places: Places, options: Mapping[str, Option]) -> str | None:
    """Return which column is missing; null if votes can be read."""
    for option in FORMAT.options:
        if option in options and option.endswith("_col") and option.removesuffix("_col") not in places:
            return f'{option} "{_shown(options[option])}"'
    for thing in ("image", "b", "c"):
        if thing not in places:
            return f"a column for {thing} (set {thing}_col)"
    counted = {"votes_b", "votes_c"} & set(places)
    if "choice" not in places and len(counted) < 2:
        return "a column for the choice (set choice_col), or two with numbers of votes (votes_b_col, votes_c_col)"
    if "choice" in places and counted:
        return "either choices or numbers of votes, not both"
    if "judge" in places and len(places.get("choice", ())) != 1:
        return "one column of choices with judge_col, for one vote per row"
    return None


def _shown(option: Option) -> str:
    return ",".join(option) if isinstance(option, tuple) else str(option)
