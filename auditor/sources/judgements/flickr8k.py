"""Flickr8k's two files of judgements, without a header: an image, the id of a caption, three fields of ratings."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import polars as pl

from auditor.model import Batches, Option
from auditor.sources.judgements import texts
from auditor.sources.reading import lines

_SCORES = (1.0, 2.0, 3.0, 4.0)

_ROUNDING = 0.01  # of a printed share


class Layout(NamedTuple):
    """How the three fields of ratings are read."""

    line: re.Pattern[bytes]
    expected: str
    fault: pl.Expr
    judgements: pl.Expr


def _field(number: int) -> pl.Expr:
    return pl.col("fields").list.get(number, null_on_oob=True)


def _number(number: int) -> pl.Expr:
    return _field(number).cast(pl.Float64, strict=False)


def _votes(number: int) -> pl.Expr:
    return _field(number).cast(pl.UInt32, strict=False)


def _judgement(judge: str, score: pl.Expr, votes: pl.Expr) -> pl.Expr:
    return pl.struct(judge=pl.lit(judge), score=score, votes=votes)


_EXPERT = Layout(
    re.compile(rb"[^\t\n]+\t[^\t\n]+(\t[1-4]){3}\r?(\n|$)"),
    "IMAGE<TAB>CAPTION_ID and three scores from 1 to 4",
    pl.when(~pl.all_horizontal(_number(n).is_in(_SCORES).fill_null(False) for n in (2, 3, 4))).then(
        pl.lit("a score is not 1, 2, 3 or 4")
    ),
    pl.concat_list(_judgement(f"judge-{n - 1}", _number(n), pl.lit(1, pl.UInt32)) for n in (2, 3, 4)),
)

_SHARE = _votes(3) / (_votes(3) + _votes(4))

_CROWD = Layout(
    re.compile(rb"[^\t\n]+\t[^\t\n]+\t(0|1|[01]?\.\d+)\t\d+\t\d+\r?(\n|$)"),
    "IMAGE<TAB>CAPTION_ID, the share of yes, the counts of yes and no",
    pl.when(~((_number(2) - _SHARE).abs() <= _ROUNDING).fill_null(False)).then(
        pl.lit("the share of yes is not that of the counts of yes and no")
    ),
    pl.concat_list(_judgement("crowd", _number(2), _votes(3) + _votes(4))),
)


def layout(head: bytes) -> Layout | None:
    """Tell which of the two files begins with `head`, by its first line that is of either."""
    for line in head.splitlines():
        for known in (_EXPERT, _CROWD):
            if known.line.fullmatch(line):
                return known
    return None


def read(path: Path, known: Layout, options: Mapping[str, Option]) -> Batches:
    """Yield the rated captions with their texts out of `captions_file`; no two rows may rate the same."""
    captions = texts.by_id(path, options)
    for block in lines.blocks(path):
        fields = block.with_columns(fields=pl.col("raw").str.split("\t"))
        rows = fields.with_columns(image=_field(0), key=_field(1)).join(
            captions, on="key", how="left", maintain_order="left"
        )
        yield rows.with_columns(
            identifier=pl.format("the rating of {} for {}", "key", "image"),
            judgements=known.judgements,
            reason=pl.coalesce(
                "reason",
                pl.when(pl.col("fields").list.len() != 5).then(pl.lit(f"expected {known.expected}")),
                known.fault,
                pl.when(pl.col("text").is_null()).then(
                    pl.format("caption {} is not in {}", "key", pl.lit(Path(str(options["captions_file"])).name))
                ),
            ),
        )
