"""Format `synonyms`: one object a line, then its synonyms: `bicycle, bike, two-wheeler`."""

from __future__ import annotations

import re
from pathlib import Path

import polars as pl

from auditor.model import Batches, Part
from auditor.sources.format import Format, Reading
from auditor.sources.reading import files, lines

_NAME = re.compile(r"[^\W\d_]+(?:[ '-][^\W\d_]+){0,2}")


def recognizes(path: Path, head: bytes) -> bool:
    """Recognize lines of names of up to three words, separated by commas: more in one line than in another."""
    rows = [line.split(",") for line in head.decode("utf-8-sig", errors="replace").splitlines()[:-1] if line.strip()]
    named = all(_NAME.fullmatch(name.strip()) for row in rows for name in row)
    return len({len(row) for row in rows}) > 1 and max(map(len, rows)) > 2 and named


def read(part: Part) -> Batches:
    """Yield the names of each object, the first one too; the image is the object. A repeated name counts once."""
    for path in files.expand(part):
        for block in lines.blocks(path):
            names = (
                pl.col("raw").str.split(",").list.eval(pl.element().str.strip_chars()).list.unique(maintain_order=True)
            )
            first = names.list.first()
            empty = block.with_columns(reason=pl.coalesce("reason", pl.when(first == "").then(pl.lit("no object"))))
            yield empty.with_columns(image=first, text=names.list.filter(pl.element() != "")).explode(
                "text", empty_as_null=True, keep_nulls=True
            )


FORMAT = Format(
    "synonyms", recognizes, read, kind="synonyms", media_type="text/plain", lines=("",),
    reading=lambda _: Reading({"image": "the first name of a line", "caption": "each name of the line"}),
)  # fmt: skip
