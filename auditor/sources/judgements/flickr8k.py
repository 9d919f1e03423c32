"""Flickr8k's two files of judgements, without a header: an image, a caption id, three fields of ratings."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import polars as pl

from auditor.errors import SourceError, UsageError
from auditor.model import Batches, Option, Part
from auditor.sources import flickr
from auditor.sources.reading import files, lines
from auditor.sources.reading import lines as text_lines

_SCORES = (1.0, 2.0, 3.0, 4.0)

_ROUNDING = 0.01  # of a printed share

#: The only way to read references from ratings.
_UNRATED = "unrated"

_LEFT_OUT = "rated as a caption of its image"


class Layout(NamedTuple):
    """The meaning of the three fields of ratings."""

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
        pl.lit("the share of yes does not match the counts of yes and no")
    ),
    pl.concat_list(_judgement("crowd", _number(2), _votes(3) + _votes(4))),
)


def layout(head: bytes) -> Layout | None:
    """Return which of the two files begins with `head`, by its first line with a known layout."""
    for line in head.splitlines():
        for known in (_EXPERT, _CROWD):
            if known.line.fullmatch(line):
                return known
    return None


def read(path: Path, known: Layout, options: Mapping[str, Option]) -> Batches:
    """Yield the rated captions with their texts from `captions_file`; each is rated in a single row."""
    captions = by_id(path, options)
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


def by_id(path: Path, options: Mapping[str, Option]) -> pl.DataFrame:
    """Read the captions of `captions_file`: columns key (IMAGE#N) and text; of a repeated key, the first.

    Raises `UsageError` if the judgements of `path` need the option and it is not given.
    """
    if "captions_file" not in options:
        raise UsageError(
            f"{path}: names captions by their ids; set option captions_file to the .token file with these captions"
        )
    file = Path(str(options["captions_file"]))
    captions = _keyed(pl.concat(flickr.read(Part((file,)))), pl.format("{}#{}", "image", "slot"))
    if captions.is_empty():
        raise SourceError(f"{file}: no captions found; expected lines IMAGE#N<TAB>CAPTION")
    return captions


def by_number(options: Mapping[str, Option]) -> pl.DataFrame:
    """Read the captions of `candidates_file`: columns key (the number of the line, from 0) and text."""
    lines = pl.concat(text_lines.blocks(files.locate(Path(str(options["candidates_file"])))))
    return _keyed(lines.rename({"raw": "text"}), (pl.col("line") - 1).cast(pl.String))


def _keyed(captions: pl.DataFrame, key: pl.Expr) -> pl.DataFrame:
    keyed = captions.filter(pl.col("reason").is_null()).select(key=key, text="text")
    return keyed.unique("key", keep="first", maintain_order=True)


def takes_references(path: Path, options: Mapping[str, Option]) -> bool:
    """Return whether option `references` is set. Raises `UsageError` for an unknown value."""
    value = options.get("references")
    if value not in (None, _UNRATED):
        raise UsageError(f'{path}: references = "{value}": expected "{_UNRATED}"')
    return value is not None


def unrated(path: Path, known: Layout, options: Mapping[str, Option]) -> Batches:
    """Yield the captions of `captions_file` of every rated image; those rated for their image are left out.

    A repeated text of an image is left out as often as it is rated. Faulty rows of ratings are rejected.
    """
    ratings = pl.concat(read(path, known, options))
    rated = ratings.filter(pl.col("reason").is_null()).group_by("image", "text").agg(times=pl.len())
    captions = pl.concat(flickr.read(Part((Path(str(options["captions_file"])),))))
    described = captions.join(rated.select("image").unique(), on="image", how="semi", maintain_order="left")
    occurrence = pl.int_range(1, pl.len() + 1).over("image", "text")
    yield (
        described.join(rated, on=["image", "text"], how="left", maintain_order="left")
        .with_columns(left_out=pl.when(occurrence <= pl.col("times")).then(pl.lit(_LEFT_OUT)))
        .drop("times")
    )
    yield ratings.filter(pl.col("reason").is_not_null()).select("source", "unit", "line", "reason", "raw")
