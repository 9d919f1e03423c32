"""Format `flickr`: the `.token` files of Flickr8k and Flickr30k, `IMAGE#N<TAB>CAPTION`, one caption a line."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import polars as pl

from auditor.model import CAPTION_SCHEMA, Batches
from auditor.sources.files import open_bytes

_BLOCK = 1 << 23
_BOM = b"\xef\xbb\xbf"


def read(path: Path) -> Batches:
    """Yield the captions of a `.token` file; the slot is the N of its key."""
    line = 1
    with open_bytes(path) as file:
        for block in _blocks(file):
            batch = _parse(path, block, line)
            line += batch.height
            yield batch


def _blocks(file: BinaryIO) -> Iterator[bytes]:
    """Cut a stream at line ends, so that memory does not grow with the file."""
    rest = b""
    block = file.read(_BLOCK).removeprefix(_BOM)
    while block:
        *whole, rest = (rest + block).rsplit(b"\n", 1)
        if whole:
            yield whole[0]
        block = file.read(_BLOCK)
    if rest:
        yield rest


def _parse(path: Path, block: bytes, first_line: int) -> pl.DataFrame:
    broken: dict[int, str] = {}
    try:
        texts = block.decode().split("\n")
    except UnicodeDecodeError:
        texts = [_decode(line, number, broken) for number, line in enumerate(block.split(b"\n"))]
    key = pl.col("raw").str.extract(r"^([^\t]*)\t", 1)
    number = key.str.extract(r"#(\d+)$", 1)
    return (
        pl.DataFrame({"raw": texts}, schema={"raw": pl.String})
        .with_columns(pl.col("raw").str.strip_suffix("\r"))
        .with_row_index("row")
        .with_columns(
            source=pl.lit(path.name),
            line=pl.col("row") + first_line,
            image=key.str.extract(r"^(.+)#\d+$", 1),
            slot=number.cast(pl.UInt32, strict=False),
            text=pl.col("raw").str.extract(r"^[^\t]*\t(?s:(.*))$", 1),
            reason=pl.when(pl.col("row").is_in(list(broken)))
            .then(pl.col("row").replace_strict(broken, default=None, return_dtype=pl.String))
            .when(~pl.col("raw").str.contains("\t", literal=True))
            .then(pl.lit("no tab; expected IMAGE#N<TAB>CAPTION"))
            .when(key.str.extract(r"^(.+)#\d+$", 1).is_null() | number.cast(pl.UInt32, strict=False).is_null())
            .then(pl.lit("the key is not IMAGE#N; expected IMAGE#N<TAB>CAPTION")),
        )
        .with_columns(raw=pl.when(pl.col("reason").is_not_null()).then(pl.col("raw")))
        .select(pl.col(name).cast(kind) for name, kind in CAPTION_SCHEMA.items())
    )


def _decode(line: bytes, number: int, broken: dict[int, str]) -> str:
    try:
        return line.decode()
    except UnicodeDecodeError as error:
        broken[number] = f"not UTF-8 (byte 0x{line[error.start]:02x} at column {error.start + 1})"
        return line.decode(errors="backslashreplace")
