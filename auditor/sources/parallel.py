"""Format `parallel`: a file per annotator with a caption per line; a line belongs to the same image in all files."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

import polars as pl

from auditor.errors import SourceError
from auditor.model import Batches, Part
from auditor.sources.format import Format, Reading
from auditor.sources.reading import files
from auditor.sources.reading import lines as text_lines

#: Endings of files whose lines are not captions.
_OTHERS = (".csv", ".tsv", ".json", ".jsonl", ".md", ".rst", ".html", ".xml", ".py", ".toml", ".yaml", ".yml", ".log")

#: At least two words, or a text in a script without spaces.
_CAPTION = re.compile(r"[^\W_]\S*\s+\S|[“\"'(]\S+\s+\S|[^\x00-\u02ff]{4}")

_NO_CAPTION = re.compile(r"(?i)^https?://\S*$|^\S+\.(jpe?g|png|gif|webp|bmp|tiff?|wav|mp4)\b|[{}<>=|]|^\S{200}|.{1000}")

_MOST = 0.9


def recognizes(path: Path, head: bytes) -> bool:
    """Recognize plain lines of several words, without tabs, markup or names of images."""
    if path.is_dir() or path.suffix.lower() in _OTHERS or b"\0" in head or b"\t" in head:
        return False
    try:
        text = (head.rpartition(b"\n")[0] or head).decode("utf-8-sig")
    except UnicodeDecodeError:
        return False
    lines = text.splitlines()
    full = [line.strip() for line in lines if line.strip()]
    plain = [line for line in full if _CAPTION.match(line) and not _NO_CAPTION.search(line)]
    return bool(full) and len(full) >= _MOST * len(lines) and len(plain) >= _MOST * len(full)


def reading(part: Part) -> Reading:
    """Return what the lines are."""
    named = part.options.get("image_list_file")
    image = "the number of the line" if named is None else f"the lines of {Path(str(named)).name}"
    slot = "the order of the files" if len(files.expand(part)) > 1 else "0"
    return Reading({"image": image, "caption": "the line", "slot": slot})


def read(part: Part) -> Batches:
    """Yield the captions; the slot is the position of the file in the part.

    Images are named by a list, or by the line number, from 1. An empty line is an empty caption. Raises `SourceError`
    if the files, or the list, differ in the number of lines.
    """
    paths = files.expand(part)
    named = part.options.get("image_list_file")
    if named is None:
        for captions in _aligned(paths):
            for slot, lines in enumerate(captions):
                yield lines.with_columns(image=pl.col("line").cast(pl.String), slot=pl.lit(slot), text="raw")
        return
    for images, *captions in _aligned([files.locate(Path(str(named))), *paths]):
        for slot, lines in enumerate(captions):
            yield lines.with_columns(
                image=images["raw"].str.strip_chars(),
                slot=pl.lit(slot),
                rank=pl.lit(-1),
                text="raw",
                reason=pl.coalesce("reason", pl.format("the image's name: {}", images["reason"])),
            )


def _aligned(paths: list[Path]) -> Iterator[list[pl.DataFrame]]:
    """Yield the same range of lines of all files at a time."""
    streams = [text_lines.blocks(path) for path in paths]
    ahead: list[pl.DataFrame | None] = [None] * len(paths)
    done = 0
    while True:
        ahead = [next(stream, None) if lines is None else lines for stream, lines in zip(streams, ahead, strict=True)]
        blocks = [lines for lines in ahead if lines is not None]
        if not blocks:
            return
        if len(blocks) < len(paths):
            _refuse(paths, [
                done + (lines.height + sum(block.height for block in stream) if lines is not None else 0)
                for stream, lines in zip(streams, ahead, strict=True)
            ])  # fmt: skip
        height = min(lines.height for lines in blocks)
        yield [lines.head(height) for lines in blocks]
        ahead = [lines.slice(height) if lines.height > height else None for lines in blocks]
        done += height


def _refuse(paths: list[Path], counts: list[int]) -> NoReturn:
    shortest, longest = counts.index(min(counts)), counts.index(max(counts))
    raise SourceError(
        f"{paths[shortest]} has {counts[shortest]:,} lines, {paths[longest]} has {counts[longest]:,}; "
        "the same line of each must belong to the same image"
    )


FORMAT = Format("parallel", recognizes, read, lines=("",), reading=reading)
