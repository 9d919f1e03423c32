"""Format `sidecars`: a text next to each image, as trainers of models keep them: `NAME.jpg`, `NAME.txt`.

A file ends in `.txt` or `.caption`, or is img2dataset's `NAME.json` with a key `caption`. It is one caption, or one
caption per line if all files have as many lines.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import polars as pl

from auditor.model import CAPTION_SCHEMA, Batches, Part
from auditor.result import listed
from auditor.sources.format import Format, Reading
from auditor.sources.reading import files
from auditor.sources.reading import lines as text_lines
from auditor.sources.table.content import FILE_ENDINGS

_ENDINGS = (".txt", ".caption", ".json")

#: Files that explain a folder are no captions, nor are those of this size.
_ABOUT, _LONGEST = ("readme", "license", "licence", "requirements", "classes", "notes", "prompts"), 1 << 20

_LOOKED_AT, _ROWS, _FEW = 20, 4096, 3

_SCHEMA = {name: CAPTION_SCHEMA[name] for name in ("source", "unit", "line", "image", "slot", "text", "reason", "raw")}


def recognizes(path: Path, head: bytes) -> bool:
    """Recognize a folder whose texts are next to images of the same names, or have equally many lines; or one line."""
    if path.is_dir():
        return are_captions(_texts(path)[1])
    is_line = path.suffix in _ENDINGS[:2] and len(head.strip().splitlines()) == 1
    return is_line and _image(path) != path.stem


def are_captions(paths: Sequence[Path]) -> bool:
    """Return whether files are captions of an image each: most are named like an image, or they have the same form."""
    some = [(path, _read(path).strip()) for path in paths[:_LOOKED_AT] if path.suffix in _ENDINGS]
    worded = [(path, text) for path, text in some if sum(map(str.isalpha, text)) * 2 > len(text)]
    named = sum(_image(path) != path.stem for path, _ in worded)
    same = len(some) >= _FEW and len({len(text.splitlines()) for _, text in some}) == 1 and paths[0].suffix != ".json"
    return 2 * len(worded) > min(len(paths), _LOOKED_AT) and (2 * named > len(worded) or same)


def _texts(folder: Path) -> tuple[str, list[Path]]:
    """Return the ending and the files of the captions in a folder: the ending of most, JSON only without texts."""
    every = [path for path in files.inside(folder) if path.stem.lower() not in _ABOUT]
    counts = Counter(path.suffix for path in every)
    ending = max(_ENDINGS[:2], key=lambda ending: counts[ending])
    ending = ending if counts[ending] else _ENDINGS[2]
    return ending, [path for path in every if path.suffix == ending]


def _read(path: Path) -> str:
    """Return the text of a file, or the caption in its JSON; empty without one, and for a file that is too long."""
    with files.open_bytes(path) as file:
        content = file.read(_LONGEST + 1)
    text = "" if len(content) > _LONGEST else content.decode("utf-8-sig", errors="surrogateescape")
    if path.suffix != ".json":
        return text
    try:
        held: Any = json.loads(text)
    except (ValueError, RecursionError):
        return ""
    caption = held.get("caption") if isinstance(held, dict) else None
    return caption if isinstance(caption, str) else ""


def _image(path: Path, root: Path | None = None) -> str:
    """Return the name of the image next to a text, within the root; the name without ending if there is none."""
    named = (path.with_suffix(cased) for ending in FILE_ENDINGS for cased in (ending, ending.upper()))
    image = next(filter(Path.is_file, named), path.with_suffix(""))
    return image.name if root is None else image.relative_to(root).as_posix()


def _files(part: Part) -> Iterator[tuple[Path, Path | None]]:
    for path in files.expand(part):
        yield from ((text, path) for text in _texts(path)[1]) if path.is_dir() else ((path, None),)


def _has_lines(part: Part) -> bool:
    """Return whether each line is a caption: the first files have the same number of lines, several."""
    counts = {len(_read(path).strip().splitlines()) for path, _ in islice(_files(part), _LOOKED_AT)}
    return len(counts) == 1 < min(counts)


def read(part: Part) -> Batches:
    """Yield the captions; an image is named as the file next to the text, or as the text without its ending."""
    has_lines, rows = _has_lines(part), list[tuple[Any, ...]]()
    for path, root in _files(part):
        image = _image(path, root)
        for slot, (line, text, fault) in enumerate(_captions(path, has_lines=has_lines)):
            rows.append((path.name, "line", line, image, slot, None if fault else text, fault, text))
        if len(rows) >= _ROWS:
            yield pl.DataFrame(rows, schema=_SCHEMA, orient="row")
            rows = []
    yield pl.DataFrame(rows, schema=_SCHEMA, orient="row")


def _captions(path: Path, *, has_lines: bool) -> list[tuple[int, str, str | None]]:
    """Return line, text and fault of the captions in a file: its lines, or all of it with the first fault."""
    if path.suffix == ".json":
        return [(1, _read(path), None)]
    lines = [row for block in text_lines.blocks(path) for row in block.select("line", "raw", "reason").iter_rows()]
    if has_lines:
        return [row for row in lines if row[1].strip()]
    return [(1, "\n".join(text for _, text, _ in lines).strip(), next((why for *_, why in lines if why), None))]


def reading(part: Part) -> Reading:
    """Return what names the images, and what else is in a folder."""
    path, has_lines = files.expand(part)[0], _has_lines(part)
    remarks: tuple[str, ...] = ()
    if path.is_dir():
        read = {*_texts(path)[1]}
        stems = {text.with_suffix("") for text in read}
        others = [file for file in files.inside(path) if file not in read]
        left = [
            file.relative_to(path).as_posix()
            for file in others
            if not (file.suffix.lower() in FILE_ENDINGS and file.with_suffix("") in stems)
        ]
        remarks = (f"not read, or images without a text: {listed(left, _FEW)}",) if left else ()
    caption = f"{'a line of ' * has_lines}the text of that name"
    return Reading(
        {"image": "the name of the file", "caption": caption, "slot": "the line" if has_lines else "0"}, (), remarks
    )


FORMAT = Format("sidecars", recognizes, read, folders=True, adds_up=True, reading=reading)
