"""Format `flickr`: the `.token` files of Flickr8k and Flickr30k, `IMAGE#N<TAB>CAPTION`, one caption per line."""

from __future__ import annotations

import re
from pathlib import Path

import polars as pl

from auditor.model import Batches, Part
from auditor.sources.format import Format
from auditor.sources.reading import files, lines

_KEY = r"^(?<image>.+)#(?<number>\d+)$"


def recognizes(path: Path, head: bytes) -> bool:
    """Recognize a file by its first line."""
    return re.match(rb"(?:\xef\xbb\xbf)?[^\t\n]+#\d+\t", head) is not None


def read(part: Part) -> Batches:
    """Yield the captions of a `.token` file; the slot is the N of its key."""
    for path in files.expand(part):
        for block in lines.blocks(path):
            yield _parse(block)


def _parse(block: pl.DataFrame) -> pl.DataFrame:
    cut = block.with_columns(
        pl.col("raw").str.splitn("\t", 2).struct.rename_fields(["key", "text"]).alias("cut")
    ).unnest("cut")
    parsed = cut.with_columns(pl.col("key").str.extract_groups(_KEY).alias("groups")).unnest("groups")
    no_tab = pl.col("text").is_null()
    image, number = pl.col("image"), pl.col("number").cast(pl.UInt32, strict=False)
    return parsed.select(
        "source",
        "unit",
        "line",
        "raw",
        pl.when(pl.col("reason").is_not_null())
        .then("reason")
        .when(no_tab)
        .then(pl.lit("no tab; expected IMAGE#N<TAB>CAPTION"))
        .when(image.is_null() | number.is_null())
        .then(pl.lit("the key is not IMAGE#N; expected IMAGE#N<TAB>CAPTION")),
        image=pl.when(~no_tab).then(image),
        slot=pl.when(~no_tab).then(number),
        text="text",
    )


FORMAT = Format("flickr", recognizes, read, media_type="text/plain", split_by_name=True, lines=("",))
