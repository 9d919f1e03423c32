"""Format `wordlist`: a word per line, alone or with a count after a tab or spaces."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

import polars as pl

from auditor.errors import SourceError
from auditor.model import Batches, Option, Part
from auditor.result import listed
from auditor.sources.format import Format
from auditor.sources.reading import archives, files
from auditor.sources.reading import lines as text_lines

_HEADER = re.compile(r"(?i)\s*(word|token|type|term)s?[\t ]+(counts?|freq|frequency|occurrences)\s*")

_COUNTED = re.compile(r"\s*\S+ +[0-9]+\s*")

_ENTRY = re.compile(r"[^\s\x00-\x1f\ufffd]{0,100}([\t ]+[0-9]+)?\s*")

_SHOWN = 5


class _Layout(NamedTuple):
    """The layout of the lines: a word and a count, or a word alone. `form` shows it in messages."""

    pattern: str
    form: str
    counted: bool


_TABBED = _Layout(r"^([^\t]*)\t([^\t]*)$", "WORD<TAB>COUNT", counted=True)

_SPACED = _Layout(r"^(.*?)\s+(\S+)\s*$", "WORD COUNT", counted=True)

_PLAIN = _Layout(r"^([^\t]*)()$", "WORD", counted=False)


def recognizes(path: Path, head: bytes) -> bool:
    """Recognize a file whose lines are single words, perhaps with counts, but not JSON."""
    lines = (head.rpartition(b"\n")[0] or head).decode(errors="replace").removeprefix("\ufeff").splitlines()
    entries = lines[1:] if lines and _HEADER.fullmatch(lines[0]) else lines
    has_words = any(entry.split()[0].isalpha() for entry in entries if entry.strip())
    return has_words and head[:1] not in b"[{" and all(_ENTRY.fullmatch(entry) for entry in entries)


def read(part: Part) -> Batches:
    """Yield the words of lists, each its own image, with their counts if the list has them.

    The first non-empty line decides whether lines have counts; it may be a header (`word count`). Rejected are empty
    lines, counts that are not whole numbers, and counts in a list without counts; the store rejects repeated words.
    Raises `SourceError` for an archive without such a member, or with several.
    """
    for path in files.expand(part):
        yield from _words(_lines(path, part.options.get("member")))


def _lines(path: Path, member: Option | None) -> Batches:
    if not archives.is_archive(path, files.head(path)):
        if member is not None:
            raise SourceError(f"{path}: not an archive; remove option member, which names a file of an archive")
        yield from text_lines.blocks(path)
        return
    names = []
    read = False
    for entry in archives.members(path):
        names.append(entry.name)
        if member is None or not f"/{entry.name}".endswith(f"/{member}"):
            continue
        if read or entry.fault:
            raise SourceError(
                f"{path}: {entry.name}: {entry.fault or f'the archive has several {member}; name it with its folder'}"
            )
        read = True
        yield from text_lines.blocks_of(entry.file, f"{path.name}/{entry.name}", path / entry.name)
    if not read:
        shown = listed(names, _SHOWN)
        raise SourceError(f"{path}: name its word list with option member; it holds {shown or 'no files'}")


def _words(blocks: Batches) -> Batches:
    layout = None
    for block in blocks:
        first = block.filter(pl.col("raw").str.strip_chars() != "").head(1)
        if layout is not None or first.is_empty():
            yield _parse(block, layout or _PLAIN)
            continue
        line, header = first["raw"].item(), _HEADER.fullmatch(first["raw"].item())
        layout = _TABBED if "\t" in line else _SPACED if header or _COUNTED.fullmatch(line) else _PLAIN
        yield _parse(block.filter(pl.col("line") != first["line"].item()) if header else block, layout)


def _parse(block: pl.DataFrame, layout: _Layout) -> pl.DataFrame:
    raw = pl.col("raw")
    word, count = (raw.str.extract(layout.pattern, group).str.strip_chars() for group in (1, 2))
    number = count.str.extract(r"^([0-9]+)$", 1).cast(pl.UInt64, strict=False)
    return block.with_columns(
        image=word,
        slot=pl.lit(0, pl.UInt32),
        text=word,
        occurrences=number,
        reason=pl.when(pl.col("reason").is_not_null())
        .then("reason")
        .when((raw.str.strip_chars() == "") | (word == ""))
        .then(pl.lit("no word"))
        .when(word.is_null() | (raw.str.contains(r"\s[0-9]+\s*$") & (not layout.counted)))
        .then(pl.lit(f"expected {layout.form}, as in the first line"))
        .when(number.is_null() & layout.counted)
        .then(pl.lit(f"the count is not a whole number below 2^64; expected {layout.form}")),
    )


FORMAT = Format("wordlist", recognizes, read, kind="wordlist", lines=("",))
