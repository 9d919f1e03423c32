"""Format `entities`: the sentences of Flickr30k Entities, `<id>.txt` with phrases `[/EN#CHAIN/TYPE WORDS]` in each."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import NamedTuple

import polars as pl

from auditor.errors import SourceError
from auditor.model import Batches, Part
from auditor.sources.format import Format, Reading
from auditor.sources.reading import archives, files
from auditor.sources.reading import lines as text_lines

_FILES_AT_ONCE = 4096

_LONGEST_FILE = 1 << 20

_NAME = re.compile(r"[0-9]+\.txt")

_PHRASE = r"\[/EN#([0-9]+)((?:/[^/\s\[\]]+)+) ([^\[\]]+)\]"

_PARTS = 3  # of a caption that is split at its phrases: words between phrases, chain and types, words of a phrase


def recognizes(path: Path, head: bytes) -> bool:
    """Recognize the markup in a file, a tar archive or the first file of a folder; the names in a zip archive."""
    if path.is_dir():
        return any(b"[/EN#" in files.head(file) for file in files.inside(path, "*.txt")[:1])
    return b"[/EN#" in head or re.search(rb"^PK(?s:.*)Sentences/\d+\.txt", head) is not None


def read(part: Part) -> Batches:
    """Yield the captions of a folder, an archive (tar, zip) or files, without markup, and their phrases.

    The image is `<id>.jpg`, the slot the line. A caption with broken markup is rejected, and a text file that is not
    named by an image id. Files that do not end in `.txt` (the boxes in the same archive) are skipped.
    """
    for path in files.expand(part):
        texts = _texts(path)
        while batch := list(islice(texts, _FILES_AT_ONCE)):
            yield _parse(pl.concat([_lines(batch), *(_broken_lines(text) for text in batch if text.lines is None)]))


class _Text(NamedTuple):
    """A file: its path, its content, its lines if it is UTF-8, and a fault of the whole file."""

    source: str
    content: bytes
    lines: str | None
    fault: str | None


def _texts(path: Path) -> Iterator[_Text]:
    """Yield the text files of a folder, an archive or a file, in bounded memory."""
    if path.is_dir():
        for text_path in files.inside(path, "*.txt"):
            with files.open_bytes(text_path) as file:
                yield _text(
                    f"{path.absolute().name}/{text_path.relative_to(path).as_posix()}", file.read(_LONGEST_FILE + 1)
                )
    elif archives.is_archive(path, files.head(path)):
        for member in archives.members(path):
            if member.name.endswith(".txt"):
                yield _text(f"{path.name}/{member.name}", member.file.read(_LONGEST_FILE + 1), member.fault)
    else:
        with files.open_bytes(path) as file:
            yield _text(path.name, file.read(_LONGEST_FILE + 1))


def _text(source: str, content: bytes, fault: str | None = None) -> _Text:
    if fault is None and not _NAME.fullmatch(PurePosixPath(source).name):
        fault = "not named <image id>.txt"
    if fault is None and len(content) > _LONGEST_FILE:
        fault = f"longer than {_LONGEST_FILE >> 20} MiB: not the captions of an image"
    if fault is None and b"\n" not in content and b"\r" in content.strip():
        fault = "lines end in CR only; convert them to LF"
    if fault is not None:
        return _Text(source, b"", "", fault)
    try:
        return _Text(source, content, content.decode().removeprefix("\ufeff").replace("\r\n", "\n"), None)
    except UnicodeDecodeError:
        return _Text(source, content, None, None)


def _lines(batch: Iterable[_Text]) -> pl.DataFrame:
    """Split UTF-8 files into lines: source, unit, line, raw, reason."""
    readable = [(text.source, text.lines, text.fault) for text in batch if text.lines is not None]
    whole = pl.DataFrame(readable, schema={"source": pl.String, "raw": pl.String, "reason": pl.String}, orient="row")
    return (
        whole.with_columns(pl.col("raw").str.strip_suffix("\n").str.split("\n"))
        .with_columns(line=pl.int_ranges(1, pl.col("raw").list.len() + 1, dtype=pl.UInt32))
        .explode("raw", "line")
        .select("source", pl.lit("line").alias("unit"), "line", "raw", "reason")
    )


def _broken_lines(text: _Text) -> pl.DataFrame:
    """Split a file that is not UTF-8 into lines, so that only its broken lines are rejected."""
    try:
        return pl.concat(text_lines.blocks_of(io.BytesIO(text.content), text.source, text.source))
    except SourceError as error:
        return _lines([_Text(text.source, b"", "", str(error))])


def _parse(lines: pl.DataFrame) -> pl.DataFrame:
    """Remove the markup from captions. Lines hold no line breaks, so these can mark the borders of phrases."""
    pieces = pl.col("raw").str.replace_all(_PHRASE, "\n$1$2\n$3\n").str.split("\n")
    cut = (
        lines.select(piece=pieces)
        .with_row_index("caption")
        .with_columns(kind=pl.int_ranges(pl.col("piece").list.len()))
        .explode("piece", "kind")
        .with_columns(pl.col("kind") % _PARTS)
        .with_columns(length=pl.when(pl.col("kind") != 1).then(pl.col("piece").str.len_chars()).otherwise(0))
        .with_columns(end=pl.col("length").cum_sum().over("caption"))
        .with_columns(label=pl.when(pl.col("kind") == _PARTS - 1).then(pl.col("piece").shift(1)).str.split("/"))
    )
    phrase = pl.struct(
        chain=pl.col("label").list.first(),
        types=pl.col("label").list.slice(1),
        start=(pl.col("end") - pl.col("length")).cast(pl.UInt32),
        length=pl.col("length").cast(pl.UInt32),
    )
    parsed = cut.group_by("caption", maintain_order=True).agg(
        text=pl.col("piece").filter(pl.col("kind") != 1).str.join(),
        phrases=phrase.filter(pl.col("kind") == _PARTS - 1),
    )
    broken = pl.lit("broken markup: brackets are not a phrase [/EN#CHAIN/TYPE WORDS]")
    return lines.with_columns(
        parsed["text"],
        parsed["phrases"],
        image=pl.col("source").str.extract(r"([^/]*)\.txt$", 1) + ".jpg",
        slot=pl.col("line") - 1,
        reason=pl.coalesce("reason", pl.when(parsed["text"].str.contains(r"[\[\]]")).then(broken)),
    )


FORMAT = Format(
    "entities", recognizes, read, folders=True,
    reading=lambda _: Reading({"image": "the names of the files", "caption": "their lines", "slot": "their order"}),
)  # fmt: skip
