"""Format `flickr`: the `.token` files of Flickr8k and Flickr30k, `IMAGE#N<TAB>CAPTION`, one caption a line."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import polars as pl

from auditor.model import Batches, Part
from auditor.sources.reading import files, lines

OPTIONS: Mapping[str, str] = {}

_KEY = r"^(.+)#(\d+)$"


def recognises(path: Path, head: bytes) -> bool:
    """Recognise a file by its first line."""
    return re.match(rb"(?:\xef\xbb\xbf)?[^\t\n]+#\d+\t", head) is not None


def read(part: Part) -> Batches:
    """Yield the captions of a `.token` file; the slot is the N of its key."""
    for path in files.expand(part):
        for block in lines.blocks(path):
            yield _parse(block)


def _parse(block: pl.DataFrame) -> pl.DataFrame:
    key = pl.col("raw").str.extract(r"^([^\t]*)\t", 1)
    image, number = key.str.extract(_KEY, 1), key.str.extract(_KEY, 2).cast(pl.UInt32, strict=False)
    return block.with_columns(
        image=image,
        slot=number,
        text=pl.col("raw").str.extract(r"^[^\t]*\t(?s:(.*))$", 1),
        reason=pl.when(pl.col("reason").is_not_null())
        .then("reason")
        .when(~pl.col("raw").str.contains("\t", literal=True))
        .then(pl.lit("no tab; expected IMAGE#N<TAB>CAPTION"))
        .when(image.is_null() | number.is_null())
        .then(pl.lit("the key is not IMAGE#N; expected IMAGE#N<TAB>CAPTION")),
    )
