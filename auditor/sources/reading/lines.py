"""Shared by the formats of lines: a text file as frames of lines with their numbers and faults."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import BinaryIO

import polars as pl

from auditor.errors import SourceError
from auditor.sources.reading.files import is_compressed, open_bytes

_BLOCK = 1 << 23

_FIRST = 1 << 20

_SIZE_OF_MAGIC = 4

_LONGEST_LINE = 1 << 24

_MOST_LINES = 200_000

_BOM = b"\xef\xbb\xbf"

_UTF_16 = (b"\xff\xfe", b"\xfe\xff")


def blocks(path: Path) -> Iterator[pl.DataFrame]:
    """Yield the lines of a text file, without their ends, a few megabytes at a time.

    Columns: source, unit, line (from 1), raw, reason (null if the line is UTF-8). Raises `SourceError` for UTF-16, for
    lines that end only in CR, and for a line longer than 16 MiB.
    """
    with open_bytes(path) as file:
        yield from blocks_of(file, path.name, path)


def blocks_of(file: BinaryIO, source: str, where: Path | str) -> Iterator[pl.DataFrame]:
    """Yield the lines of an open file as `blocks` does; `where` names it in errors."""
    line = 1
    for block in _cut(file, where):
        broken: dict[int, str] = {}
        lines = plain_lines(block)
        if lines is None:
            lines = pl.Series(_decode(block, broken), dtype=pl.String)
        for start in range(0, len(lines), _MOST_LINES):
            frame = _frame(lines.slice(start, _MOST_LINES), source, line, start, broken)
            line += frame.height
            yield frame


def plain_lines(block: bytes) -> pl.Series | None:
    """Return the lines of a block that is UTF-8 and has no control characters that readers treat differently."""
    if not block or b"\0" in block or b"\r" in block or block.startswith(_BOM):
        return None
    try:
        lines = pl.read_csv(
            io.BytesIO(block), has_header=False, separator="\0", quote_char=None, schema={"raw": pl.String()},
            empty_string_is_null=False,
        ).to_series()  # fmt: skip
    except pl.exceptions.PolarsError:  # not UTF-8
        return None
    return lines if len(lines) == block.count(b"\n") + 1 else None


def unended(path: Path) -> int | None:
    """Return the number of the last line of a plain file if it is not terminated, as in a truncated copy; else null.

    A truncated compressed file is damaged, and reading it reports that.
    """
    with path.open("rb") as file:
        magic = file.read(_SIZE_OF_MAGIC)
        if not magic or is_compressed(magic):
            return None
        file.seek(-1, os.SEEK_END)
        if file.read() in (b"\n", b"\r"):
            return None
        file.seek(0)
        return 1 + sum(block.count(b"\n") for block in iter(partial(file.read, _BLOCK), b""))


def first_line(path: Path) -> str | None:
    """Return the first non-empty line of a text file; null if its first megabyte has none.

    Raises `SourceError` as `blocks` does.
    """
    with open_bytes(path) as file:
        lines = _decode(next(_cut(file, path, _FIRST), b""), {})
    return next((line.removesuffix("\r") for line in lines if line.strip()), None)


def _cut(file: BinaryIO, where: Path | str, size: int = _BLOCK) -> Iterator[bytes]:
    """Split a stream at line ends, so that memory does not grow with the file."""
    rest = b""
    line = 1
    block = file.read(size)
    if block.startswith(_UTF_16):
        raise SourceError(f"{where}:1: UTF-16; convert it to UTF-8 with `iconv -f UTF-16 -t UTF-8`")
    block = block.removeprefix(_BOM)
    if b"\n" not in block and block.strip(b"\r\n").count(b"\r"):
        raise SourceError(f"{where}:1: lines end in CR only; convert them to LF with `tr '\\r' '\\n'`")
    while block:
        *whole, rest = (rest + block).rsplit(b"\n", 1)
        if whole:
            yield whole[0]
            line += whole[0].count(b"\n") + 1
        if len(rest) > _LONGEST_LINE:
            raise SourceError(f"{where}:{line}: a line longer than {_LONGEST_LINE >> 20} MiB; not a text file")
        block = file.read(size)
    if rest:
        yield rest


def _decode(block: bytes, broken: dict[int, str]) -> list[str]:
    try:
        return block.decode().split("\n")
    except UnicodeDecodeError:
        return [_decode_line(line, number, broken) for number, line in enumerate(block.split(b"\n"))]


def _decode_line(line: bytes, number: int, broken: dict[int, str]) -> str:
    try:
        return line.decode()
    except UnicodeDecodeError as error:
        broken[number] = f"not UTF-8 (byte 0x{line[error.start]:02x} at column {error.start + 1})"
        return line.decode(errors="backslashreplace")


def _frame(lines: pl.Series, source: str, first_line: int, start: int, broken: dict[int, str]) -> pl.DataFrame:
    """Return a frame of lines from `start` of their block; `broken` has the faults of the block's lines."""
    frame = lines.alias("raw").to_frame().with_row_index("row", offset=start)
    reason = pl.col("row").replace_strict(broken, default=None, return_dtype=pl.String) if broken else pl.lit(None)
    return frame.select(
        source=pl.lit(source),
        unit=pl.lit("line"),
        line=pl.col("row") - start + first_line,
        raw=pl.col("raw").str.strip_suffix("\r"),
        reason=reason.cast(pl.String),
    )
