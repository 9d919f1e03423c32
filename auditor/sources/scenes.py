"""Format `scenes`: the Abstract Scenes sentences, `SCENE<TAB>N<TAB>SENTENCE`, one file for each of the two sets."""

from __future__ import annotations

import re
from pathlib import Path

import polars as pl

from auditor.model import Batches, Part
from auditor.sources.format import Format, Reading
from auditor.sources.reading import files, lines

_LINE = r"^([^\t]*)\t([^\t]*)\t(?s:(.*))$"

_MOST = 1000  # no set has more sentences per scene, so that the ranks of two sets do not overlap


def recognizes(path: Path, head: bytes) -> bool:
    """Recognize a file by its first line: two numbers and a sentence."""
    return re.match(rb"(?:\xef\xbb\xbf)?\d+\t\d\t[^\t\n]*[A-Za-z][^\t\n]*\r?(?:\n|$)", head) is not None


def read(part: Part) -> Batches:
    """Yield the sentences of the sets in the order of the files; the image is the number of the scene.

    The sentences of a scene are in the order of the sets, then of their N, which is unique within a set.
    """
    for number, path in enumerate(files.expand(part), 1):
        for block in lines.blocks(path):
            yield _parse(block, number)


def _parse(block: pl.DataFrame, number: int) -> pl.DataFrame:
    scene, text = pl.col("raw").str.extract(_LINE, 1), pl.col("raw").str.extract(_LINE, 3)
    n = pl.col("raw").str.extract(_LINE, 2).str.extract(r"^([0-9]+)$", 1).cast(pl.Int64, strict=False)
    return block.with_columns(
        image=scene,
        rank=number * _MOST + n,
        identifier=pl.format("set {}, scene {}, sentence {}", pl.lit(number), scene, n),
        text=text,
        reason=pl.when(pl.col("reason").is_not_null())
        .then("reason")
        .when(text.is_null())
        .then(pl.lit("fewer than two tabs; expected SCENE<TAB>N<TAB>SENTENCE"))
        .when(n.is_null() | (n >= _MOST))
        .then(pl.lit(f"N is not a whole number below {_MOST}; expected SCENE<TAB>N<TAB>SENTENCE")),
    )


FORMAT = Format(
    "scenes", recognizes, read, lines=("",),
    reading=lambda _: Reading({"image": "SCENE", "caption": "SENTENCE", "slot": "the file, then N"}),
)  # fmt: skip
