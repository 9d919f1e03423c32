"""Guess from the values of columns which of them hold images, and which hold captions."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

#: The first values of columns, by name; empty ones are null or "".
Values = Mapping[str, Sequence[str | None]]

#: How many rows are looked at, if several columns fit.
ROWS = 20_000

_SOME = 1_000  # rows whose values are matched with patterns

#: Endings of the files of images, sounds and videos.
_IMAGES = ("jpg", "jpeg", "png", "gif", "webp", "bmp", "tif", "tiff", "avif")
_RECORDINGS = ("wav", "mp3", "flac", "ogg", "m4a", "mp4", "avi", "mkv", "webm", "mov")
FILE_ENDINGS = tuple(f".{name}" for name in (*_IMAGES, *_RECORDINGS))

_FILE = re.compile(rf"(?i)(https?://\S+|[^\t\n]+({'|'.join(map(re.escape, FILE_ENDINGS))})(\?\S*)?)")

_ID = re.compile(r"[^\s]*\d[^\s]*")

_DECIMAL = re.compile(r"-?\d*\.\d+(e-?\d+)?")

_TEXT = re.compile(r"\S+(\s+\S+){2,}|[^\s\x00-\u02ff]{4,}.*", re.DOTALL)

#: Words in the names of columns with the right and the wrong captions of forced-choice items.
_RIGHT = re.compile(r"(?i)(?<![a-z])(true|right|correct|pos|positive|original|gold)(?![a-z])")
_WRONG = re.compile(r"(?i)(?<![a-z])(false|wrong|incorrect|neg|negative|foil|foiled|distractor)(?![a-z])")

#: Words in the names of columns with texts that are no captions.
_NO_CAPTION = re.compile("question|instruction|query|answer|prompt|title|license|author|url|reason|explanation|system")

_MOST = 0.9


def distinct(values: Iterable[str | None]) -> int:
    """Count the distinct values, without empty ones."""
    return len({value for value in values if value})


def image_column(values: Values, without: Collection[str] = ()) -> str | None:
    """Return the column whose values look most like images: file names or URLs, else ids; null if there is none."""
    for pattern in (_FILE, _ID):
        fitting = [
            name
            for name, column in values.items()
            if name not in without and _share(column, pattern) >= _MOST and _share(column, _DECIMAL) < _MOST
        ]
        if fitting:
            return max(fitting, key=lambda name: distinct(values[name]))
    return None


def file_columns(values: Values) -> list[str]:
    """List the columns with file names or URLs."""
    return [name for name, column in values.items() if _share(column, _FILE) >= _MOST]


def caption_columns(values: Values) -> list[str]:
    """List the columns with texts of several words that are not named as something else than captions."""
    return [
        name
        for name, column in values.items()
        if _share(column, _TEXT) > 0.5 and _share(column, _FILE) < 1 - _MOST and not _NO_CAPTION.search(name.lower())
    ]


def without_header(rows: Sequence[Sequence[str]]) -> tuple[str, tuple[str, ...]] | None:
    """Return the columns of the image and of the captions in a table without a header; null if that is unclear.

    Columns are named `column 1`, `column 2`, …. The first row must look like the others.
    """
    widths = [len(row) for row in rows]
    width = max(set(widths), key=widths.count, default=0)
    if width < 2 or len(rows[0]) != width or widths.count(width) < _MOST * len(rows):
        return None
    whole = [row for row in rows if len(row) == width]
    values = {name: [row[number] for row in whole] for number, name in enumerate(numbered(width))}
    captions = caption_columns(values)
    image = image_column(values, captions)
    if image is None or not captions:
        return None
    first = [(values[name][0] or "").strip() for name in (image, *captions)]
    same = is_value(first[0], values[image][1:])
    if not (_FILE.fullmatch(first[0]) or _ID.fullmatch(first[0])) or not (same or any(map(_TEXT.fullmatch, first[1:]))):
        return None
    return image, tuple(captions)


def is_value(name: str, column: Sequence[str | None]) -> bool:
    """Return whether the name of a column has digits and the form of most of its values: it is not a header."""
    shape, shapes = _shape(name), [_shape(value) for value in column[:_SOME] if value]
    return bool(shape) and 2 * shapes.count(shape) > len(shapes)


def _shape(text: str) -> str:
    return re.sub(r"\d+", "9", text.strip()) if any(map(str.isdecimal, text)) else ""


def is_file(name: str) -> bool:
    """Return whether a name is that of a file of an image, sound or video, or a URL."""
    return _FILE.fullmatch(name) is not None


def numbered(width: int) -> list[str]:
    """Return the names of the columns of a table without a header."""
    return [f"column {number}" for number in range(1, width + 1)]


def advised(values: Values) -> dict[str, Any]:
    """Return the arguments of `ingest` for the columns which look like an image and a caption; empty without them.

    If columns look like right and wrong captions, they are those of forced-choice items.
    """
    captions = caption_columns(values)
    image = image_column(values, captions)
    if not captions:
        return {}
    if image is None:
        return {"image_col": "row", "caption_col": captions} if len(captions) == 1 else {}
    wrong = next((name for name in captions if _WRONG.search(name)), None)
    right = next((name for name in captions if _RIGHT.search(name)), None)
    if wrong and right:
        columns = {"image_col": image, "right_col": right, "wrong_col": wrong}
        return {"file_format": "choices", "options": [f"{option}={name}" for option, name in columns.items()]}
    caption = max(captions, key=lambda name: distinct(values[name]))
    return {"image_col": image, "caption_col": [caption]}


def columns_of(names: Sequence[str], rows: Iterable[Sequence[str | None]]) -> Values:
    """Turn rows into columns by name; of columns with the same name, the first counts."""
    held = list(rows)
    return {name: [row[number] for row in held] for number, name in reversed([*enumerate(names)])}


#: A function that reads the first rows again.
Sampled = Callable[[], Values]


def _share(column: Sequence[str | None], pattern: re.Pattern[str]) -> float:
    """Return the share of the first values, without empty ones, that match a pattern as a whole."""
    held = [value.strip() for value in column[:_SOME] if value and value.strip()]
    return sum(pattern.fullmatch(value) is not None for value in held) / len(held) if held else 0.0
